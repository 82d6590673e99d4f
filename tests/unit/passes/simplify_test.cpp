#include "passes/simplify/simplify.h"

#include <gtest/gtest.h>

#include "dsl/tensor/print.h"
#include "dsl/tensor/verify.h"
#include "maker.h"

namespace cdsl::test {
namespace {

using tir::Role;

tir::Function simplified(tir::Function f) {
  const Schedule schedule;
  Remarks remarks;
  PassContext context{schedule, remarks};
  tir::Function result = simplify(std::move(f), context);
  EXPECT_TRUE(tir::verify(result).empty()) << tir::verify(result)[0];
  return result;
}

struct Vectors {
  Maker m{"f"};
  ExprId n = m.size("N");
  TensorId x = m.tensor("x", ScalarType::F32, {n}, Role::Input),
           y = m.tensor("y", ScalarType::F32, {n}, Role::Output);
  SymbolId i = m.index("i").first;
  ExprId at = m.arena().symbol_ref(i);

  void define(TensorId tensor, ExprId value) {
    m.add(m.stage({{i, m.n(0), n}}, {m.target(tensor, {at}, value)}));
  }
  TensorId temporary(const std::string& name) {
    return m.tensor(name, ScalarType::F32, {n}, Role::Temporary);
  }
};

TEST(Simplify, ChainsOfUnreadIntermediatesGo) {
  Vectors v;
  const TensorId a = v.temporary("a"), b = v.temporary("b"), c = v.temporary("c");
  v.define(a, v.m.read(v.x, {v.at}));
  v.define(b, v.m.read(a, {v.at}));
  v.define(c, v.m.add(v.m.read(b, {v.at}),
                      v.m.read(c, {v.at})));  // reads itself: still nobody else does
  v.define(v.y, v.m.read(v.x, {v.at}));
  EXPECT_EQ(simplified(std::move(v.m.f)).body.statements.size(), 1u);
}

TEST(Simplify, WhatIsReadOrReportsStays) {
  Vectors v;
  const TensorId a = v.temporary("a"), b = v.temporary("b");
  v.define(a, v.m.read(v.x, {v.at}));
  v.define(b, v.m.read(v.x, {v.m.add(v.at, v.m.n(1))}, Boundary::None, Bounds::PerElement));
  v.define(v.y, v.m.read(a, {v.at}));
  EXPECT_EQ(simplified(std::move(v.m.f)).body.statements.size(), 3u);
}

TEST(Simplify, OneOfSeveralTargetsMayGo) {
  Vectors v;
  const TensorId a = v.temporary("a");
  const ExprId value = v.m.read(v.x, {v.at});
  v.m.add(v.m.stage({{v.i, v.m.n(0), v.n}},
                    {v.m.target(a, {v.at}, value), v.m.target(v.y, {v.at}, value)}));
  const tir::Function f = simplified(std::move(v.m.f));
  ASSERT_EQ(f.body.statements.size(), 1u);
  EXPECT_EQ(std::get<tir::Stage>(f.body.statements[0]).targets.size(), 1u);
}

TEST(Simplify, EmptyLoopsAndFalseGuardsGo) {
  Vectors v;
  const TensorId a = v.temporary("a");
  const auto [t, now] = v.m.index("t");
  std::vector<tir::Statement> body;
  body.push_back(v.m.stage({{v.i, v.m.n(0), v.n}}, {v.m.target(a, {v.at}, v.m.read(v.x, {v.at}))}));
  v.m.add(v.m.loop(tir::Loop::Kind::Repeat, t, v.m.n(0), v.n, std::move(body)));
  v.define(v.y, v.m.read(v.x, {v.at}));
  const auto [k, of] = v.m.index("k");
  const ExprId never = v.m.op(Op::Lt, {v.m.n(2), v.m.n(1)}),
               always = v.m.op(Op::Lt, {v.m.n(1), v.m.n(2)});
  v.m.add(v.m.stage({{k, v.m.n(0), v.n}}, {v.m.target(v.y, {of}, v.m.real(0))}, never));
  const auto [l, to] = v.m.index("l");
  v.m.add(v.m.stage({{l, v.m.n(0), v.n}}, {v.m.target(v.y, {to}, v.m.real(1))}, always));
  const tir::Function f = simplified(std::move(v.m.f));
  ASSERT_EQ(f.body.statements.size(), 2u);
  EXPECT_FALSE(std::get<tir::Stage>(f.body.statements[1]).domain.guard.valid());
}

// Two sums that a `let` put into one statement, and the sum of their squares.
TEST(Simplify, EqualReductionsBecomeOne) {
  Vectors v;
  const auto sum = [&](const std::string& name, ExprId inner) {
    const auto [k, of] = v.m.index(name);
    const ExprId term = inner.valid() ? v.m.mul(v.m.read(v.x, {of}), inner) : v.m.read(v.x, {of});
    return v.m.reduce(Monoid::Sum, {{k, v.m.n(0), v.n}}, term);
  };
  const ExprId a = sum("k", {}), b = sum("k", {}), other = sum("q", {});
  v.define(v.y, v.m.add(v.m.sub(sum("k", a), sum("k", b)), v.m.mul(a, v.m.sub(b, other))));
  const tir::Function f = simplified(std::move(v.m.f));
  const std::string text = tir::to_string(f);
  EXPECT_EQ(text, tir::to_string(simplified(simplified([&] {
              Vectors w;
              const auto again = [&](const std::string& name, ExprId inner) {
                const auto [k, of] = w.m.index(name);
                const ExprId term =
                    inner.valid() ? w.m.mul(w.m.read(w.x, {of}), inner) : w.m.read(w.x, {of});
                return w.m.reduce(Monoid::Sum, {{k, w.m.n(0), w.n}}, term);
              };
              const ExprId p = again("k", {}), q = again("k", {}), r = again("q", {});
              w.define(w.y,
                       w.m.add(w.m.sub(again("k", p), again("k", q)), w.m.mul(p, w.m.sub(q, r))));
              return std::move(w.m.f);
            }()))));
  std::size_t sums = 0;
  for (std::size_t from = text.find("sum<"); from != std::string::npos;
       from = text.find("sum<", from + 1))
    ++sums;
  EXPECT_LE(sums, 4u) << text;
}

TEST(Simplify, KnownSizesAreConstants) {
  Vectors v;
  v.m.f.sizes[0].known = 8;
  v.define(v.y, v.m.mul(v.m.read(v.x, {v.at}),
                        v.m.arena().cast(v.m.sub(v.n, v.m.n(7)), ScalarType::F32)));
  const tir::Function f = simplified(std::move(v.m.f));
  const tir::Target& target = std::get<tir::Stage>(f.body.statements[0]).targets[0];
  EXPECT_NE(f.arena.get_if<Read>(target.value), nullptr);
}

}  // namespace
}  // namespace cdsl::test
