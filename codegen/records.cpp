#include "codegen/records.h"

#include <fmt/format.h>
#include <algorithm>

#include "codegen/types.h"

namespace cdsl::cuda {
namespace {

constexpr uint32_t kInner = 0xffffffffu;

// A field, or a struct of fields.
struct Field {
  std::string name;    // safe
  std::string wanted;  // as the user wrote it
  uint32_t leaf = kInner;
  std::vector<Field> fields;
};

std::string_view take_part(std::string_view& path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view part = path.substr(0, dot);
  path.remove_prefix(std::min(dot + 1, path.size()));
  return part;
}

void name_fields(Field& parent) {
  Scopes names;
  for (Field& field : parent.fields) {
    field.name = names.declare(field.wanted);
    name_fields(field);
  }
}

Field field_tree(const RecordType& record, bool nested) {
  Field root;
  for (uint32_t leaf = 0; leaf < record.leaves.size(); ++leaf) {
    std::string_view path = record.leaves[leaf].path;
    Field* at = &root;
    while (nested && path.find('.') != std::string_view::npos) {
      const std::string_view part = take_part(path);
      const bool same = !at->fields.empty() && at->fields.back().leaf == kInner &&
                        at->fields.back().wanted == part;
      if (!same) at->fields.push_back({{}, std::string(part), kInner, {}});
      at = &at->fields.back();
    }
    at->fields.push_back({{}, std::string(path), leaf, {}});
  }
  name_fields(root);
  return root;
}

int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

struct Placed {
  int64_t size = 0, alignment = 1;
};

// Lays out `field` as C does and notes the offset of each leaf from the start of the outermost
// struct.
Placed place(const RecordType& record, const Field& field, int64_t base,
             std::vector<int64_t>& offsets) {
  if (field.leaf != kInner) {
    const Leaf& leaf = record.leaves[field.leaf];
    offsets[field.leaf] = base;
    return {size_of(leaf.type) * leaf.count(), size_of(leaf.type)};
  }
  Placed whole;
  for (const Field& inner : field.fields) {
    std::vector<int64_t> scratch(offsets.size());
    const int64_t alignment = place(record, inner, 0, scratch).alignment;
    const int64_t at = round_up(whole.size, alignment);
    whole.size = at + place(record, inner, base + at, offsets).size;
    whole.alignment = std::max(whole.alignment, alignment);
  }
  whole.size = round_up(whole.size, whole.alignment);
  return whole;
}

bool lies_as(const RecordType& record, const Field& root) {
  std::vector<int64_t> offsets(record.leaves.size());
  if (place(record, root, 0, offsets).size != record.size) return false;
  return std::equal(offsets.begin(), offsets.end(), record.leaves.begin(),
                    [](int64_t offset, const Leaf& leaf) { return offset == leaf.offset; });
}

std::string declaration(const Leaf& leaf, const std::string& name) {
  std::string out = fmt::format("{} {}", cuda_type(leaf.type), name);
  if (!leaf.extents.empty()) out += fmt::format("[{}]", leaf.count());
  out += ';';
  if (leaf.extents.size() > 1) {
    out += "  // ";
    for (std::size_t k = 0; k < leaf.extents.size(); ++k)
      out += fmt::format("{}{}", k == 0 ? "" : " x ", leaf.extents[k]);
    out += ", row-major";
  }
  return out + '\n';
}

void print_fields(const RecordType& record, const Field& field, const std::string& path, int level,
                  std::string& out, std::vector<std::string>& members) {
  const std::string indent(static_cast<std::size_t>(2 * level), ' ');
  for (const Field& inner : field.fields) {
    const std::string member = path + "." + inner.name;
    if (inner.leaf != kInner) {
      members[inner.leaf] = member;
      out += indent + declaration(record.leaves[inner.leaf], inner.name);
      continue;
    }
    out += indent + "struct {\n";
    print_fields(record, inner, member, level + 1, out, members);
    out += indent + fmt::format("}} {};\n", inner.name);
  }
}

}  // namespace

const Records::Struct& Records::find(const RecordType& record) {
  const auto found = std::find_if(structs_.begin(), structs_.end(),
                                  [&](const Struct& s) { return s.type == record; });
  if (found != structs_.end()) return *found;
  Field root = field_tree(record, true);
  if (!lies_as(record, root)) root = field_tree(record, false);
  Struct added{
      record, names_.declare(record.name), std::vector<std::string>(record.leaves.size()), {}};
  added.definition = fmt::format("struct {} {{\n", added.name);
  print_fields(record, root, "", 1, added.definition, added.members);
  added.definition +=
      fmt::format("}};\nstatic_assert(sizeof({0}) == {1}, \"{0} is laid out as C does\");\n",
                  added.name, record.size);
  structs_.push_back(std::move(added));
  return structs_.back();
}

std::string Records::spelled(const RecordType& record) {
  return record.is_scalar() ? std::string(cuda_type(record.leaves[0].type)) : find(record).name;
}

std::string Records::member(const RecordType& record, uint32_t leaf) {
  return record.is_scalar() ? "" : find(record).members[leaf];
}

std::string Records::definitions() const {
  std::string out;
  for (const Struct& s : structs_) out += (out.empty() ? "" : "\n") + s.definition;
  return out;
}

}  // namespace cdsl::cuda
