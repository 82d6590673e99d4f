// Elements evaluated alone are what the evaluator of all elements gives, bounds included; what cannot be had alone is refused.
#include <gtest/gtest.h>

#include "api/spot_values.h"
#include "api/test_data.h"
#include "api/work.h"
#include "sema_fixture.h"

namespace cdsl {
namespace {

struct Case {
  tir::Function function;
  Arguments arguments;
  tir::Bound bound;
};

Case prepared(const std::string& text, const std::map<std::string, int64_t>& sizes) {
  Analyzed analyzed = analyze_program(text);
  EXPECT_TRUE(analyzed.functions.size() == 1) << diagnostics_of(analyzed);
  Case made{std::move(analyzed.functions.at(0)), {}, {}};
  made.arguments = make_arguments(made.function, {}, sizes, {DataOptions::Kind::Random, 7, false, false})->arguments;
  made.bound = tir::bind(made.function, made.arguments);
  EXPECT_TRUE(made.bound.errors.empty());
  return made;
}

class SameAsAll : public testing::TestWithParam<const char*> {};

TEST_P(SameAsAll, ElementByElement) {
  const Case made = prepared(GetParam(), {{"M", 6}, {"N", 9}, {"K", 5}, {"H", 6}, {"W", 7}});
  for (const eval::Mode mode : {eval::Mode::Wide, eval::Mode::Strict}) {
    const eval::Outcome all = eval::evaluate(made.function, made.arguments, mode);
    const SpotValues spots = spot_values(made.function, made.arguments, made.bound, mode, 1 << 20, 1);
    EXPECT_EQ(spots.checked(), spots.elements());
    EXPECT_EQ(spots.reports.size(), all.reports.size());
    ASSERT_EQ(spots.outputs.size(), all.outputs.size());
    for (const SpotOutput& output : spots.outputs) {
      EXPECT_EQ(output.refusal, "");
      const eval::Output& whole = all.outputs.at(output.name);
      ASSERT_EQ(output.values.size(), whole.value.size());
      for (std::size_t k = 0; k < output.values.size(); ++k) {
        const auto& [at, expected] = output.values[k];
        EXPECT_TRUE(same_bits(expected.stored, whole.array.get(at.flat, at.leaf, at.within))) << output.name << ' ' << k;
        EXPECT_EQ(expected.tolerance, whole.tolerance[k]) << output.name << ' ' << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Programs, SameAsAll,
    testing::Values(
        "fn f(x: f32[N], a: f32) -> (y: f32[N]) { y[i] = a * x[i]; }",
        "fn f(A: bf16[M, K], B: bf16[K, N], b: bf16[N]) -> (C: bf16[M, N]) { acc[m, n] = sum[k](A[m, k] * B[k, n]); "
        "C[m, n] = bf16(gelu(acc[m, n] + b[n])); }",
        "fn f(X: f32[M, N]) -> (Y: f32[M, N]) { top[i] = max[j](X[i, j]); den[i] = sum[j](exp(X[i, j] - top[i])); "
        "Y[i, j] = exp(X[i, j] - top[i]) / den[i]; }",
        "fn f(u: f32[H, W]) -> (v: f32[H, W]) { v[i, j] = u.clamp[i - 1, j] + u.zero[i, j + 1]; }",
        "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = sum[k in 0..=i](x[k]); }",
        "fn f(x: f32[M, N]) -> (y: f32[N, M]) { y[j, i] = x[i, j]; }",
        "fn f(x: f32[N], inout y: f32[N]) { y[i] = y[i] + x[i]; y[i in 1..N] = y[i - 1] * y[i]; }",
        "fn f(x: f32[N]) -> (y: f32[2 * N]) { y[i in N..2 * N] = x[i - N]; y[i in 0..N] = -x[N - 1 - i]; }",
        "struct P { x: f32; v: f32[2]; n: i32; } fn f(p: P[N]) -> (q: P[N]) { q[i] = p[i] with (x: p[i].x + p[i].v[1]); }",
        "fn f(x: f32[N], at: i32[N]) -> (y: f32[N]) { y[i] = x[at[i]]; }"));

std::string refusal_of(const std::string& text, int64_t n) {
  const Case made = prepared(text, {{"N", n}});
  const SpotValues spots = spot_values(made.function, made.arguments, made.bound, eval::Mode::Wide, 10, 1);
  EXPECT_EQ(spots.checked(), 0);
  return spots.outputs.at(0).refusal;
}

TEST(SpotValues, WhatHangsOnEverythingIsRefusedWithAReason) {
  EXPECT_EQ(refusal_of("fn f(x: u8[N]) -> (h: i32[256]) { scatter[i in 0..N] h[x[i]] += 1; }", 100), "a scatter writes 'h'");
  EXPECT_EQ(refusal_of("fn f(x: f32[N]) -> (y: f32[N]) { repeat t in 0..3 from u = x { u[i] = u[i] * 2; } y[i] = u[i]; }", 100),
            "a loop writes 'u'");
}

TEST(SpotValues, ASampleOfALargeOutputHasItsEndsAndIsTheSameAgain) {
  const Case made = prepared("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] + 1; }", {{"N", 5000}});
  const auto sample = [&](uint64_t seed) {
    std::vector<int64_t> places;
    const SpotValues spots = spot_values(made.function, made.arguments, made.bound, eval::Mode::Wide, 20, seed);
    for (const auto& [at, expected] : spots.outputs.at(0).values) places.push_back(at.flat);
    return places;
  };
  const auto places = sample(1);
  EXPECT_EQ(places.size(), 20u);
  EXPECT_EQ(places[0], 0);
  EXPECT_EQ(places[1], 4999);
  EXPECT_EQ(places, sample(1));
  EXPECT_NE(places, sample(2));
}

Work work_of(const std::string& text, const std::map<std::string, int64_t>& sizes) {
  const Case made = prepared(text, sizes);
  return count_work(made.function, made.bound.bindings);
}

TEST(Work, CountsEachOperationOnceForTheIndicesThatItDependsOn) {
  EXPECT_EQ(work_of("fn f(A: f32[M, K], B: f32[K, N]) -> (C: f32[M, N]) { C[m, n] = sum[k](A[m, k] * B[k, n]); }",
                    {{"M", 10}, {"N", 20}, {"K", 30}})
                .flop,
            2 * 10 * 20 * 30);
  // A row's maximum and sum once a row, not once an element.
  EXPECT_EQ(work_of("fn f(X: f32[M, N]) -> (Y: f32[M, N]) { Y[i, j] = X[i, j] / sum[k](X[i, k]); }", {{"M", 10}, {"N", 20}}).flop,
            10 * 20 + 10 * 20);
  // A running total is one addition an element.
  EXPECT_EQ(work_of("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = sum[k in 0..=i](x[k]); }", {{"N", 1000}}).flop, 1000);
  EXPECT_EQ(work_of("fn f(x: f64[N]) -> (y: f64[N]) { repeat t in 0..5 from y = x { y[i] = y[i] * 2; } }", {{"N", 10}}).flop64, 50);
  EXPECT_EQ(work_of("fn f(x: i32[N]) -> (y: i32[N]) { y[i] = x[i] * 2; }", {{"N", 10}}).flop, 0);
}

TEST(Work, StepsSayWhenTheEvaluatorTakesLong) {
  const char* total = "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = sum[k in 0..=i](x[k]); }";
  EXPECT_GT(work_of(total, {{"N", 10000}}).steps, 1e7);
  const char* scale = "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] * 2; }";
  EXPECT_LT(work_of(scale, {{"N", 10000}}).steps, 1e5);
}

}  // namespace
}  // namespace cdsl
