#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

// The right side of `y[i] = expression;` in the IR; y has type `type`, x: f32, d: f64, n: i32, b:
// u8, z: c64.
std::string value_of(const std::string& expression, const std::string& type = "f32") {
  const std::string ir = tensor_ir_of(
      "fn f(x: f32[N], d: f64[N], n: i32[N], b: u8[N], z: c64[N], m: f32) -> (y: " + type +
      "[N]) { y[i] = " + expression + "; }");
  const std::string start = "    y[i] = ";
  const auto at = ir.find(start);
  if (at == std::string::npos) return ir;
  return ir.substr(at + start.size(), ir.find(";\n", at) - at - start.size());
}

TEST(SemaValues, LiteralsTakeTheTypeOfWhatTheyMeet) {
  EXPECT_EQ(value_of("x[i] + 1"), "x[i] + 1.0");
  EXPECT_EQ(value_of("d[i] + 0.1", "f64"), "d[i] + f64(0.1)");
  EXPECT_EQ(value_of("x[i] + 0.1"), "x[i] + 0.1");
  EXPECT_EQ(value_of("n[i] + 2.0", "i32"), "n[i] + i32(2)");
  EXPECT_EQ(value_of("1 / 3.0 * x[i]"), "0.33333334 * x[i]");
  EXPECT_EQ(value_of("1 / 3.0 * d[i]", "f64"), "f64(0.3333333333333333) * d[i]");
  EXPECT_EQ(value_of("7", "u8"), "u8(7)");
  EXPECT_EQ(value_of("18446744073709551615", "u64"), "u64(18446744073709551615)");
  EXPECT_EQ(value_of("-9223372036854775808", "i64"), "-9223372036854775808");
}

TEST(SemaValues, ConstantExpressionsAreExact) {
  EXPECT_EQ(value_of("x[i] * (0.1 + 0.2)"), "x[i] * 0.3");
  EXPECT_EQ(value_of("16777216 + 1", "i32"), "i32(16777217)");
  EXPECT_EQ(value_of("65536 * 65536", "i64"), "4294967296");
  EXPECT_EQ(value_of("-8 / 2", "i32"), "i32(-4)");
  EXPECT_EQ(value_of("2 * pi", "f64"), "f64(6.283185307179586)");
  EXPECT_EQ(value_of("-inf"), "-inf");
}

TEST(SemaValues, FunctionsOfLiteralsWaitForTheirType) {
  EXPECT_EQ(value_of("sqrt(2) * d[i]", "f64"), "sqrt(f64(2.0)) * d[i]");
  EXPECT_EQ(value_of("sqrt(2) * x[i]"), "sqrt(2.0) * x[i]");
}

TEST(SemaValues, ChoicesOfLiteralsStayUntyped) {
  EXPECT_EQ(value_of("d[i] * (if i > 0 { 1 } else { 0.5 })", "f64"),
            "d[i] * (if i > 0 { f64(1.0) } else { f64(0.5) })");
  EXPECT_EQ(value_of("2 * (if i > 0 { 1 } else { 3 })", "i64"), "(if i > 0 { 2 } else { 6 })");
  EXPECT_EQ(value_of("d[i] * sum[k in 0..3](0.5)", "f64"), "d[i] * sum<f64>[k in 0..3](f64(0.5))");
}

TEST(SemaValues, IndexValuesTakeTheFloatTheyMeet) {
  EXPECT_EQ(value_of("x[i] / N"), "x[i] / f32(N)");
  EXPECT_EQ(value_of("d[i] * (i + 1)", "f64"), "d[i] * f64(i + 1)");
  EXPECT_EQ(value_of("1.0 / N * d[i]", "f64"), "f64(1.0) / f64(N) * d[i]");
  EXPECT_EQ(value_of("i * N", "i64"), "i * N");
  EXPECT_EQ(value_of("i + n[i]", "i64"), "i + i64(n[i])");
}

TEST(SemaValues, WideningIsSilent) {
  EXPECT_EQ(value_of("x[i] * d[i]", "f64"), "f64(x[i]) * d[i]");
  EXPECT_EQ(value_of("n[i]", "i64"), "i64(n[i])");
  EXPECT_EQ(value_of("b[i] + 1", "u8"), "b[i] + u8(1)");
}

TEST(SemaValues, ReductionsOfSmallIntegersAre32Bit) {
  EXPECT_EQ(value_of("f32(sum[k in 0..3](b[i]))"), "f32(sum<u32>[k in 0..3](u32(b[i])))");
  EXPECT_EQ(value_of("max[k in 0..3](b[i])", "u8"), "max<u8>[k in 0..3](b[i])");
  EXPECT_EQ(value_of("f32(sum<f64>[k in 0..3](x[i]))"), "f32(sum<f64>[k in 0..3](f64(x[i])))");
}

TEST(SemaValues, MeanDividesByTheNumberOfPoints) {
  EXPECT_EQ(value_of("mean[k in 0..4, l in 0..N](x[l])"),
            "sum<f32>[k in 0..4, l in 0..N](x[l]) / f32(4 * N)");
  EXPECT_EQ(value_of("mean[k if x[k] > 0](x[k])"),
            "sum<f32>[k in 0..N if x[k] > 0.0](x[k]) / f32(count<i64>[k_2 in 0..N if x[k_2] > "
            "0.0](true))");
}

TEST(SemaValues, RealsMeetComplexByComponent) {
  EXPECT_NE(value_of("z[i] + x[i]", "c64").find(".re + x[i], "), std::string::npos);
  EXPECT_NE(value_of("2 * z[i]", "c64").find("cplx(2.0 * "), std::string::npos);
  EXPECT_NE(value_of("1 / z[i]", "c64").find(", 0.0) / z[i]"), std::string::npos);
  EXPECT_EQ(value_of("abs(z[i])"), "abs(z[i])");
}

TEST(SemaValues, DefsAreGeneric) {
  const std::string ir = tensor_ir_of(
      "def sq(v) = v * v; def norm(v, m) = sq(v - m) / 2;"
      "fn f(x: f32[N], d: f64[N]) -> (y: f32[N], w: f64[N]) { y[i] = norm(x[i], 1); w[i] = "
      "norm(d[i], 0.1); }");
  EXPECT_NE(ir.find("x[i] - 1.0;"), std::string::npos) << ir;
  EXPECT_NE(ir.find("f64(0.1)"), std::string::npos) << ir;
}

TEST(SemaValues, ProgramsMayRedefineFunctions) {
  const std::string ir =
      tensor_ir_of("def relu(v) = v + 1; fn f(x: f32[N]) -> (y: f32[N]) { y[i] = relu(x[i]); }");
  EXPECT_NE(ir.find("y[i] = x[i] + 1.0;"), std::string::npos) << ir;
}

}  // namespace
}  // namespace cdsl
