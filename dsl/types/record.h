// Element types of tensors. Every element is a record of leaves; a scalar element is a record of one nameless leaf.
// Offsets follow the C struct ABI. A leaf may be a small array (`pos: f32[3]`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/types/scalar_type.h"

namespace cdsl {

struct Leaf {
  std::string path;               // "" for a scalar element, else "pos" or "body.mass"
  ScalarType type;
  std::vector<int64_t> extents;   // of a small array, outermost first; empty for a plain field
  int64_t offset = 0;             // bytes from the start of the record

  int64_t count() const;          // product of extents
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

struct RecordType {
  std::string name;               // "" for a scalar element
  std::vector<Leaf> leaves;
  int64_t size = 0;               // bytes, padding included
  int64_t alignment = 1;

  bool is_scalar() const { return name.empty(); }
  friend bool operator==(const RecordType&, const RecordType&) = default;
};

RecordType scalar_record(ScalarType type);

/// Sets offsets, size and alignment by the C struct rules, leaves in order. For records without nested records: those
/// are laid out by their declaration (frontend), since a nested record is padded to its own alignment.
void lay_out(RecordType& record);

/// How many leaves from `first` on one access moves: plain ones of one type, side by side, 16 bytes or else 8, aligned in every
/// record of an array that is aligned to as many bytes. 1 where there are none.
int64_t side_by_side(const RecordType& record, uint32_t first);

/// The leaf that begins the access by which `leaf` moves, where records are divided into such accesses from their first leaf on.
uint32_t begin_of_access(const RecordType& record, uint32_t leaf);

/// How the elements of a tensor of records lie in memory. Field access never changes with it.
struct Layout {
  enum class Kind : uint8_t { Aos, Soa, Aosoa, Split, Auto };
  Kind kind = Kind::Aos;
  int64_t width = 0;                               // Aosoa: records a group
  std::vector<std::vector<uint32_t>> groups;       // Split: leaves of each part
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// One contiguous piece of a tensor's memory after layout: an array of `element` records. Leaf `k` of the tensor's
/// element is `leaf_of[k]` of this part (or kAbsent).
struct LayoutPart {
  static constexpr uint32_t kAbsent = 0xffffffffu;
  RecordType element;
  std::vector<uint32_t> leaf_of;
  int64_t group = 1;               // tensor elements one `element` holds (AoSoA width), 1 otherwise
};

/// What stands for a layout that nobody has decided: `auto` is soa.
Layout decided(Layout layout);

/// The parts of a layout, in memory order. Part p starts at the sum of the sizes of earlier parts, each rounded up to
/// 256 bytes. Requires: layout.kind != Auto. (soa: a part a leaf; aos: one part; aosoa(w): one part of arrays of w.)
std::vector<LayoutPart> parts_of(const RecordType& element, const Layout& layout);

/// Bytes of one part holding `count` tensor elements, and of all parts with their alignment.
int64_t part_bytes(const LayoutPart& part, int64_t count);
int64_t layout_bytes(const std::vector<LayoutPart>& parts, int64_t count);

}  // namespace cdsl
