// Handlers of what lanes do together, and with the host: barriers, fences, shuffles, votes,
// reports, atomics.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

const Instruction* barrier(Warp& warp, const Instruction& i);  // info: row of Code::barriers
const Instruction* fence(Warp& warp, const Instruction& i);    // for block scope and wider alike
const Instruction* shuffle(Warp& warp, const Instruction& i);  // info: row of Code::shuffles
const Instruction* vote(Warp& warp, const Instruction& i);     // info: row of Code::votes
const Instruction* check_bounds(Warp& warp, const Instruction& i);   // info: row of Code::bounds
const Instruction* report(Warp& warp, const Instruction& i);   // info: row of Code::reports
const Instruction* atomic(Warp& warp, const Instruction& i);   // info: row of Code::atomics

}  // namespace cdsl::sim
