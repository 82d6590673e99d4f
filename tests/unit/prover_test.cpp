// Proofs of bounds: what is always inside, what is surely outside, and what depends on the launch.
#include "dsl/ranges/prover.h"

#include <gtest/gtest.h>

#include "dsl/expr/integer.h"

namespace cdsl {
namespace {

class ProverTest : public testing::Test {
 protected:
  ExprArena arena;
  ExprId N = size("N"), M = size("M"), S = size("S");
  SymbolId i_symbol = arena.add_symbol("i", SymbolKind::Index), j_symbol = arena.add_symbol("j", SymbolKind::Index);
  ExprId i = arena.symbol_ref(i_symbol), j = arena.symbol_ref(j_symbol);

  ExprId size(const char* name) { return arena.symbol_ref(arena.add_symbol(name, SymbolKind::Size)); }
  ExprId n(int64_t value) { return arena.integer(value); }
  ExprId plus(ExprId a, ExprId b) { return arena.apply(Op::Add, {a, b}); }
  ExprId times(ExprId a, ExprId b) { return arena.apply(Op::Mul, {a, b}); }
  Context over(ExprId lo, ExprId hi) { return {{{i_symbol, lo, hi}}, {}}; }
  Verdict inside(const Context& context, ExprId subscript, ExprId extent, std::vector<ExprId> facts = {}) {
    return Prover(arena, std::move(facts)).inside(context, subscript, extent);
  }
};

TEST_F(ProverTest, BareIndexOverItsExtentIsInside) { EXPECT_EQ(inside(over(n(0), N), i, N), Verdict::Proved); }

TEST_F(ProverTest, NeighbourOfTheFirstElementIsOutside) {
  EXPECT_EQ(inside(over(n(0), N), plus(i, n(-1)), N), Verdict::Refuted);
}

TEST_F(ProverTest, InteriorReadsItsNeighbours) {
  const Context interior = over(n(1), plus(N, n(-1)));
  EXPECT_EQ(inside(interior, plus(i, n(-1)), N), Verdict::Proved);
  EXPECT_EQ(inside(interior, plus(i, n(1)), N), Verdict::Proved);
  EXPECT_EQ(inside(interior, plus(i, n(2)), N), Verdict::Refuted);
}

TEST_F(ProverTest, UnrelatedSizesDependOnTheLaunch) { EXPECT_EQ(inside(over(n(0), N), i, M), Verdict::Unknown); }

TEST_F(ProverTest, FactsHelp) {
  EXPECT_EQ(inside(over(n(0), N), i, M, {arena.apply(Op::Le, {N, M})}), Verdict::Proved);
}

TEST_F(ProverTest, GuardsHelp) {
  Context guarded = over(n(0), N);
  guarded.conditions.push_back(arena.apply(Op::LogicalAnd, {arena.apply(Op::Ge, {i, n(2)}), arena.apply(Op::Lt, {i, M})}));
  EXPECT_EQ(inside(guarded, plus(i, n(-2)), N), Verdict::Proved);
}

TEST_F(ProverTest, TriangularRanges) {
  Context triangle = over(n(0), N);
  triangle.axes.push_back({j_symbol, n(0), i});
  EXPECT_EQ(inside(triangle, j, N), Verdict::Proved);
  EXPECT_EQ(inside(triangle, arena.apply(Op::Sub, {arena.apply(Op::Sub, {i, j}), n(1)}), N), Verdict::Proved);
}

TEST_F(ProverTest, StridedWindowFitsItsOutputShape) {
  // y: (N - 3) / 2 + 1 outputs; reads x[2 i + j], j in 0..3
  const ExprId outputs = plus(arena.apply(Op::FloorDiv, {plus(N, n(-3)), n(2)}), n(1));
  Context window = over(n(0), outputs);
  window.axes.push_back({j_symbol, n(0), n(3)});
  EXPECT_EQ(inside(window, plus(times(n(2), i), j), N), Verdict::Proved);
}

TEST_F(ProverTest, ProductsOfSizesAreUnknownUnlessTheyCancel) {
  EXPECT_EQ(inside(over(n(0), N), times(S, i), N), Verdict::Unknown);
  EXPECT_EQ(inside(over(n(0), times(N, M)), i, times(N, M)), Verdict::Proved);
}

TEST_F(ProverTest, DivisionAndRemainder) {
  EXPECT_EQ(inside(over(n(0), times(n(8), N)), arena.apply(Op::Div, {i, n(8)}), N), Verdict::Proved);
  EXPECT_EQ(inside(over(n(0), N), arena.apply(Op::Rem, {i, n(8)}), n(8)), Verdict::Proved);
  EXPECT_EQ(inside(over(n(-4), N), arena.apply(Op::Rem, {i, n(8)}), n(8)), Verdict::Refuted);
}

TEST_F(ProverTest, EqualityOfExtents) {
  Prover prover(arena, {});
  EXPECT_EQ(prover.equal(plus(N, n(1)), plus(n(1), N)), Verdict::Proved);
  EXPECT_EQ(prover.equal(plus(N, n(1)), N), Verdict::Refuted);
  EXPECT_EQ(prover.equal(N, M), Verdict::Unknown);
}

TEST_F(ProverTest, PiecesThatPartitionAnAxis) {
  Prover prover(arena, {arena.apply(Op::Ge, {N, n(10)})});
  const Image low{over(n(0), n(5)), {i}}, high{over(n(5), N), {i}}, late{over(n(6), N), {i}};
  EXPECT_EQ(prover.disjoint(low, high), Verdict::Proved);
  EXPECT_EQ(prover.disjoint(high, late), Verdict::Refuted);
  EXPECT_EQ(prover.cover({low, high}, {N}), Verdict::Proved);
  EXPECT_EQ(prover.cover({low, late}, {N}), Verdict::Refuted);
}

TEST_F(ProverTest, TrianglesAndTheDiagonalCoverASquare) {
  const SymbolId r = arena.add_symbol("r", SymbolKind::Index);
  const ExprId row = arena.symbol_ref(r);
  const auto piece = [&](ExprId lo, ExprId hi) {
    return Image{{{{r, n(0), N}, {j_symbol, lo, hi}}, {}}, {row, j}};
  };
  const Image below = piece(n(0), row), above = piece(plus(row, n(1)), N);
  const Image diagonal{{{{r, n(0), N}}, {}}, {row, row}};
  Prover prover(arena, {});
  EXPECT_EQ(prover.disjoint(below, above), Verdict::Proved);
  EXPECT_EQ(prover.disjoint(below, diagonal), Verdict::Proved);
  EXPECT_EQ(prover.disjoint(below, below), Verdict::Refuted);
  EXPECT_EQ(prover.cover({below, diagonal, above}, {N, N}), Verdict::Proved);
  EXPECT_EQ(prover.cover({below, above}, {N, N}), Verdict::Refuted);
}

TEST_F(ProverTest, ConditionsThatAlwaysOrNeverHold) {
  Prover prover(arena, {});
  EXPECT_EQ(prover.holds(over(n(1), N), arena.apply(Op::Gt, {i, n(0)})), Verdict::Proved);
  EXPECT_EQ(prover.holds(over(n(1), N), arena.apply(Op::Lt, {i, n(0)})), Verdict::Refuted);
  EXPECT_EQ(prover.holds(over(n(1), N), arena.apply(Op::Lt, {i, n(7)})), Verdict::Unknown);
}

}  // namespace
}  // namespace cdsl
