// Records in every layout.
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

std::string layout_of(Rng& rng, const Tensor& tensor) {
  switch (rng.below(6)) {
    case 0: return "";
    case 1: return " layout(aos)";
    case 2: return " layout(soa)";
    case 3: return fmt::format(" layout(aosoa({}))", rng.of({2, 4, 8, 32}));
    case 4: {
      std::vector<std::string> names;
      for (const Member& member : tensor.members) names.push_back(member.leaf.name);
      const std::size_t first = 1 + static_cast<std::size_t>(rng.below(static_cast<int>(names.size())));
      std::vector<std::string> rest(names.begin() + static_cast<std::ptrdiff_t>(first), names.end());
      names.resize(first);
      return fmt::format(" layout(split({{{}}}{}))", fmt::join(names, ", "), rest.empty() ? "" : fmt::format(", {{{}}}", fmt::join(rest, ", ")));
    }
    default: return " layout(auto)";
  }
}

void collect_leaves(const std::vector<Member>& members, const std::string& path, std::vector<Field>& leaves) {
  for (const Member& member : members) {
    if (!member.structure.empty()) {
      collect_leaves(member.members, path + member.leaf.name + ".", leaves);
      continue;
    }
    leaves.push_back(member.leaf);
    leaves.back().name = path + member.leaf.name;
  }
}

/// The text of a record under construction, with a place for each value.
struct Construction {
  std::vector<std::string> pieces;
  std::vector<Node> values;
  std::string text;  // since the last value

  void add(Node value) {
    pieces.push_back(std::move(text));
    values.push_back(std::move(value));
    text.clear();
  }
  Node done(const std::string& end) {
    pieces.push_back(text + end);
    Node node = composed({}, kPostfix, std::move(pieces), std::move(values));
    node.is_value = false;
    return node;
  }
};

}  // namespace

std::vector<Member> Generator::record(const std::string& structure, int depth) {
  static const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  std::vector<Member> members;
  std::string text;
  const bool alike = rng_.chance(40);   // fields of one type may move in one access
  const ScalarType one = rng_.pick(types_);
  const std::size_t count = 2 + static_cast<std::size_t>(rng_.below(3));
  while (members.size() < count) {
    Member member;
    member.leaf.name = names[members.size()];
    if (depth > 0 && rng_.chance(25)) {
      used("nested record");
      member.structure = fresh("Inner");
      member.members = record(member.structure, depth - 1);
      text += fmt::format(" {}: {};", member.leaf.name, member.structure);
    } else {
      member.leaf.type = alike ? one : rng_.pick(types_);
      if (rng_.chance(20)) member.leaf.extent = 2 + rng_.below(2);
      const std::string extent = member.leaf.extent > 0 ? fmt::format("[{}]", member.leaf.extent) : "";
      text += fmt::format(" {}: {}{};", member.leaf.name, name_of(member.leaf.type), extent);
    }
    members.push_back(std::move(member));
  }
  program_.items.push_back({structure, fmt::format("struct {} {{{} }}", structure, text)});
  return members;
}

Tensor Generator::record_tensor(const std::string& stem) {
  Tensor tensor;
  tensor.name = fresh("x");
  tensor.element = fresh(stem);
  tensor.members = record(tensor.element, 2);
  collect_leaves(tensor.members, "", tensor.fields);
  return tensor;
}

void Generator::records() {
  if (in_loop_) return;
  const Extent n = extent();
  Tensor p = record_tensor("Point");
  p.shape = {n};
  if (rng_.chance(20)) p.shape.push_back(extent());
  p.suffix = layout_of(rng_, p);
  used(p.suffix.empty() ? "layout(aos)" : p.suffix.substr(1, p.suffix.find('(', 8) - 1));
  program_.inputs.push_back(p);
  visible_.push_back(p);
  const std::vector<Index> indices = left_indices(p.shape);
  Scope scope = scope_of(indices);
  const ScalarType type = evaluation_type(p.fields[0].type);
  Node value = read_of(scope, p, &p.fields[0]);
  if (type != ScalarType::Bool) value = binary({type}, kAdd, "+", std::move(value), expression(scope, {type}, 2));
  define(type, indices, scope, std::move(value));
}

void Generator::record_update() {
  if (in_loop_) return;
  const Extent n = extent();
  Tensor p = record_tensor("Body");
  p.shape = {n};
  p.suffix = layout_of(rng_, p);
  const bool in_place = rng_.chance(35);
  (in_place ? program_.inouts : program_.inputs).push_back(p);
  visible_.push_back(p);
  Tensor q = p;
  if (in_place) {
    used("record update in place");
  } else {
    q.name = fresh("y");
    q.suffix = layout_of(rng_, q);
    program_.outputs.push_back(q);
  }
  const std::vector<Index> indices = left_indices(p.shape);
  Scope scope = scope_of(indices);
  const bool with = rng_.chance(50);
  Construction made;
  const std::function<void(const std::vector<Member>&, const std::string&, bool)> add = [&](const std::vector<Member>& members, const std::string& path, bool all) {
    bool is_first = true;
    for (const Member& member : members) {
      if (!all && !is_first && rng_.chance(40)) continue;
      made.text += fmt::format("{}{}: ", is_first ? "" : ", ", member.leaf.name);
      is_first = false;
      if (!member.structure.empty()) {
        if (rng_.chance(30)) {
          made.text += path + member.leaf.name;  // the whole record
          continue;
        }
        made.text += member.structure + "(";
        add(member.members, path + member.leaf.name + ".", true);
        made.text += ")";
        continue;
      }
      const int parts = std::max(1, member.leaf.extent);
      if (member.leaf.extent > 0) made.text += "[";
      for (int part = 0; part < parts; ++part) {
        if (part > 0) made.text += ", ";
        made.add(value_for(scope, member.leaf.type, 1));
      }
      if (member.leaf.extent > 0) made.text += "]";
    }
  };
  made.text = with ? fmt::format("{}[i] with (", p.name) : q.element + "(";
  add(p.members, p.name + "[i].", !with);
  Node value = made.done(")");
  define_as(q, indices, std::move(value));
  if (!in_place) visible_.push_back(q);
}

}  // namespace cdsl::random
