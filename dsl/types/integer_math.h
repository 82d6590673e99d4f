// Integer arithmetic of the language: wraps at the type's width; division truncates, and is total.
#pragma once

#include <span>

#include "dsl/expr/ops.h"
#include "dsl/types/value.h"

namespace cdsl {

/// `value` reduced modulo 2^width and extended to 64 bits by the type's sign.
Value wrap(Value value, ScalarType type);

/// Float to integer: toward zero, saturated, NaN is 0.
Value saturate(double value, ScalarType type);

Value apply_integer(Op op, ScalarType type, std::span<const Value> args);

}  // namespace cdsl
