#include <gtest/gtest.h>

#include <limits>

#include "maker.h"

namespace cdsl::test {
namespace {

using tir::Role;

TEST(LowerReduction, EveryMonoidOverRowsOfAnyLength) {
  for (Monoid monoid :
       {Monoid::Sum, Monoid::Prod, Monoid::Min, Monoid::Max, Monoid::ArgMin, Monoid::ArgMax}) {
    for (ScalarType type : {ScalarType::F32, ScalarType::I32, ScalarType::U8}) {
      Maker m("rows");
      const ExprId n = m.size("N"), k = m.size("K");
      const TensorId x = m.tensor("x", type, {n, k}, Role::Input);
      const bool arg = monoid == Monoid::ArgMin || monoid == Monoid::ArgMax;
      const TensorId y = m.tensor("y", type, {n}, Role::Output),
                     p = m.tensor("p", ScalarType::I64, {n}, Role::Output);
      const auto [i, at] = m.index("i");
      const auto [j, of] = m.index("j");
      const ExprId value = m.reduce(monoid, {{j, m.n(0), k}}, m.read(x, {at, of}));
      const ExprId place =
          arg ? m.arena().reduce(m.arena().get_if<Reduce>(value)->reduction, 1) : m.n(0);
      m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, value), m.target(p, {at}, place)}));
      for (int64_t extent : {0, 1, 7, 40})
        expect_equal(m.f, arguments(m.f, {{"N", 5}, {"K", extent}}));
    }
  }
}

TEST(LowerReduction, NanIsTheFirstArgument) {
  Maker m("nans");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::F32, {n}, Role::Input),
                 y = m.tensor("y", ScalarType::I64, {}, Role::Output);
  const auto [i, at] = m.index("i");
  m.add(m.stage(
      {}, {m.target(y, {}, m.reduce(Monoid::ArgMax, {{i, m.n(0), n}}, m.read(x, {at}), {}, 1))}));
  Arguments args = arguments(m.f, {{"N", 9}});
  args.arrays.at("x").set(6, Value::of_float(std::numeric_limits<double>::quiet_NaN()));
  args.arrays.at("x").set(4, Value::of_float(std::numeric_limits<double>::quiet_NaN()));
  expect_equal(m.f, args);
}

TEST(LowerReduction, GuardsCountsAndSeveralAxes) {
  Maker m("count");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::I32, {n, n}, Role::Input),
                 y = m.tensor("y", ScalarType::I64, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto [j, row] = m.index("j");
  const auto [k, col] = m.index("k");
  const ExprId positive =
      m.op(Op::Gt, {m.read(x, {row, col}), m.arena().integer(0, ScalarType::I32)});
  const ExprId guard = m.op(Op::Ne, {m.op(Op::FloorMod, {m.add(row, at), m.n(2)}), m.n(0)});
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at},
                                            m.reduce(Monoid::Count, {{j, m.n(0), n}, {k, row, n}},
                                                     positive, guard))}));
  for (int64_t extent : {1, 6, 20}) expect_equal(m.f, arguments(m.f, {{"N", extent}}));
}

// v[i] = sum[j](x[i, j] - sum[k](x[i, k])): the inner sum is the same for all j.
TEST(LowerReduction, InvariantReductionsLeaveTheLoop) {
  Maker m("centred");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::F32, {n, n}, Role::Input),
                 v = m.tensor("v", ScalarType::F32, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto [j, of] = m.index("j");
  const auto [k, in] = m.index("k");
  const ExprId inner = m.reduce(Monoid::Sum, {{k, m.n(0), n}}, m.read(x, {at, in}));
  m.add(m.stage({{i, m.n(0), n}}, {m.target(v, {at},
                                            m.reduce(Monoid::Sum, {{j, m.n(0), n}},
                                                     m.sub(m.read(x, {at, of}), inner)))}));
  const std::string text = lowered(m.f).text;
  EXPECT_LT(text.find("for k"), text.find("for j")) << text;
  expect_equal(m.f, arguments(m.f, {{"N", 12}}));
}

