// Handlers of pure operators. Each operates on all 32 lanes, active or not: arithmetic is total,
// and results of inactive lanes are never looked at. Fast forms agree bit for bit with
// dsl/types/arithmetic.h.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

/// A fast handler for `op` on operands of type `operand` (d, a, b: slots); null where there is none
/// and `apply_generic` serves. `a_uniform`, `b_uniform`: the operands are kept once. The result is
/// uniform when all operands are.
Handler unary_handler(Op op, ScalarType operand, bool uniform);
Handler binary_handler(Op op, ScalarType operand, bool a_uniform, bool b_uniform);
/// d = a (a mask) ? b : c, by the type of the arms. Uniform arms have been made varying.
Handler select_handler(ScalarType type);
/// Conversion; null where `apply_generic` serves. A conversion that changes no bit of the register
/// is no instruction: `is_same_register` says so.
Handler cast_handler(ScalarType from, ScalarType to, bool uniform);
bool is_same_register(ScalarType from, ScalarType to);

/// info: row of Code::applies. Operates on active lanes only.
const Instruction* apply_generic(Warp& warp, const Instruction& i);

/// d = a in all 32 lanes, a uniform.
Handler broadcast_handler(ScalarType type);
/// d = a in the active lanes, neither uniform. `watched`: notes in the warp whether a lane changed.
Handler move_handler(ScalarType type, bool watched);

}  // namespace cdsl::sim
