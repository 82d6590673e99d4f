#include "runtime/host_layout.h"

#include <cstring>

#include "dsl/support/check.h"

namespace cdsl::runtime {
namespace {

/// Calls visit(flat, place) for every element: its row-major number and its number in memory.
template <class Visit>
void for_each_element(const std::vector<int64_t>& shape, const Placement& placement, const Visit& visit) {
  const std::vector<int64_t>& strides = placement.strides;
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  std::vector<int64_t> at(shape.size(), 0);
  int64_t place = placement.origin;
  for (int64_t flat = 0; flat < count; ++flat) {
    visit(flat, place);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      place += strides[axis];
      if (++at[axis] < shape[axis]) break;
      place -= strides[axis] * shape[axis];
      at[axis] = 0;
    }
  }
}

/// Calls copy(byte in the array, byte in the part, length) for every leaf of every element that
/// lies in the part.
template <class Copy>
void for_each_piece(const RecordType& element, const std::vector<int64_t>& shape,
                    const Placement& placement, uint32_t part_index, const Copy& copy) {
  const LayoutPart& part = placement.parts[part_index];
  for (std::size_t leaf = 0; leaf < element.leaves.size(); ++leaf) {
    const uint32_t there = part.leaf_of[leaf];
    if (there == LayoutPart::kAbsent) continue;
    const Leaf& from = element.leaves[leaf];
    const Leaf& to = part.element.leaves[there];
    const int64_t length = from.count() * size_of(from.type);
    for_each_element(shape, placement, [&](int64_t flat, int64_t place) {
      copy(flat * element.size + from.offset,
           place / part.group * part.element.size + to.offset + place % part.group * length,
           length);
    });
  }
}

}  // namespace

Placement place(const tir::Tensor& tensor, const RecordType& element,
                const std::vector<int64_t>& extents, int64_t gap) {
  Placement placement;
  placement.parts = parts_of(element, decided(tensor.layout));
  const std::size_t rank = extents.size();
  placement.strides.resize(rank);
  int64_t dense = 1;
  for (std::size_t step = 0; step < rank; ++step) {
    const std::size_t axis = tensor.order == tir::Order::ColMajor ? step : rank - 1 - step;
    if (tensor.order == tir::Order::Strided && gap > 0) dense += gap;
    placement.strides[axis] = dense;
    dense *= extents[axis];
  }
  placement.count = dense;
  return placement;
}

bool is_plain(const Array& array, const Placement& placement) {
  if (placement.parts.size() != 1 || array.element.leaves.size() != 1 || placement.parts[0].group != 1) return false;
  int64_t dense = 1;
  for (std::size_t axis = array.shape.size(); axis-- > 0; dense *= array.shape[axis]) {
    if (placement.strides[axis] != dense) return false;
  }
  return placement.origin == 0 && part_bytes(placement.parts[0], placement.count) == static_cast<int64_t>(array.bytes.size());
}

std::vector<std::byte> pack(const Array& array, const Placement& placement, uint32_t part,
                            std::byte fill) {
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(part_bytes(placement.parts[part], placement.count)), fill);
  for_each_piece(
      array.element, array.shape, placement, part, [&](int64_t from, int64_t to, int64_t length) {
        std::memcpy(bytes.data() + to, array.bytes.data() + from, static_cast<std::size_t>(length));
      });
  return bytes;
}

void unpack(Array& array, const Placement& placement, uint32_t part,
            std::span<const std::byte> bytes) {
  CDSL_CHECK(static_cast<int64_t>(bytes.size()) ==
             part_bytes(placement.parts[part], placement.count));
  for_each_piece(
      array.element, array.shape, placement, part, [&](int64_t to, int64_t from, int64_t length) {
        std::memcpy(array.bytes.data() + to, bytes.data() + from, static_cast<std::size_t>(length));
      });
}

}  // namespace cdsl::runtime
