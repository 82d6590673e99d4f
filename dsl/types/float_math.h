// Float arithmetic and functions of the language, rounded once to the type (f32 results come from f64 functions, f64
// results from the C library, composites from long double).
#pragma once

#include <span>

#include "dsl/expr/ops.h"
#include "dsl/types/value.h"

namespace cdsl {

/// Requires: `type` is f32 or f64 and operands have it (Ldexp: the second is an integer).
Value apply_float(Op op, ScalarType type, std::span<const Value> args);

/// The function of a FloatMath operator on doubles, not rounded further; shared with the evaluator's wide mode.
double float_function(Op op, double x, double y = 0, double z = 0);

/// IEEE 754-2019 minimum and maximum: NaN if either is, -0 < +0.
double minimum(double x, double y);
double maximum(double x, double y);

}  // namespace cdsl
