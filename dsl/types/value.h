// One scalar value, its type known from context: integers and bool in `i` (u64 by bits, the others sign- or
// zero-extended to 64 bits), floats in `re` (every type up to f64 is exact in a double), complex in `re`, `im`.
#pragma once

#include <bit>
#include <cstdint>

namespace cdsl {

struct Value {
  union {
    int64_t i;
    double re;
  };
  double im = 0;

  constexpr Value() : i(0) {}
  static constexpr Value of_int(int64_t v) { Value r; r.i = v; return r; }
  static constexpr Value of_bool(bool v) { return of_int(v ? 1 : 0); }
  static constexpr Value of_float(double v) { Value r; r.re = v; return r; }
  static constexpr Value of_complex(double re, double im) { Value r; r.re = re; r.im = im; return r; }
  uint64_t bits() const { return std::bit_cast<uint64_t>(i); }

  /// Same bits (NaN equals itself, -0 differs from 0): equality for hash-consing, not for arithmetic.
  friend bool same_bits(const Value& a, const Value& b) {
    return a.i == b.i && std::bit_cast<uint64_t>(a.im) == std::bit_cast<uint64_t>(b.im);
  }
};

}  // namespace cdsl
