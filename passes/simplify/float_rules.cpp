// Rules on f32 and f64 that IEEE 754 makes exact. `x + 0.0` stays (-0 + 0 is +0), `x * 0.0` and `x
// - x` stay (NaN, inf), `0.0 - x` stays (it is +0 for x = +0).
#include <cmath>

#include "passes/simplify/algebra.h"

namespace cdsl::simplification {
namespace {

using Result = std::optional<ExprId>;

Result multiply_by_one(Algebra& a, ExprId id) {
  if ((a.is(id, Op::Mul) || a.is(id, Op::Div)) && a.is_float_value(a.arg(id, 1), 1))
    return a.arg(id, 0);
  if (a.is(id, Op::Mul) && a.is_float_value(a.arg(id, 0), 1)) return a.arg(id, 1);
  return {};
}

Result negate_by_multiplying(Algebra& a, ExprId id) {
  if ((a.is(id, Op::Mul) || a.is(id, Op::Div)) && a.is_float_value(a.arg(id, 1), -1))
    return a.make(Op::Neg, {a.arg(id, 0)});
  if (a.is(id, Op::Mul) && a.is_float_value(a.arg(id, 0), -1))
    return a.make(Op::Neg, {a.arg(id, 1)});
  return {};
}

Result subtract_zero(Algebra& a, ExprId id) {
  if (a.is(id, Op::Sub) && a.is_float_value(a.arg(id, 1), 0.0)) return a.arg(id, 0);
  if (a.is(id, Op::Add) && a.is_float_value(a.arg(id, 1), -0.0)) return a.arg(id, 0);
  if (a.is(id, Op::Add) && a.is_float_value(a.arg(id, 0), -0.0)) return a.arg(id, 1);
  return {};
}

Result double_negation(Algebra& a, ExprId id) {
  if (a.is(id, Op::Neg) && a.is(a.arg(id, 0), Op::Neg)) return a.arg(a.arg(id, 0), 0);
  return {};
}

Result add_negative(Algebra& a, ExprId id) {
  if (a.is(id, Op::Add) && a.is(a.arg(id, 1), Op::Neg))
    return a.make(Op::Sub, {a.arg(id, 0), a.arg(a.arg(id, 1), 0)});
  if (a.is(id, Op::Sub) && a.is(a.arg(id, 1), Op::Neg))
    return a.make(Op::Add, {a.arg(id, 0), a.arg(a.arg(id, 1), 0)});
  return {};
}

// Quotient and product round the same real number, as long as the reciprocal itself is exact and
// normal.
Result divide_by_power_of_two(Algebra& a, ExprId id) {
  const Value* divisor = a.is(id, Op::Div) ? a.arena().constant_value(a.arg(id, 1)) : nullptr;
  if (divisor == nullptr || !std::isnormal(divisor->re)) return {};
  int exponent = 0;
  const bool power = std::fabs(std::frexp(divisor->re, &exponent)) == 0.5;
  const int least = a.arena().type(id) == ScalarType::F32 ? -126 : -1022;
  if (!power || exponent <= least + 2 || 1 - exponent <= least) return {};
  const ExprId reciprocal = a.arena().real(1 / divisor->re, a.arena().type(id));
  return a.make(Op::Mul, {a.arg(id, 0), reciprocal});
}

Result same_operand(Algebra& a, ExprId id) {
  const bool fits = a.is(id, Op::Min) || a.is(id, Op::Max);
  if (fits && a.arg(id, 0) == a.arg(id, 1)) return a.arg(id, 0);
  return {};
}

Result absolute(Algebra& a, ExprId id) {
  if (!a.is(id, Op::Abs)) return {};
  const ExprId inner = a.arg(id, 0);
  if (a.is(inner, Op::Abs)) return inner;
  if (a.is(inner, Op::Neg)) return a.make(Op::Abs, {a.arg(inner, 0)});
  return {};
}

constexpr Rule kRules[] = {
    {"multiply by one", "x * 1.0 -> x", multiply_by_one},
    {"negate by multiplying", "x * -1.0 -> -x", negate_by_multiplying},
    {"subtract zero", "x - 0.0 -> x", subtract_zero},
    {"double negation", "-(-x) -> x", double_negation},
    {"add a negative", "x + (-y) -> x - y", add_negative},
    {"divide by a power of two", "x / 4.0 -> x * 0.25", divide_by_power_of_two},
    {"same operand", "max(x, x) -> x", same_operand},
    {"absolute value", "abs(-x) -> abs(x)", absolute},
};

}  // namespace

std::span<const Rule> float_rules() {
  return kRules;
}

}  // namespace cdsl::simplification
