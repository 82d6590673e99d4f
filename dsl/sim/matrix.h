// Matrix instructions: of a warp at once, of a warpgroup by the matrix unit, which is an agent.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

const Instruction* matrix_tiles(Warp& warp, const Instruction& i);      // info: row of Code::matrix_tiles
const Instruction* matrix_multiply(Warp& warp, const Instruction& i);   // of Code::matrices
const Instruction* matrix_async(Warp& warp, const Instruction& i);      // of Code::matrix_asyncs
const Instruction* matrix_batch(Warp& warp, const Instruction& i);      // info: pending << 2 | kind

/// The oldest matrix instruction that the warp has under way acts. Requires: there is one.
void matrix_unit_acts(Warp& warp);

}  // namespace cdsl::sim
