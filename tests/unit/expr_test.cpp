// Hash-consing, traversal and text of scalar expressions.
#include "dsl/expr/expr.h"

#include <gtest/gtest.h>

#include "dsl/expr/integer.h"
#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"

namespace cdsl {
namespace {

class ExprTest : public testing::Test {
 protected:
  ExprArena arena;
  SymbolId x_symbol = arena.add_symbol("x", SymbolKind::Index);
  ExprId x = arena.symbol_ref(x_symbol);
  ExprId n(int64_t value) { return arena.integer(value); }
};

TEST_F(ExprTest, EqualNodesAreOne) {
  EXPECT_EQ(arena.apply(Op::Add, {x, n(1)}), arena.apply(Op::Add, {x, n(1)}));
  EXPECT_NE(arena.apply(Op::Add, {x, n(1)}), arena.apply(Op::Add, {n(1), x}));
  EXPECT_NE(arena.real(0.0, ScalarType::F32), arena.real(-0.0, ScalarType::F32));
  EXPECT_NE(arena.integer(1, ScalarType::I32), arena.integer(1, ScalarType::I64));
}

TEST_F(ExprTest, OperandsHaveSmallerIds) {
  const ExprId sum = arena.apply(Op::Add, {arena.apply(Op::Mul, {x, n(2)}), n(1)});
  for (ExprId id : postorder(arena, std::span(&sum, 1))) {
    for (ExprId arg : arena.args(id)) EXPECT_LT(arg, id);
  }
}

TEST_F(ExprTest, LongChainsNeedNoStack) {
  ExprId sum = x;
  for (int k = 0; k < 200'000; ++k) sum = arena.apply(Op::Add, {sum, n(k)});
  EXPECT_GT(postorder(arena, std::span(&sum, 1)).size(), 200'000u);
  EXPECT_EQ(free_symbols(arena, sum).size(), 1u);
  const ExprId replaced = substitute(arena, sum, {{x_symbol, n(5)}});
  EXPECT_TRUE(free_symbols(arena, replaced).empty());
}

TEST_F(ExprTest, IntegerBuildersDropUnits) {
  EXPECT_EQ(index_add(arena, x, n(0)), x);
  EXPECT_EQ(index_mul(arena, n(1), x), x);
  EXPECT_EQ(index_mul(arena, x, n(0)), n(0));
  EXPECT_EQ(index_add(arena, n(2), n(3)), n(5));
  EXPECT_EQ(index_sub(arena, index_add(arena, x, n(1)), n(1)), x);
  EXPECT_EQ(to_string(arena, index_add(arena, x, n(-1)), {}), "x - 1");
}

TEST_F(ExprTest, TextHasMinimalParentheses) {
  const ExprId sum = arena.apply(Op::Add, {x, n(1)});
  EXPECT_EQ(to_string(arena, arena.apply(Op::Mul, {sum, n(2)}), {}), "(x + 1) * 2");
  EXPECT_EQ(to_string(arena, arena.apply(Op::Sub, {x, sum}), {}), "x - (x + 1)");
  EXPECT_EQ(to_string(arena, arena.apply(Op::Neg, {sum}), {}), "-(x + 1)");
  EXPECT_EQ(to_string(arena, arena.cast(sum, ScalarType::F32), {}), "f32(x + 1)");
  EXPECT_EQ(to_string(arena, arena.real(0.1, ScalarType::F64), {}), "f64(0.1)");
}

TEST_F(ExprTest, FreeSymbolsLeaveBoundIndicesOut) {
  const SymbolId k = arena.add_symbol("k", SymbolKind::Index);
  Reduction r;
  r.axes = {{k, n(0), x}};
  r.types = {ScalarType::I64};
  r.lifted = {arena.symbol_ref(k)};
  const ExprId sum = arena.reduce(arena.add_reduction(r));
  EXPECT_EQ(free_symbols(arena, sum), std::vector{x_symbol});
  EXPECT_EQ(to_string(arena, sum, {}), "sum<i64>[k in 0..x](k)");
}

TEST_F(ExprTest, ReadsShareWhenRulesAreEqual) {
  const AxisRule clamp{Boundary::Clamp, Bounds::Proved, {}, {}}, wrap{Boundary::Wrap, Bounds::Proved, {}, {}};
  const auto read = [&](const AxisRule& rule) {
    return arena.read(TensorId(0), 0, ScalarType::F32, std::span(&x, 1), std::span(&rule, 1));
  };
  EXPECT_EQ(read(clamp), read(clamp));
  EXPECT_NE(read(clamp), read(wrap));
  EXPECT_EQ(to_string(arena, read(clamp), {}), "t0[x @clamp]");
}

}  // namespace
}  // namespace cdsl

namespace cdsl {
namespace {

// A caller may hold what an arena told it of a node while it adds others: a pointer into storage that had moved was read once.
TEST(ExprArena, WhatItHandsOutStaysGoodWhileItGrows) {
  ExprArena arena;
  const SymbolId first = arena.add_symbol("first", SymbolKind::Index);
  const ExprId x = arena.symbol_ref(first);
  const ExprId sum = arena.apply(Op::Add, {x, arena.integer(1)});
  const auto* symbol = arena.get_if<Symbol>(x);
  const auto args = arena.args(sum);
  const SymbolInfo& info = arena.symbol(first);
  for (int k = 0; k < 10000; ++k) {
    const ExprId more = arena.symbol_ref(arena.add_symbol("more", SymbolKind::Index));
    arena.apply(Op::Mul, {more, sum});
  }
  EXPECT_EQ(symbol->symbol, first);
  EXPECT_EQ(args[0], x);
  EXPECT_EQ(args.data(), arena.args(sum).data());
  EXPECT_EQ(info.name, "first");
}

TEST(ExprArena, ACopyGrowsOnItsOwn) {
  ExprArena arena;
  const ExprId x = arena.symbol_ref(arena.add_symbol("x", SymbolKind::Index));
  ExprId sum = x;
  for (int k = 0; k < 700; ++k) sum = arena.apply(Op::Add, {sum, arena.integer(k)});
  ExprArena copy = arena;
  const ExprId here = arena.apply(Op::Neg, {sum}), there = copy.apply(Op::Abs, {sum});
  EXPECT_EQ(here, there);
  EXPECT_TRUE(arena.is_apply(here, Op::Neg));
  EXPECT_TRUE(copy.is_apply(there, Op::Abs));
  EXPECT_EQ(copy.args(there)[0], sum);
  EXPECT_EQ(copy.args(sum)[1], copy.integer(699));
}

}  // namespace
}  // namespace cdsl
