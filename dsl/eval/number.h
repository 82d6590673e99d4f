// The evaluator's numbers: a value with a bound on how far an implementation's value may lie from it.
//
// error == 0: every correct implementation has exactly this value. error == infinity: nothing can be said (a comparison that
// rounding may flip decides between infinite answers, a pole within reach). Bounds are first order with a safety factor.
#pragma once

#include <span>

#include "dsl/expr/ops.h"
#include "dsl/types/scalar_type.h"
#include "dsl/types/value.h"

namespace cdsl::eval {

struct Number {
  Value value;
  double error = 0;
  double product = 0;   // of a product of finite factors that overflows: what it was; an fma adds to that

  bool exact() const { return error == 0; }
};

/// Unit roundoff of a type's arithmetic: 2^-24 for f32 and c64, 2^-53 for f64 and c128.
double unit_roundoff(ScalarType type);

/// `op` on numbers whose (first non-bool) type is `operand`; the result is not rounded, its error bound says how far a rounded one
/// may lie. Not for Cast, Select, && and ||.
Number apply_wide(Op op, ScalarType operand, std::span<const Number> args);

/// A conversion. An exact value rounds exactly: casts are never fused with anything.
Number convert_wide(Number value, ScalarType from, ScalarType to);

/// A value that lies within `error` of the real one, after rounding to a storage type of a store or cast.
Number round_wide(Number value, ScalarType type);

/// Whether some order of a product's factors passes through an infinity or an underflow that others avoid.
class PartialProducts {
 public:
  void add(double magnitude);
  bool may_leave(ScalarType type) const;

 private:
  double up_ = 0, down_ = 0;     // bits of the factors above 1, and below
  bool has_infinity_ = false, has_nan_ = false, has_zero_ = false;
};

/// What a sum of terms is, in any order: exact when no partial sum can round.
class WideSum {
 public:
  explicit WideSum(ScalarType accumulator, double roundoff) : type_(accumulator), roundoff_(roundoff) {}
  void add(const Number& term);
  Number result() const;

 private:
  void add_component(double x, double& high, double& low);

  ScalarType type_;
  double roundoff_;
  double high_ = 0, low_ = 0, high_im_ = 0, low_im_ = 0;   // double-double
  double magnitude_ = 0, finite_ = 0, error_ = 0;         // finite_: of the finite terms
  bool overflowed_ = false;                                // a term is a product that overflows
  int quantum_ = 4096;                                     // log2 of a power of two that divides every term
  int64_t count_ = 0;
};

}  // namespace cdsl::eval