// Not so where the read is inside only because the outer range has points.
TEST(LowerReduction, InvariantReductionsThatMayNotRunStay) {
  Maker m("stay");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::F32, {n}, Role::Input),
                 v = m.tensor("v", ScalarType::F32, {m.mul(n, m.n(2))}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto [j, of] = m.index("j");
  const auto [k, in] = m.index("k");
  const ExprId inner =
      m.reduce(Monoid::Sum, {{k, m.n(0), m.n(2)}}, m.mul(m.read(x, {at}), m.read(x, {m.n(0)})));
  const ExprId outer = m.reduce(Monoid::Sum, {{j, at, n}}, m.add(m.read(x, {of}), inner));
  m.add(m.stage({{i, m.n(0), m.mul(n, m.n(2))}}, {m.target(v, {at}, outer)}));
  const std::string text = lowered(m.f).text;
  EXPECT_LT(text.find("for j"), text.find("for k")) << text;
  expect_equal(m.f, arguments(m.f, {{"N", 9}}));
}

TEST(LowerReduction, UserReducerSeesOldAccumulators) {
  Maker m("pair");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::F32, {n}, Role::Input),
                 y = m.tensor("y", ScalarType::F32, {m.n(2)}, Role::Output);
  const auto [i, at] = m.index("i");
  Reduction r;
  r.monoid = Monoid::User;
  r.name = "pair";
  r.commutative = false;
  r.axes = {{i, m.n(0), n}};
  r.types = {ScalarType::F32, ScalarType::F32};
  std::vector<ExprId> a, b;
  for (int part = 0; part < 2; ++part) {
    r.left.push_back(m.arena().add_symbol("a", SymbolKind::Local, ScalarType::F32));
    r.right.push_back(m.arena().add_symbol("b", SymbolKind::Local, ScalarType::F32));
    a.push_back(m.arena().symbol_ref(r.left.back()));
    b.push_back(m.arena().symbol_ref(r.right.back()));
  }
  r.lifted = {m.read(x, {at}), m.real(1)};
  r.identity = {m.real(0), m.real(0)};
  r.combine = {m.add(m.mul(a[1], b[0]), b[1]),
               m.sub(a[0], b[0])};  // swaps and mixes: order matters
  const ReductionId id = m.arena().add_reduction(r);
  m.add(m.stage({}, {m.target(y, {m.n(0)}, m.arena().reduce(id, 0)),
                     m.target(y, {m.n(1)}, m.arena().reduce(id, 1))}));
  EXPECT_EQ(lowered(m.f).program.kernels.size(), 1u);
  expect_equal(m.f, arguments(m.f, {{"N", 7}}));
}

// if x[i] > 0 { sum[j in 0..N](x[j]) } else { x[i - 1 @check] }
TEST(LowerReduction, LazyArmsRunOnlyWhereTaken) {
  Maker m("lazy");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::I32, {n}, Role::Input),
                 y = m.tensor("y", ScalarType::I32, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto [j, of] = m.index("j");
  const ExprId sum = m.reduce(Monoid::Sum, {{j, m.n(0), n}}, m.read(x, {of}));
  const ExprId other = m.read(x, {m.sub(at, m.n(1))}, Boundary::None, Bounds::PerElement);
  const ExprId chosen = m.op(Op::Select, {m.op(Op::Gt, {at, m.n(0)}), m.add(other, sum),
                                          m.arena().integer(5, ScalarType::I32)});
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, chosen)}));
  expect_equal(m.f, arguments(m.f, {{"N", 30}}));
}

