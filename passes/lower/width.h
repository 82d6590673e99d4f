// Index arithmetic in 32 bits. Lowering computes every index in i64. An expression is computed in i32 instead
//   where its interval, and that of everything in it, fits i32;
//   or where it is made of sums and products and its own value fits: as an element's place in a buffer of fewer than 2^31
//   elements, or as a register that lowering gives bounds. What wraps on the way comes out right.
// Sizes that are open may have any value, unless guards may say that they and the buffers are small.
//
// Requires: a verified program. Ensures: the same values everywhere, where the guards that it adds hold; the launch of a
// kernel with `items` starts at most ceil(items / block) blocks, as plan::Grid says. Example: `let i: i64 = point / 4096`
// becomes `let i: i32 = point / 4096` with point below 2^24.
#pragma once

#include "dsl/loop/program.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

/// A program and the function that it computes.
struct Lowered {
  const tir::Function& function;
  loop::Program program;
  std::vector<plan::Guard>* guards = nullptr;   // given: open sizes may be bounded by guards, which are added here
};

loop::Program narrow_indices(Lowered lowered, PassContext& context);

inline constexpr Pass<Lowered, loop::Program> kNarrow{
    "narrow", "index arithmetic in 32 bits where that gives the same values", narrow_indices};

}  // namespace cdsl
