// Between host arrays (dense, row-major, C structs) and the memory that a parameter's layout asks
// for: parts of fields, groups of records, columns first, strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsl/tensor/array.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::runtime {

/// Where the elements of a tensor argument lie: element (s0, s1, ...) is number origin + sum(s[k] *
/// strides[k]) of the layout.
struct Placement {
  std::vector<LayoutPart> parts;
  std::vector<int64_t> strides;
  int64_t origin = 0;
  int64_t count = 0;  // elements that memory holds, gaps included
};

/// Placement of a tensor with these actual extents. A `strided` tensor is dense, unless `gap` > 0:
/// then each axis leaves that many elements free, as a view of a larger tensor would.
Placement place(const tir::Tensor& tensor, const RecordType& element,
                const std::vector<int64_t>& extents, int64_t gap = 0);

/// Are the array's bytes, as they are, those of the only part? Then nothing has to be packed.
bool is_plain(const Array& array, const Placement& placement);

/// Bytes of part `part`; those of gaps are `fill`.
std::vector<std::byte> pack(const Array& array, const Placement& placement, uint32_t part,
                            std::byte fill);

/// Copies one part back into the array (whose element type and shape say what is wanted).
void unpack(Array& array, const Placement& placement, uint32_t part,
            std::span<const std::byte> bytes);

}  // namespace cdsl::runtime
