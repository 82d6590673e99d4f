// Judging results: equal where nothing may differ, within the bound elsewhere, and never by
// accident.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "api/compare.h"

namespace cdsl {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

eval::Output expected(ScalarType type, std::vector<double> values, double tolerance) {
  eval::Output output;
  output.array = Array::zeros(scalar_record(type), {static_cast<int64_t>(values.size())});
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto flat = static_cast<int64_t>(k);
    output.array.set(flat, is_integer(type) ? Value::of_int(static_cast<int64_t>(values[k]))
                                            : Value::of_float(values[k]));
  }
  output.value = values;
  output.imaginary.assign(values.size(), 0);
  output.tolerance.assign(values.size(), tolerance);
  return output;
}

Array array_of(ScalarType type, std::vector<double> values) {
  return expected(type, std::move(values), 0).array;
}

TEST(Compare, ExactMeansEqual) {
  const auto output = expected(ScalarType::F32, {1, 2, 3}, 0);
  EXPECT_EQ(compare("y", output, array_of(ScalarType::F32, {1, 2, 3}), false).wrong, 0);
  const Comparison off =
      compare("y", output, array_of(ScalarType::F32, {1, std::nextafter(2.0f, 3.0f), 3}), false);
  EXPECT_EQ(off.wrong, 1);
  EXPECT_EQ(off.exact, 3);
  EXPECT_EQ(off.worst, kInf);
  EXPECT_EQ(off.first.rfind("y[1] is 2.000000", 0), 0u) << off.first;
}

TEST(Compare, ErrorsAreMeasuredInUnitsOfTheBound) {
  const auto output = expected(ScalarType::F64, {1, 1}, 0.5);
  EXPECT_DOUBLE_EQ(compare("y", output, array_of(ScalarType::F64, {1.25, 1}), false).worst, 0.5);
  EXPECT_EQ(compare("y", output, array_of(ScalarType::F64, {1.5, 1}), false).wrong, 0);
  EXPECT_EQ(compare("y", output, array_of(ScalarType::F64, {1.51, 1}), false).wrong, 1);
}

TEST(Compare, NanAndInfinityOnlyEqualThemselves) {
  for (const double tolerance : {0.0, 0.5}) {
    const auto output = expected(ScalarType::F32, {kNan, kInf, -kInf, 1}, tolerance);
    EXPECT_EQ(compare("y", output, array_of(ScalarType::F32, {kNan, kInf, -kInf, 1}), true).wrong,
              0);
    EXPECT_EQ(compare("y", output, array_of(ScalarType::F32, {1, -kInf, kInf, kNan}), false).wrong,
              4);
    EXPECT_EQ(
        compare("y", output, array_of(ScalarType::F32, {kInf, kNan, 1e30, kInf}), false).wrong, 4);
  }
}

TEST(Compare, SignsOfZeroCountInStrictModeOnly) {
  const auto output = expected(ScalarType::F32, {0.0}, 0);
  EXPECT_EQ(compare("y", output, array_of(ScalarType::F32, {-0.0}), false).wrong, 0);
  EXPECT_EQ(compare("y", output, array_of(ScalarType::F32, {-0.0}), true).wrong, 1);
}

TEST(Compare, AnInfiniteBoundIsCountedAndNotJudged) {
  const Comparison result = compare("y", expected(ScalarType::I32, {1, 2}, kInf),
                                    array_of(ScalarType::I32, {7, 2}), false);
  EXPECT_EQ(result.unjudged, 2);
  EXPECT_EQ(result.exact + result.bounded + result.wrong, 0);
}

TEST(Compare, ShapesMustAgree) {
  EXPECT_EQ(
      compare("y", expected(ScalarType::I32, {1, 2}, 0), array_of(ScalarType::I32, {1}), false)
          .wrong,
      1);
}

}  // namespace
}  // namespace cdsl
