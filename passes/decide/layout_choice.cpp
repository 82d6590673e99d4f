#include "passes/decide/layout_choice.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace cdsl::deciding {
namespace {

constexpr int64_t kMostWidth = 4096;       // as in the language
constexpr int64_t kWidths[] = {4, 8, 32};
constexpr std::string_view kSpaces = " \t\n";

// A field of the record as it was declared: leaves of a nested record stay together.
struct Field {
  std::string name;
  std::vector<uint32_t> leaves;
};

std::vector<Field> fields_of(const RecordType& record) {
  std::vector<Field> fields;
  for (uint32_t leaf = 0; leaf < record.leaves.size(); ++leaf) {
    std::string name = record.leaves[leaf].path.substr(0, record.leaves[leaf].path.find('.'));
    if (fields.empty() || fields.back().name != name) fields.push_back({std::move(name), {}});
    fields.back().leaves.push_back(leaf);
  }
  return fields;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// What stands between `opener` at the front and `closer` at the back.
std::optional<std::string_view> inside(std::string_view text, char opener, char closer) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != opener || text.back() != closer) return std::nullopt;
  return trimmed(text.substr(1, text.size() - 2));
}

std::variant<Layout, std::string> read_width(std::string_view text) {
  const auto digits = inside(text, '(', ')');
  int64_t width = 0;
  if (!digits || std::from_chars(digits->data(), digits->data() + digits->size(), width).ptr != digits->data() + digits->size())
    return "the width of a group is a number, as in aosoa(32)";
  if (width < 2 || width > kMostWidth || !std::has_single_bit(static_cast<uint64_t>(width)))
    return fmt::format("the width of a group is a power of two from 2 to {}, so that a shift finds the group", kMostWidth);
  return Layout{Layout::Kind::Aosoa, width, {}};
}

std::variant<Layout, std::string> read_parts(const std::vector<Field>& fields, std::string_view text) {
  constexpr const char* kForm = "parts are lists of fields, as in split({x,y},{m})";
  auto rest = inside(text, '(', ')');
  if (!rest || rest->empty()) return kForm;
  Layout layout{Layout::Kind::Split, 0, {}};
  std::vector<bool> named(fields.size(), false);
  while (true) {
    const std::size_t end = rest->find('}');
    const auto part = end == std::string_view::npos ? std::nullopt : inside(rest->substr(0, end + 1), '{', '}');
    if (!part) return kForm;
    auto& group = layout.groups.emplace_back();
    for (std::size_t at = 0; at <= part->size();) {
      const std::size_t comma = std::min(part->find(',', at), part->size());
      const std::string_view name = trimmed(part->substr(at, comma - at));
      const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
      if (name.empty()) return "a part has at least one field";
      if (found == fields.end()) return fmt::format("no partition: the record has no field '{}'", name);
      const auto k = static_cast<std::size_t>(found - fields.begin());
      if (named[k]) return fmt::format("no partition: '{}' is in two parts", name);
      named[k] = true;
      group.insert(group.end(), found->leaves.begin(), found->leaves.end());
      at = comma + 1;
    }
    *rest = trimmed(rest->substr(end + 1));
    if (rest->empty()) break;
    if (rest->front() != ',') return kForm;
    *rest = trimmed(rest->substr(1));
  }
  std::vector<uint32_t> others;
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (!named[k]) others.insert(others.end(), fields[k].leaves.begin(), fields[k].leaves.end());
  if (!others.empty()) layout.groups.push_back(std::move(others));
  if (layout.groups.size() < 2) return "one part of all fields is aos";
  return layout;
}

// Fields by a label each: a part a label, in the order of its first field.
Layout parts_by(const std::vector<Field>& fields, const std::vector<std::vector<int>>& labels) {
  Layout layout{Layout::Kind::Split, 0, {}};
  std::map<std::vector<int>, std::size_t> part_of;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const auto [found, is_new] = part_of.try_emplace(labels[k], layout.groups.size());
    if (is_new) layout.groups.emplace_back();
    auto& group = layout.groups[found->second];
    group.insert(group.end(), fields[k].leaves.begin(), fields[k].leaves.end());
  }
  return layout;
}

}  // namespace

std::string spelled(const RecordType& record, const Layout& layout) {
  switch (layout.kind) {
    case Layout::Kind::Aos: return "aos";
    case Layout::Kind::Soa: return "soa";
    case Layout::Kind::Auto: return "auto";
    case Layout::Kind::Aosoa: return fmt::format("aosoa({})", layout.width);
    case Layout::Kind::Split: break;
  }
  const std::vector<Field> fields = fields_of(record);
  std::string text;
  for (const auto& group : layout.groups) {
    std::string names;
    for (const Field& field : fields) {
      if (std::find(group.begin(), group.end(), field.leaves.front()) != group.end()) names += (names.empty() ? "" : ",") + field.name;
    }
    text += (text.empty() ? "{" : ",{") + names + "}";
  }
  return "split(" + text + ")";
}

std::variant<Layout, std::string> read_layout(const RecordType& record, std::string_view text) {
  text = trimmed(text);
  const std::string_view name = trimmed(text.substr(0, text.find('(')));
  const std::string_view rest = text.substr(std::min(text.find('('), text.size()));
  if (rest.empty() && name == "soa") return Layout{Layout::Kind::Soa, 0, {}};
  if (rest.empty() && name == "aos") return Layout{Layout::Kind::Aos, 0, {}};
  if (name == "aosoa") return read_width(rest);
  if (name == "split") return read_parts(fields_of(record), rest);
  return "no such layout";
}

std::vector<Layout> layouts_of(const RecordType& record, TensorId tensor, std::span<const StatementUses> statements) {
  const std::vector<Field> fields = fields_of(record);
  std::vector<std::vector<int>> uses(fields.size()), together(fields.size()), used(fields.size(), {0});
  std::vector<bool> is_scattered(fields.size(), false);
  int number = 0;
  for (const StatementUses& statement : statements) {
    for (const RecordUse& use : statement.uses) {
      if (use.tensor != tensor) continue;
      ++number;
      for (std::size_t k = 0; k < fields.size(); ++k) {
        const auto& leaves = fields[k].leaves;
        const auto is_here = [&](const FieldAccess& f) { return std::find(leaves.begin(), leaves.end(), f.leaf) != leaves.end(); };
        if (std::none_of(use.fields.begin(), use.fields.end(), is_here)) continue;
        uses[k].push_back(number);
        used[k] = {1};
        if (use.irregular || use.step > 1) is_scattered[k] = true;
      }
    }
  }
  for (std::size_t k = 0; k < fields.size(); ++k) together[k] = {is_scattered[k] ? -1 : uses[k].empty() ? -2 : static_cast<int>(k)};
  std::vector<Layout> layouts{{Layout::Kind::Soa, 0, {}}, {Layout::Kind::Aos, 0, {}}};
  for (int64_t width : kWidths) layouts.push_back({Layout::Kind::Aosoa, width, {}});
  for (const auto& labels : {together, uses, used}) {
    Layout split = parts_by(fields, labels);
    const bool alone = split.groups.size() == record.leaves.size();     // as arrays
    if (split.groups.size() > 1 && !alone && std::find(layouts.begin(), layouts.end(), split) == layouts.end()) layouts.push_back(std::move(split));
  }
  return layouts;
}

}  // namespace cdsl::deciding
