// The language's arithmetic on values: what the folder, the evaluator's strict mode and the simulator all compute.
#include "dsl/types/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dsl/types/float_formats.h"

namespace cdsl {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

int64_t integer(Op op, ScalarType type, int64_t x, int64_t y = 0) {
  const Value args[] = {Value::of_int(x), Value::of_int(y)};
  return apply(op, type, std::span<const Value>(args, static_cast<std::size_t>(info(op).arity))).i;
}

double real(Op op, ScalarType type, double x, double y = 0) {
  const Value args[] = {Value::of_float(x), Value::of_float(y)};
  return apply(op, type, std::span<const Value>(args, static_cast<std::size_t>(info(op).arity))).re;
}

int64_t to_integer(double x, ScalarType type) { return convert(Value::of_float(x), ScalarType::F32, type).i; }

TEST(IntegerArithmetic, DivisionTruncatesAndIsTotal) {
  using enum ScalarType;
  EXPECT_EQ(integer(Op::Div, I32, -5, 2), -2);
  EXPECT_EQ(integer(Op::Rem, I32, -5, 2), -1);
  EXPECT_EQ(integer(Op::Div, I32, 5, -2), -2);
  EXPECT_EQ(integer(Op::Rem, I32, 5, -2), 1);
  EXPECT_EQ(integer(Op::FloorDiv, I32, -5, 2), -3);
  EXPECT_EQ(integer(Op::FloorMod, I32, -5, 2), 1);
  EXPECT_EQ(integer(Op::Div, I32, 7, 0), 0);
  EXPECT_EQ(integer(Op::Rem, I32, 7, 0), 7);
  EXPECT_EQ(integer(Op::Div, I32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(integer(Op::Rem, I64, INT64_MIN, -1), 0);
  EXPECT_EQ(integer(Op::Div, I64, 9007199254740993, 1), 9007199254740993);
  EXPECT_EQ(integer(Op::Div, U64, -1, 2), INT64_MAX);
  EXPECT_EQ(integer(Op::FloorDiv, I64, 5, 0), 0);
  EXPECT_EQ(integer(Op::FloorMod, I64, -5, 0), -5);
}

TEST(IntegerArithmetic, WrapsAtTheWidth) {
  using enum ScalarType;
  EXPECT_EQ(integer(Op::Add, I8, 127, 1), -128);
  EXPECT_EQ(integer(Op::Abs, I8, -128), -128);
  EXPECT_EQ(integer(Op::Neg, U8, 1), 255);
  EXPECT_EQ(integer(Op::Mul, I64, 65536, 65536), 4294967296);
  EXPECT_EQ(integer(Op::Mul, I32, 65536, 65536), 0);
  EXPECT_EQ(integer(Op::BitNot, U16, 0), 65535);
}

TEST(IntegerArithmetic, ShiftsOutOfRange) {
  using enum ScalarType;
  EXPECT_EQ(integer(Op::Shl, U8, 3, 7), 128);
  EXPECT_EQ(integer(Op::Shl, I32, 1, 32), 0);
  EXPECT_EQ(integer(Op::Shl, I32, 1, -1), 0);
  EXPECT_EQ(integer(Op::Shr, I32, -8, 99), -1);
  EXPECT_EQ(integer(Op::Shr, U32, 8, 99), 0);
  EXPECT_EQ(integer(Op::Shr, I32, -8, 1), -4);
}

TEST(IntegerArithmetic, BitsCountAtTheWidth) {
  using enum ScalarType;
  EXPECT_EQ(integer(Op::LeadingZeros, I8, 1), 7);
  EXPECT_EQ(integer(Op::LeadingZeros, U32, 0), 32);
  EXPECT_EQ(integer(Op::PopCount, I8, -1), 8);
}

TEST(Conversions, FloatToIntegerSaturates) {
  using enum ScalarType;
  for (const auto& [x, i8, u8, i32] : {std::tuple{kInf, 127, 255, INT32_MAX}, std::tuple{510.0, 127, 255, 510},
                                      std::tuple{-200.0, -128, 0, -200}, std::tuple{kNan, 0, 0, 0}, std::tuple{-0.9, 0, 0, 0}}) {
    EXPECT_EQ(to_integer(x, I8), i8) << x;
    EXPECT_EQ(to_integer(x, U8), u8) << x;
    EXPECT_EQ(to_integer(x, I32), i32) << x;
  }
  EXPECT_EQ(static_cast<uint64_t>(to_integer(1e30, U64)), UINT64_MAX);
  EXPECT_EQ(to_integer(-1e30, I64), INT64_MIN);
}

TEST(Conversions, ToBoolIsNonzero) {
  for (const auto& [x, yes] : {std::pair{0.5, true}, {-0.3, true}, {0.0, false}, {-0.0, false}, {kNan, true}}) {
    EXPECT_EQ(to_integer(x, ScalarType::Bool) != 0, yes) << x;
  }
}

TEST(Conversions, IntegersRoundOnce) {
  const int64_t halfway_up = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;      // through f64 it would round down
  EXPECT_EQ(convert(Value::of_int(halfway_up), ScalarType::I64, ScalarType::F32).re, 0x1p60 + 0x1p37);
  EXPECT_EQ(convert(Value::of_int(-15), ScalarType::I64, ScalarType::U8).i, 241);
}

TEST(Floats, MinMaxPropagateNanAndOrderZeros) {
  using enum ScalarType;
  EXPECT_TRUE(std::isnan(real(Op::Max, F32, kNan, 1)));
  EXPECT_TRUE(std::isnan(real(Op::Min, F64, 1, kNan)));
  EXPECT_FALSE(std::signbit(real(Op::Max, F32, -0.0, 0.0)));
  EXPECT_TRUE(std::signbit(real(Op::Min, F32, 0.0, -0.0)));
  EXPECT_EQ(real(Op::FMax, F32, kNan, 1), 1);
}

TEST(Floats, KeepIeeeSpecialValues) {
  using enum ScalarType;
  EXPECT_TRUE(std::isnan(real(Op::Mul, F32, kInf, 0.0)));
  EXPECT_TRUE(std::signbit(real(Op::Mul, F32, -2, 0.0)));
  EXPECT_EQ(real(Op::Exp, F32, 89), kInf);
  EXPECT_EQ(real(Op::Div, F32, 1.1754943508222875e-38, 2), 5.877471754111438e-39);
  EXPECT_EQ(real(Op::Pow, F32, -2, 3), -8);
  EXPECT_NEAR(real(Op::Log, F32, 1e-40), -92.1034, 1e-4);
}

TEST(Floats, F32OperationsRound) {
  EXPECT_EQ(real(Op::Add, ScalarType::F32, 16777216, 1), 16777216);
  EXPECT_EQ(real(Op::Add, ScalarType::F64, 16777216, 1), 16777217);
}

TEST(Floats, InverseErrorFunctionsInvert) {
  for (double x : {1e-10, 0.1, 0.5, 0.9, 0.999999, -0.7}) EXPECT_NEAR(std::erf(real(Op::Erfinv, ScalarType::F64, x)), x, 1e-15);
  for (double y : {1e-300, 1e-20, 0.3, 1.0, 1.9}) {
    EXPECT_NEAR(std::erfc(real(Op::Erfcinv, ScalarType::F64, y)) / y, 1, 1e-12) << y;
  }
}

TEST(FloatFormats, EveryEncodingRoundTrips) {
  using enum ScalarType;
  for (ScalarType type : {F16, BF16, F8E4M3, F8E5M2}) {
    const uint32_t codes = 1u << (8 * size_of(type));
    for (uint32_t code = 0; code < codes; ++code) {
      const double value = decode_float(code, type);
      if (std::isnan(value)) continue;
      EXPECT_EQ(encode_exact(value, type), code) << name_of(type);
      if (!std::isfinite(value)) continue;
      EXPECT_EQ(encode_float(value, type), code) << name_of(type);
    }
  }
}

TEST(FloatFormats, OverflowRoundsTiesToEven) {
  using enum ScalarType;
  EXPECT_EQ(encode_float(65519.99, F16), 0x7BFFu);
  EXPECT_EQ(encode_float(65520, F16), 0x7C00u);
  EXPECT_EQ(encode_float(2049, F16), encode_float(2048, F16));
  EXPECT_EQ(encode_float(2051, F16), encode_float(2052, F16));
  EXPECT_EQ(decode_float(encode_float(1e9, F8E4M3), F8E4M3), 448);
  EXPECT_EQ(decode_float(encode_float(-kInf, F8E5M2), F8E5M2), -57344);
  EXPECT_TRUE(std::isnan(decode_float(encode_float(kNan, F8E4M3), F8E4M3)));
}

TEST(Random, MatchesTheKnownBlockOfPhilox) {
  // Random123's known answer for counter 0 and key 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  const uint32_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(rand_uniform(0, i), static_cast<float>(words[i] >> 8) * 0x1p-24f);
}

TEST(Complex, ProductAndQuotient) {
  const Value z = Value::of_complex(3, 4), w = Value::of_complex(1, -2);
  const Value both[] = {z, w};
  const Value product = apply(Op::Mul, ScalarType::C128, both);
  EXPECT_EQ(product.re, 11);
  EXPECT_EQ(product.im, -2);
  const Value quotient = apply(Op::Div, ScalarType::C128, both);
  EXPECT_NEAR(quotient.re, -1, 1e-15);
  EXPECT_NEAR(quotient.im, 2, 1e-15);
}

}  // namespace
}  // namespace cdsl
