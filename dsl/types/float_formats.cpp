#include "dsl/types/float_formats.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/support/check.h"

namespace cdsl {
namespace {

struct Format {
  int exponent_bits, fraction_bits;
  bool has_infinity, saturates;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint32_t exponent_mask() const { return (1u << exponent_bits) - 1; }
  uint32_t sign_bit() const { return 1u << (exponent_bits + fraction_bits); }
};

Format format_of(ScalarType type) {
  switch (type) {
    case ScalarType::F16: return {5, 10, true, false};
    case ScalarType::BF16: return {8, 7, true, false};
    case ScalarType::F8E5M2: return {5, 2, true, true};
    case ScalarType::F8E4M3: return {4, 3, false, true};
    default: CDSL_UNREACHABLE("not a narrow float type");
  }
}

uint32_t infinity_bits(Format f) { return f.exponent_mask() << f.fraction_bits; }
uint32_t nan_bits(Format f) {
  if (f.saturates) return f.sign_bit() - 1;                     // 0x7F, as CUDA's conversions give
  return infinity_bits(f) | (1u << (f.fraction_bits - 1));
}

}  // namespace

uint32_t encode_float(double value, ScalarType type) {
  const Format f = format_of(type);
  const uint32_t sign = std::signbit(value) ? f.sign_bit() : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | nan_bits(f);
  const uint32_t first_illegal = f.has_infinity ? infinity_bits(f) : nan_bits(f);
  const uint32_t overflow = sign | (f.saturates ? first_illegal - 1 : first_illegal);
  if (std::isinf(magnitude)) return overflow;
  if (magnitude == 0) return sign;

  const int least_exponent = 1 - f.bias();
  const int exponent = std::max(std::ilogb(magnitude), least_exponent);
  // In units of the last place; nearbyint rounds to nearest even, and both scalings are exact.
  const double scaled = std::nearbyint(std::ldexp(magnitude, f.fraction_bits - exponent));
  const auto steps = static_cast<uint64_t>(scaled);              // the hidden bit included; may carry out
  const uint64_t code = (static_cast<uint64_t>(exponent - least_exponent) << f.fraction_bits) + steps;
  return code >= first_illegal ? overflow : sign | static_cast<uint32_t>(code);
}

uint32_t encode_exact(double value, ScalarType type) {
  const Format f = format_of(type);
  if (!std::isinf(value) || !f.has_infinity) return encode_float(value, type);
  return (std::signbit(value) ? f.sign_bit() : 0) | infinity_bits(f);
}

double decode_float(uint32_t bits, ScalarType type) {
  const Format f = format_of(type);
  const double sign = (bits & f.sign_bit()) != 0 ? -1.0 : 1.0;
  const uint32_t magnitude = bits & (f.sign_bit() - 1);
  if (f.has_infinity ? magnitude > infinity_bits(f) : magnitude == nan_bits(f)) {
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  if (f.has_infinity && magnitude == infinity_bits(f)) return sign * std::numeric_limits<double>::infinity();
  const uint32_t exponent = magnitude >> f.fraction_bits;
  const uint32_t fraction = magnitude & ((1u << f.fraction_bits) - 1);
  const uint32_t significand = exponent == 0 ? fraction : fraction | (1u << f.fraction_bits);
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - f.bias() - f.fraction_bits;
  return sign * std::ldexp(significand, scale);
}

}  // namespace cdsl
