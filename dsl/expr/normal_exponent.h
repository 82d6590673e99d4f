// exp2 whose result is no denormal number: the hardware has an instruction for that, where any argument asks for two multiplications and
// a test more.
#pragma once

#include "dsl/expr/expr.h"

namespace cdsl {

/// The least argument of an f32 exp2 whose result is a normal number.
inline constexpr double kLeastNormalExponent = -126;

/// Is `id` an f32 exp2 of `max(x, c)` with a constant c that is not below that?
bool is_normal_exp2(const ExprArena& arena, ExprId id);

}  // namespace cdsl
