// Rules that took more than one line of the language to settle: types of untyped definitions, private
// indices of `let`s, closed ends, facts about i32 parameters, many constant pieces.
#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

using testing::AssertionResult;

AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in\n" << text;
}

TEST(UntypedDefinition, FollowsTheTypedOne) {
  const std::string ir = tensor_ir_of(
      "fn f(x: f64[N]) -> (y: f64[N]) { v[0] = 5; v[1] = 0.1; v[i in 2..N] = x[i]; y[i] = v[i]; }");
  EXPECT_TRUE(contains(ir, "temporary v: f64[max(2, N)]"));
  EXPECT_TRUE(contains(ir, "v[0] = f64(5.0);"));
  EXPECT_TRUE(contains(ir, "v[1] = f64(0.1);"));
}

TEST(UntypedDefinition, TakesTheDefaultThatHoldsAll) {
  const std::string ir = tensor_ir_of("fn f() -> (y: f32[2]) { v[0] = 5; v[1] = 0.5; y[i] = v[i]; }");
  EXPECT_TRUE(contains(ir, "temporary v: f32[2]"));
}

TEST(UntypedDefinition, IsSettledByARead) {
  EXPECT_EQ(diagnostics_of("fn f(x: f32[N]) -> (y: f32[N]) { v[0] = 5; y[i] = x[i] + f32(v[0]); "
                           "v[i in 1..N] = x[i]; }"),
            "1:84 C0300");
}

TEST(UntypedState, IsProposedItsOwnType) {
  const Analyzed analyzed = analyze_program(
      "fn f(n: i32) -> (y: f32) { repeat t in 0..n from s = 0, q = 5000000000, r = 0.5 { s = s; } "
      "y = 1; }");
  std::string proposed;
  for (const Diagnostic& d : analyzed.sink.diagnostics()) proposed += d.fix_its.at(0).replacement;
  EXPECT_EQ(proposed, "i32(i64(f32(");
}

TEST(Let, ItsReductionIndexIsItsOwn) {
  EXPECT_EQ(diagnostics_of(R"(fn f(x: f32[M, N], w: f32[K]) -> (y: f32[M, N], z: f32[M]) {
  let m = max[j](x[i, j]);
  let n = max[j](w[j]);
  let s = sum[j](exp(x[i, j] - m));
  y[i, j] = (x[i, j] - m) / s + n;
  z[i] = sum[j](x[i, j] - m) + m * max[j](x[i, j]);
})"),
            "");
}

TEST(Let, ItsReductionIndexGivesNoRange) {
  const std::string ir = tensor_ir_of(
      "fn f(x: f32[M, N], w: f32[K]) -> (y: f32[M, N]) { let n = max[j](w[j]); v[i, j] = x[i, j] - n; "
      "y[i, j] = v[i, j]; }");
  EXPECT_FALSE(contains(ir, "check"));
}

TEST(Let, ItsReductionIndexMayNotHideWhatItSees) {
  EXPECT_EQ(diagnostics_of("fn f(x: f32[M, N]) -> (y: f32[M, N]) { let m = max[j](sum[j](x[i, j])); "
                           "y[i, j] = m; }"),
            "1:59 C0201");
}

TEST(ClosedRange, IsCheckedAtLaunchWhereItMayEndTooHigh) {
  EXPECT_TRUE(contains(tensor_ir_of("fn f(n: i64) -> (s: i64) { repeat t in 0..=n from s = n { s = s; } }"),
                       "check n < 9223372036854775807"));
  EXPECT_FALSE(contains(tensor_ir_of("fn f(x: f32[N], n: i32) -> (y: f32[N]) { y[i] = sum[k in 0..=i](x[k]) + "
                                     "sum[k in 0..=n](x.zero[k]) + sum[k in 0..=N-1](x[k]); }"),
                        "check"));
}

TEST(Proof, UsesComparisonsOfNarrowIntegers) {
  const std::string ir = tensor_ir_of(
      "fn f(x: f32[N + 8], P: i32) -> (y: f32[N]) where require P >= 0, require P <= 8 "
      "{ y[i] = x[i + P] + (if P > 2 && i >= P { x[i - P] } else { 0 }); }");
  EXPECT_FALSE(contains(ir, "check"));
}

TEST(Proof, DoesNotTrustNarrowArithmeticThatWraps) {
  const std::string ir = tensor_ir_of(
      "fn f(x: f32[N], P: i32) -> (y: f32[N]) { y[i] = if P + 1 > P && i >= P + 1 { x[i - P] } else { 0 }; }");
  EXPECT_TRUE(contains(ir, "@check"));
}

TEST(Coverage, OfThousandsOfConstantPieces) {
  std::string program = "fn f(x: f32[N]) -> (y: f32[40, 50], z: f32[N + 100]) {\n";
  for (int k = 0; k < 2000; ++k)
    program += "y[" + std::to_string(k / 50) + ", " + std::to_string(k % 50) + "] = 1;\n";
  for (int k = 0; k < 100; ++k) program += "z[" + std::to_string(k) + "] = 2;\n";
  EXPECT_EQ(diagnostics_of(program + "z[i in 100..N+100] = x[i-100]; }"), "");
}

TEST(Schedule, ThatNoDeviceCarriesOutIsAnError) {
  EXPECT_EQ(diagnostics_of("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }\n"
                           "schedule f for sm_80 { y: cluster(i: 2), threads(2048), transport(x: bulk); }"),
            "2:38 C0506 2:50 C0506 2:70 C0506");
}

}  // namespace
}  // namespace cdsl
