// Bounds of the evaluator's numbers where an implementation may differ: each was found by a random program.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "dsl/eval/number.h"

namespace cdsl::eval {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Number exact(double value) { return {Value::of_float(value)}; }

Number apply_f32(Op op, Number a, Number b = {}) {
  const Number both[] = {a, b};
  return apply_wide(op, ScalarType::F32, both);
}

TEST(Number, AnOverflowingProductMayBeFusedIntoASum) {
  const Number product = apply_f32(Op::Mul, exact(3e38), exact(2));
  EXPECT_EQ(product.value.re, kInfinity);
  EXPECT_TRUE(product.exact());
  EXPECT_TRUE(std::isinf(apply_f32(Op::Add, product, exact(-kInfinity)).error));   // NaN, or -inf by an fma
  EXPECT_TRUE(std::isinf(apply_f32(Op::Sub, product, exact(3e38)).error));         // inf, or 3e38
  EXPECT_TRUE(apply_f32(Op::Add, product, exact(1)).exact());                      // inf in both ways
  EXPECT_TRUE(std::isinf(apply_f32(Op::Add, apply_f32(Op::Neg, product), exact(kInfinity)).error));
}

TEST(Number, ASumOfAnOverflowingProductIsUnknown) {
  WideSum sum(ScalarType::F32, unit_roundoff(ScalarType::F32));
  sum.add(apply_f32(Op::Mul, exact(3e38), exact(2)));
  sum.add(exact(-kInfinity));
  EXPECT_TRUE(std::isinf(sum.result().error));
}

TEST(Number, ANaNOfWhichNothingIsKnownStaysUnknown) {
  WideSum sum(ScalarType::F32, unit_roundoff(ScalarType::F32));
  sum.add({Value::of_float(std::nan("")), kInfinity});
  EXPECT_TRUE(std::isinf(sum.result().error));
  EXPECT_TRUE(std::isinf(convert_wide({Value::of_float(std::nan("")), kInfinity}, ScalarType::F32, ScalarType::I32).error));
  EXPECT_EQ(convert_wide({Value::of_float(std::nan("")), kInfinity}, ScalarType::F32, ScalarType::Bool).error, 1);
}

TEST(Number, AnUncertainNumberByZeroIsUnknown) {
  // 2^-300 is 0 in f32, so that the quotient is NaN there.
  const Number tiny = apply_wide(Op::Ldexp, ScalarType::F32, std::array{exact(1), Number{Value::of_int(-300)}});
  EXPECT_TRUE(std::isinf(apply_f32(Op::Div, tiny, exact(0)).error));
}

TEST(Number, AnUncertainIntegerThatMayWrapIsUnknown) {
  const Number product[] = {{Value::of_int(63), 1}, {Value::of_int(4)}};
  EXPECT_TRUE(std::isinf(apply_wide(Op::Mul, ScalarType::U8, product).error));   // 252, or 256, which is 0
  EXPECT_EQ(apply_wide(Op::Mul, ScalarType::I32, product).error, 4);
}

TEST(Number, TheSignOfANaNIsUnknown) {
  EXPECT_EQ(apply_f32(Op::Copysign, exact(1.5), exact(std::nan(""))).error, 3);
  EXPECT_EQ(apply_f32(Op::SignBit, exact(std::nan(""))).error, 1);
  EXPECT_TRUE(apply_f32(Op::Copysign, exact(1.5), exact(-2)).exact());
}

}  // namespace
}  // namespace cdsl::eval
