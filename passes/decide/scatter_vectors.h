// Which reads of a scatter a thread can make for neighbouring points at once: those of the element whose number, in memory, is the
// number of the point.
//
// Example: `scatter[i in 0..H, j in 0..W] h[x[i, j]] += w[i, j]` with x: u8[H, W], w: f32[H, W] takes 4 points at once: 4 bytes of x,
// 16 of w. A read `v[j]` stays what it is.
#pragma once

#include <string>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

struct VectorReads {
  std::vector<ExprId> reads;
  std::vector<TensorId> tensors;         // that they read, each once
  int64_t width = 1;                     // points at once
  double bytes = 0;                      // of one point
  int words = 0;                         // of registers that hold them for `width` points
  bool counts_back = false;              // indices of several axes are needed besides, which are found from the point's number
  std::string why_not;                   // set where there are none
};

/// Integers and floats of 2 to 8 bytes, and bytes, of tensors that the scatter does not write.
VectorReads vector_reads(const tir::Function& function, const tir::Scatter& scatter);

}  // namespace cdsl::deciding
