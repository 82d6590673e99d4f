// Index arithmetic in 32 bits where no intermediate can overflow. Lowering computes every index in
// i64; where all sizes are constants and the intervals of an expression and of everything in it fit
// i32, it is computed in i32 instead.
//
// Requires: a verified program. Ensures: the same values everywhere; the launch of a kernel with
// `items` starts at most ceil(items / block) blocks, as plan::Grid says. Example: `let i: i64 =
// point / 4096` becomes `let i: i32 = point / 4096` with point below 2^24.
#pragma once

#include "dsl/loop/program.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

/// A program and the function that it computes.
struct Lowered {
  const tir::Function& function;
  loop::Program program;
};

loop::Program narrow_indices(Lowered lowered, PassContext& context);

inline constexpr Pass<Lowered, loop::Program> kNarrow{
    "narrow", "index arithmetic in 32 bits where no intermediate can overflow", narrow_indices};

}  // namespace cdsl
