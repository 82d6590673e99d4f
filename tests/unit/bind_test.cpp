// Sizes at launch: those that only axes `1|N` carry, and the codes of launch errors.
#include <gtest/gtest.h>

#include "dsl/tensor/bind.h"
#include "sema_fixture.h"

namespace cdsl {
namespace {

tir::Bound bound(const std::string& program, const std::vector<std::pair<std::string, std::vector<int64_t>>>& arrays) {
  const Analyzed analyzed = analyze_program(program);
  Arguments arguments;
  for (const auto& [name, shape] : arrays) arguments.arrays[name] = Array::zeros(scalar_record(ScalarType::F32), shape);
  return tir::bind(analyzed.functions.at(0), arguments);
}

const char kBroadcast[] = "fn f(a: f32[1|N], b: f32[1|N]) -> (y: f32[N]) { y[i] = a[i] + b[i]; }";

TEST(Bind, ASizeOfAxesThatMayBeOne) {
  const auto n = [](int64_t a, int64_t b) {
    const tir::Bound result = bound(kBroadcast, {{"a", {a}}, {"b", {b}}});
    return result.errors.empty() ? result.shapes.back()[0] : -1;
  };
  EXPECT_EQ(n(1, 7), 7);
  EXPECT_EQ(n(7, 1), 7);
  EXPECT_EQ(n(7, 7), 7);
  EXPECT_EQ(n(1, 1), 1);
  EXPECT_EQ(n(1, 0), 0);
  EXPECT_EQ(n(7, 5), -1);
}

TEST(Bind, ErrorsHaveTheirCode) {
  const auto code = [](const std::string& program, int64_t n) {
    const tir::Bound result = bound(program, {{"x", {n}}});
    return result.errors.empty() ? std::string() : code_text(result.errors[0].code);
  };
  EXPECT_EQ(code("fn f(x: f32[N]) -> (y: f32[N]) where require N > 5 { y[i] = x[i]; }", 3), "C0640");
  EXPECT_EQ(code("fn f(x: f32[N]) -> (y: f32[N * N * N]) { y[i] = x.zero[i]; }", 2'000'000), "C0623");
  EXPECT_EQ(code("fn f(x: f32[2 * N]) -> (y: f32[N]) { y[i] = x[2 * i]; }", 3), "C0641");
  EXPECT_EQ(code("fn f(x: f32[N]) -> (y: f32[N - 5]) { y[i] = x[i]; }", 3), "C0641");
}

}  // namespace
}  // namespace cdsl
