// What every operator means on values: the one definition of the language's arithmetic (docs/language.md, section 7).
// Integers wrap at their width, division follows the language and not C++, floats round to the type after each
// operation. Used by the constant folder, by the evaluator's strict mode and by the simulator.
#pragma once

#include <cstdint>
#include <span>

#include "dsl/expr/ops.h"
#include "dsl/types/scalar_type.h"
#include "dsl/types/value.h"

namespace cdsl {

/// `value` of `from` converted to `to`: floats round to nearest even, float to integer truncates, saturates and maps
/// NaN to 0, integers wrap, anything to bool is `!= 0`.
Value convert(Value value, ScalarType from, ScalarType to);

/// `value` rounded to `type` (a no-op for f64; wraps for integers).
Value round_to(Value value, ScalarType type);

/// Result of `op` on operands of type `operand` (the type of the first non-bool operand; Select and comparisons
/// included), rounded to the result type. Requires: `op` is legal for the type. Not for Cast (see convert).
Value apply(Op op, ScalarType operand, std::span<const Value> args);

/// Reads and writes one element in its memory representation (little endian, IEEE / OCP formats).
Value load_element(const void* address, ScalarType type);
void store_element(void* address, ScalarType type, Value value);

/// Philox4x32-10 keyed as docs/language.md says; uniform in [0, 1) with 24 bits.
float rand_uniform(uint64_t seed, uint64_t counter);

}  // namespace cdsl
