// Index arithmetic of tile form is written where it is used: a Let of an integer or a test that reads no memory and costs a
// few operations takes no register of its own, so that proofs about addresses see the axes.
#pragma once

#include "dsl/loop/program.h"

namespace cdsl::lowering {

/// Requires: tile form. Changes no value.
void inline_indices(loop::Program& program, loop::Kernel& kernel);

}  // namespace cdsl::lowering
