// Handlers of structured control: they narrow and restore the mask of active lanes. `jump` leads
// past what no lane takes.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

/// A lazily evaluated part of an expression, for the lanes where mask `a` holds (info 0) or does
/// not (info 1). Jumps behind its `leave` when there are none. Not a branch: the hardware
/// predicates such code.
const Instruction* enter_arm(Warp& warp, const Instruction& i);
const Instruction* leave(Warp& warp, const Instruction& i);  // restores the mask, pops

/// `if` on mask `a`: jumps to the else part, or to the instruction after `end_if` with info 1 when
/// there is none.
const Instruction* begin_if(Warp& warp, const Instruction& i);
const Instruction* begin_else(Warp& warp,
                              const Instruction& i);  // jumps behind the else part's `leave`

/// info: row of Code::loops. `begin_for` jumps behind `next_for`, which jumps to the body's first
/// instruction.
Handler begin_for_handler(ScalarType type);
Handler next_for_handler(ScalarType type);

const Instruction* begin_while(Warp& warp, const Instruction& i);
/// Leaves the loop for the lanes where `a` is false; jumps behind `repeat_while`.
const Instruction* test_while(Warp& warp, const Instruction& i);
/// Jumps to the condition. info 1: the loop may wait for memory, so the warp lets others run, and
/// sleeps until memory changes when a whole round changed nothing.
const Instruction* repeat_while(Warp& warp, const Instruction& i);

/// The end of the kernel.
const Instruction* finish(Warp& warp, const Instruction& i);

}  // namespace cdsl::sim
