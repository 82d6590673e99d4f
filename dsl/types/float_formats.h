// Narrow float formats by bits: IEEE half, bfloat16, and the two 8-bit formats of OCP.
#pragma once

#include <cstdint>

#include "dsl/types/scalar_type.h"

namespace cdsl {

/// The encoding of `value` rounded to nearest even. Overflow gives infinity in the 16-bit formats; the 8-bit ones
/// saturate at their greatest finite value, infinities included (docs/decisions/0013).
/// Requires: a float type of at most 2 bytes.
uint32_t encode_float(double value, ScalarType type);

/// The encoding of a value that the format has: as encode_float, but an infinity stays one where the format has it.
uint32_t encode_exact(double value, ScalarType type);

/// The value of an encoding, exact.
double decode_float(uint32_t bits, ScalarType type);

}  // namespace cdsl
