#include "passes/lower/width.h"

#include <gtest/gtest.h>

#include "maker.h"

namespace cdsl::test {
namespace {

using tir::Role;

// y[i, j] = x[j, i] + x[i * 2 @wrap, j - 3 @clamp]
Maker twisted(int64_t n) {
  Maker m("twisted");
  const ExprId size = m.size("N");
  m.f.sizes[0].known = n;
  const TensorId x = m.tensor("x", ScalarType::F32, {size, size}, Role::Input),
                 y = m.tensor("y", ScalarType::F32, {size, size}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto [j, to] = m.index("j");
  AxisRule wrap, clamp;
  wrap.boundary = Boundary::Wrap;
  clamp.boundary = Boundary::Clamp;
  const ExprId value =
      m.add(m.read(x, {to, at}), m.read(x, {m.mul(at, m.n(2)), m.sub(to, m.n(3))}, {wrap, clamp}));
  m.add(m.stage({{i, m.n(0), size}, {j, m.n(0), size}}, {m.target(y, {at, to}, value)}));
  return m;
}

TEST(Width, SmallKnownSizesUse32Bits) {
  Maker m = twisted(40);
  const std::string text = lowered(m.f).text;
  EXPECT_EQ(text.find("i64", text.find("kernel")), std::string::npos) << text;
  expect_equal(m.f, arguments(m.f, {{"N", 40}}));
}

TEST(Width, LargeOnesStayAt64) {
  const std::string text = lowered(twisted(46341).f).text;  // N * N passes 2^31
  EXPECT_NE(text.find("point: i64"), std::string::npos) << text;
}

// x[600000000 * i], i in 0..3: the greatest index fits, and so does every step towards it.
TEST(Width, ScalesAreCheckedAtTheirEnds) {
  for (const auto& [scale, fits] :
       {std::pair<int64_t, bool>{600000000, true}, {1100000000, false}}) {
    Maker m("far");
    const TensorId x = m.tensor("x", ScalarType::F32, {m.n(3000000000)}, Role::Input),
                   y = m.tensor("y", ScalarType::F32, {m.n(3)}, Role::Output);
    const auto [i, at] = m.index("i");
    m.add(m.stage({{i, m.n(0), m.n(3)}}, {m.target(y, {at}, m.read(x, {m.mul(at, m.n(scale))}))}));
    const std::string text = lowered(m.f).text;
    EXPECT_EQ(text.find("x[i64(i) * ") == std::string::npos, fits) << text;
  }
}

// x[p[i] + 1] with p of i32: the sum may leave 32 bits.
TEST(Width, DataMayReachTheEndsOfItsType) {
  Maker m("gather");
  const TensorId x = m.tensor("x", ScalarType::F32, {m.n(9)}, Role::Input),
                 p = m.tensor("p", ScalarType::I32, {m.n(5)}, Role::Input);
  const TensorId y = m.tensor("y", ScalarType::F32, {m.n(5)}, Role::Output);
  const auto [i, at] = m.index("i");
  const ExprId from = m.add(m.arena().cast(m.read(p, {at}), ScalarType::I64), m.n(1));
  m.add(m.stage({{i, m.n(0), m.n(5)}}, {m.target(y, {at}, m.read(x, {from}, Boundary::Clamp))}));
  EXPECT_NE(lowered(m.f).text.find("i64(p[i])"), std::string::npos) << lowered(m.f).text;
  Arguments args = arguments(m.f, {});
  args.arrays.at("p").set(2, Value::of_int(INT32_MAX));
  expect_equal(m.f, args);
}

}  // namespace
}  // namespace cdsl::test
