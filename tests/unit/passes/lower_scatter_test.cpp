#include <gtest/gtest.h>

#include "maker.h"

namespace cdsl::test {
namespace {

using tir::Role;
using tir::ScatterOp;

// scatter[i in 0..N] h[p[i]] op= x[i]
Maker histogram(ScatterOp op, ScalarType type, bool deterministic) {
  Maker m("hist");
  const ExprId n = m.size("N");
  const TensorId p = m.tensor("p", ScalarType::I32, {n}, Role::Input),
                 x = m.tensor("x", type, {n}, Role::Input);
  const TensorId h = m.tensor("h", type, {m.n(5)}, Role::InOut);
  const auto [i, at] = m.index("i");
  const ExprId bin = m.arena().cast(m.read(p, {at}), ScalarType::I64);
  m.add(m.scatter({{i, m.n(0), n}}, op, m.target(h, {bin}, m.read(x, {at}), Bounds::PerElement),
                  deterministic));
  return m;
}

TEST(LowerScatter, EveryOperatorOnEveryType) {
  using enum ScalarType;
  for (ScalarType type : {I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64}) {
    for (ScatterOp op : {ScatterOp::Add, ScatterOp::Mul, ScatterOp::Min, ScatterOp::Max,
                         ScatterOp::And, ScatterOp::Or, ScatterOp::Xor}) {
      if (is_float(type) && op >= ScatterOp::And) continue;
      for (bool deterministic : {false, true}) {
        Maker m = histogram(op, type, deterministic);
        const int64_t n = op == ScatterOp::Mul ? 20 : 300;
        expect_equal(m.f, arguments(m.f, {{"N", is_float(type) && op == ScatterOp::Mul ? 8 : n}}));
      }
    }
  }
}

TEST(LowerScatter, ComplexSumsByComponent) {
  for (ScatterOp op : {ScatterOp::Add, ScatterOp::Mul}) {
    Maker m = histogram(op, ScalarType::C64, false);
    Arguments args = arguments(m.f, {{"N", 6}});
    for (int64_t k = 0; k < 6; ++k)
      args.arrays.at("x").set(k, Value::of_complex(static_cast<double>(k), 1));
    expect_equal(m.f, args);
  }
  EXPECT_EQ(lowered(histogram(ScatterOp::Add, ScalarType::C64, false).f).remarks[0].choice,
            "atomic");
  EXPECT_EQ(lowered(histogram(ScatterOp::Mul, ScalarType::C64, false).f).remarks[0].choice,
            "serial");
}

TEST(LowerScatter, TheValueReadsTheTargetAsItWas) {
  Maker m("grow");
  const ExprId n = m.size("N");
  const TensorId h = m.tensor("h", ScalarType::I32, {n}, Role::InOut);
  const auto [i, at] = m.index("i");
  m.add(m.scatter({{i, m.n(0), n}}, ScatterOp::Add, m.target(h, {m.n(0)}, m.read(h, {at}))));
  EXPECT_EQ(lowered(m.f).remarks[0].choice, "atomic with snapshot");
  expect_equal(m.f, arguments(m.f, {{"N", 300}}));
}

}  // namespace
}  // namespace cdsl::test