TEST(LowerReduction, ConjunctionGuardsWhatNeedsStatements) {
  Maker m("and");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::I32, {n}, Role::Input),
                 y = m.tensor("y", ScalarType::Bool, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const ExprId zero = m.arena().integer(0, ScalarType::I32);
  const ExprId other =
      m.op(Op::Gt, {m.read(x, {m.sub(at, m.n(1))}, Boundary::None, Bounds::PerElement), zero});
  const ExprId both = m.op(Op::LogicalAnd, {m.op(Op::Ge, {at, m.n(1)}), other});
  const ExprId either = m.op(Op::LogicalOr, {m.op(Op::Lt, {at, m.n(1)}), other});
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, m.op(Op::LogicalAnd, {both, either}))}));
  expect_equal(m.f, arguments(m.f, {{"N", 30}}));
}

TEST(LowerReduction, LongSumsComeOutInShortLines) {
  Maker m("long");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::F32, {n}, Role::Input),
                 y = m.tensor("y", ScalarType::F32, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  ExprId left = m.read(x, {at}), right = m.read(x, {at});
  for (int k = 0; k < 20000; ++k) {
    left = m.add(left, m.real(k % 3));
    right = m.add(m.real(k % 5), right);
  }
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, m.sub(left, right))}));
  const std::string text = lowered(m.f).text;
  std::size_t longest = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    longest = std::max(longest, end - from);
    from = end + 1;
  }
  EXPECT_LT(longest, 400u);
  EXPECT_LT(text.size(), 1000000u);
  expect_equal(m.f, arguments(m.f, {{"N", 3}}));
}

// s_k = if c { s_(k-1) + 1 } else { s_(k-1) * 2 }, twenty times over, and a chain of 300 `else if`
// with reads.
TEST(LowerReduction, ChoicesStayLinear) {
  Maker m("choices");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::I32, {n}, Role::Input),
                 y = m.tensor("y", ScalarType::I32, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto number = [&](int64_t value) { return m.arena().integer(value, ScalarType::I32); };
  ExprId s = m.read(x, {at});
  for (int k = 0; k < 20; ++k) {
    s = m.op(Op::Select, {m.op(Op::Lt, {s, number(k)}), m.add(s, number(1)), m.sub(s, number(k))});
  }
  ExprId chain = number(-1);
  for (int k = 300; k-- > 0;) {
    const ExprId taken = m.read(x, {m.sub(at, m.n(k))}, Boundary::None, Bounds::PerElement);
    chain = m.op(Op::Select, {m.op(Op::Eq, {at, m.n(k)}), taken, chain});
  }
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, m.add(s, chain))}));
  const Lowered made = lowered(m.f);
  EXPECT_LT(made.text.size(), 200000u);
  expect_equal(m.f, arguments(m.f, {{"N", 310}}));
}

// s_k = (if c { s_(k-1) } else { 0 }) + (if d { s_(k-1) } else { 1 }): written out it would have
// 2^depth terms.
Maker shared_choices(int depth) {
  Maker m("shared");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::I32, {n}, Role::Input),
                 y = m.tensor("y", ScalarType::I32, {n}, Role::Output);
  const auto [i, at] = m.index("i");
  const auto number = [&](int64_t value) { return m.arena().integer(value, ScalarType::I32); };
  const ExprId first = m.read(x, {at});
  ExprId s = first;
  for (int k = 0; k < depth; ++k) {
    const ExprId a = m.op(Op::Select, {m.op(Op::Lt, {first, number(k - 10)}), s, number(0)});
    const ExprId b = m.op(Op::Select, {m.op(Op::Gt, {first, number(k - 14)}), s, number(1)});
    s = m.add(a, b);
  }
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, s)}));
  return m;
}

TEST(LowerReduction, ChoicesUsedByManyArmsAreSharedOnce) {
  EXPECT_LT(lowered(shared_choices(40).f).text.size(), 20000u);
  Maker m = shared_choices(10);
  expect_equal(m.f, arguments(m.f, {{"N", 40}}));
}

}  // namespace
}  // namespace cdsl::test
