#include "dsl/types/record.h"

#include <algorithm>

#include "dsl/support/check.h"

namespace cdsl {
namespace {

int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr int64_t kPartAlignment = 256;

// A part that holds the given leaves of `element`, laid out as a record of its own.
LayoutPart part_with(const RecordType& element, const std::vector<uint32_t>& leaves) {
  LayoutPart part;
  part.leaf_of.assign(element.leaves.size(), LayoutPart::kAbsent);
  for (uint32_t leaf : leaves) {
    part.leaf_of[leaf] = static_cast<uint32_t>(part.element.leaves.size());
    part.element.leaves.push_back(element.leaves[leaf]);
  }
  const bool one_plain_leaf = leaves.size() == 1 && element.leaves[leaves[0]].extents.empty();
  if (one_plain_leaf) {
    part.element.leaves[0].path.clear();
  } else {
    part.element.name = element.name;
    for (uint32_t leaf : leaves) part.element.name += "_" + element.leaves[leaf].path;
    std::replace(part.element.name.begin(), part.element.name.end(), '.', '_');
  }
  lay_out(part.element);
  return part;
}

LayoutPart whole(const RecordType& element) {
  LayoutPart part;
  part.element = element;
  for (uint32_t leaf = 0; leaf < element.leaves.size(); ++leaf) part.leaf_of.push_back(leaf);
  return part;
}

// Groups of `width` records, each leaf an array of `width` (leaf's own extents innermost).
LayoutPart grouped(const RecordType& element, int64_t width) {
  LayoutPart part = whole(element);
  part.group = width;
  part.element.name = element.name + "_x" + std::to_string(width);
  for (Leaf& leaf : part.element.leaves) {
    leaf.extents.insert(leaf.extents.begin(), width);
    if (leaf.path.empty()) leaf.path = "value";
  }
  lay_out(part.element);
  return part;
}

}  // namespace

int64_t Leaf::count() const {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

int64_t side_by_side(const RecordType& record, uint32_t first) {
  const Leaf& leaf = record.leaves[first];
  const int64_t size = size_of(leaf.type);
  for (const int64_t bytes : {16, 8}) {
    const int64_t count = bytes / size;
    if (count < 2 || leaf.offset % bytes != 0 || record.size % bytes != 0) continue;
    if (first + static_cast<std::size_t>(count) > record.leaves.size()) continue;
    bool fits = true;
    for (int64_t k = 0; k < count; ++k) {
      const Leaf& next = record.leaves[first + static_cast<std::size_t>(k)];
      fits &= next.type == leaf.type && next.extents.empty() && next.offset == leaf.offset + k * size;
    }
    if (fits) return count;
  }
  return 1;
}

uint32_t begin_of_access(const RecordType& record, uint32_t leaf) {
  uint32_t first = 0;
  while (true) {
    const auto next = first + static_cast<uint32_t>(side_by_side(record, first));
    if (next > leaf) return first;
    first = next;
  }
}

RecordType scalar_record(ScalarType type) {
  RecordType record;
  record.leaves.push_back({"", type, {}, 0});
  record.size = record.alignment = size_of(type);
  return record;
}

void lay_out(RecordType& record) {
  int64_t offset = 0;
  record.alignment = 1;
  for (Leaf& leaf : record.leaves) {
    const int64_t unit = size_of(leaf.type);
    leaf.offset = round_up(offset, unit);
    offset = leaf.offset + unit * leaf.count();
    record.alignment = std::max(record.alignment, unit);
  }
  record.size = round_up(offset, record.alignment);
}

Layout decided(Layout layout) {
  if (layout.kind == Layout::Kind::Auto) layout.kind = Layout::Kind::Soa;
  return layout;
}

std::vector<LayoutPart> parts_of(const RecordType& element, const Layout& layout) {
  if (element.is_scalar()) return {whole(element)};
  std::vector<LayoutPart> parts;
  switch (layout.kind) {
    case Layout::Kind::Aos:
      return {whole(element)};
    case Layout::Kind::Soa:
      for (uint32_t leaf = 0; leaf < element.leaves.size(); ++leaf) parts.push_back(part_with(element, {leaf}));
      return parts;
    case Layout::Kind::Aosoa:
      return {grouped(element, layout.width)};
    case Layout::Kind::Split:
      for (const auto& group : layout.groups) parts.push_back(part_with(element, group));
      return parts;
    case Layout::Kind::Auto:
      CDSL_UNREACHABLE("layout(auto) must be decided before memory is laid out");
  }
  CDSL_UNREACHABLE("layout kind");
}

int64_t part_bytes(const LayoutPart& part, int64_t count) {
  return (count + part.group - 1) / part.group * part.element.size;
}

int64_t layout_bytes(const std::vector<LayoutPart>& parts, int64_t count) {
  int64_t total = 0;
  for (const LayoutPart& part : parts) total = round_up(total, kPartAlignment) + part_bytes(part, count);
  return total;
}

}  // namespace cdsl
