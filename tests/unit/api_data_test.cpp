// Made-up inputs: in range where they are subscripts, rising where they are bounds, extreme at the
// ends of axes.
#include <gtest/gtest.h>

#include "api/pipeline.h"
#include "api/test_data.h"

namespace cdsl {
namespace {

tir::Function function_of(const char* text) {
  const auto source = load_and_parse({"test.cdsl", text, {}, 20});
  auto function = analyze_function(*source, "f", {});
  EXPECT_TRUE(function.has_value());
  return std::move(*function);
}

MadeArguments made(const char* text, const std::map<std::string, int64_t>& sizes,
                   const DataOptions& options) {
  const tir::Function function = function_of(text);
  auto result = make_arguments(function, {}, sizes, options);
  EXPECT_TRUE(result.ok());
  return std::move(*result);
}

TEST(MadeData, SubscriptsStayInside) {
  const auto data = made("fn f(x: f32[M], at: i32[N]) -> (y: f32[N]) { y[n] = x[at[n]]; }",
                         {{"M", 7}, {"N", 200}}, {});
  const Array& at = data.arguments.arrays.at("at");
  for (int64_t k = 0; k < 200; ++k) {
    EXPECT_GE(at.get(k).i, 0);
    EXPECT_LT(at.get(k).i, 7);
  }
}

TEST(MadeData, BoundsOfRangesRiseUpToTheExtent) {
  const auto data = made(
      "fn f(row: i32[R + 1], v: f32[N]) -> (y: f32[R]) { y[r] = sum[t in row[r]..row[r + "
      "1]](v[t]); }",
      {{"R", 10}, {"N", 50}}, {});
  const Array& row = data.arguments.arrays.at("row");
  EXPECT_EQ(row.get(0).i, 0);
  EXPECT_EQ(row.get(10).i, 50);
  for (int64_t k = 0; k < 10; ++k) EXPECT_LE(row.get(k).i, row.get(k + 1).i);
}

TEST(MadeData, StepsAreFew) {
  const auto data = made(
      "fn f(u0: f32[N], steps: i32) -> (u: f32[N]) { repeat t in 0..steps from u = u0 { u[i] = "
      "u[i] + 1; } }",
      {{"N", 3}}, {});
  EXPECT_GE(data.arguments.scalars.at("steps").i, 1);
  EXPECT_LE(data.arguments.scalars.at("steps").i, 4);
}

TEST(MadeData, ExactDataIsExtremeAtTheEnds) {
  for (const bool swapped : {false, true}) {
    DataOptions options{DataOptions::Kind::Exact, 1, swapped, false};
    const auto data = made("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }", {{"N", 40}}, options);
    const Array& x = data.arguments.arrays.at("x");
    const double first = x.get(0).re, last = x.get(39).re;
    for (int64_t k = 1; k < 39; ++k) {
      EXPECT_NE(x.get(k).re, 0);
      EXPECT_LT(swapped ? last : first, x.get(k).re);
      EXPECT_GT(swapped ? first : last, x.get(k).re);
    }
  }
}

TEST(MadeData, IsTheSameForTheSameSeedOnly) {
  const char* text = "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }";
  const DataOptions one{DataOptions::Kind::Random, 1, false, false},
      two{DataOptions::Kind::Random, 2, false, false};
  const auto bytes = [&](const DataOptions& options) {
    return made(text, {{"N", 9}}, options).arguments.arrays.at("x").bytes;
  };
  EXPECT_EQ(bytes(one), bytes(one));
  EXPECT_NE(bytes(one), bytes(two));
}

TEST(MadeData, SaysWhatIsMissingAndWhatIsIllegal) {
  const tir::Function function = function_of("fn f(x: f32[N - 3]) -> (y: f32[N]) { y[i] = x[0]; }");
  EXPECT_NE(make_arguments(function, {}, {}, {}).message().find("size N is not given"),
            std::string::npos);
  EXPECT_NE(make_arguments(function, {}, {{"N", 1}}, {})->illegal.find("extent -2"),
            std::string::npos);
  EXPECT_NE(make_arguments(function, {}, {{"N", int64_t{1} << 60}}, {})->illegal.find("16 GiB"),
            std::string::npos);
}

}  // namespace
}  // namespace cdsl
