// Which inputs hold subscripts or bounds of ranges: what random values must respect to make sense
// of a program.
#pragma once

#include <map>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

/// One leaf of an integer input, or (with no tensor) an integer scalar parameter.
struct IndexSource {
  TensorId tensor;
  uint32_t leaf = 0;
  SymbolId scalar;
  auto operator<=>(const IndexSource&) const = default;
};

struct IndexUse {
  std::vector<ExprId> extents;  // of axes that its values subscript: the least bounds them
  bool is_bound = false;  // it bounds a range: values rise along its last axis, the extent included
};

std::map<IndexSource, IndexUse> index_uses(const tir::Function& function);

}  // namespace cdsl
