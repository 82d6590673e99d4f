// What tells warps of a block apart: named barriers, elected lanes, register budgets.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

// Handlers; info: row of Code::named_barriers, Code::elects, Code::budgets.
const Instruction* named_barrier(Warp& warp, const Instruction& i);
const Instruction* elect(Warp& warp, const Instruction& i);
/// A raise runs again until other warps gave up enough registers; the warp sleeps meanwhile.
const Instruction* register_budget(Warp& warp, const Instruction& i);

/// Registers of a thread at the start of a block of that many threads.
int entry_registers(int64_t threads);

}  // namespace cdsl::sim
