// Takes out of a kernel what nobody reads: registers that lowering named in case somebody would,
// and parameters that only those needed.
//
// Requires: the kernel satisfies the invariants of lane form (docs/ir.md, 2.4).
// Ensures: each Let is read by a later statement that does something, or by a Let that is; each
//   global buffer and scalar of the kernel is used. What the kernel does is unchanged.
// Example: `let i = point / W; let j = point % W; y[point] = x[point];` loses both Lets, then `W`.
#pragma once

#include "dsl/loop/program.h"

namespace cdsl::lowering {

void prune(loop::Program& program, loop::Kernel& kernel);

}  // namespace cdsl::lowering
