#include "passes/lower/interval.h"

#include <gtest/gtest.h>

#include "dsl/expr/integer.h"

namespace cdsl::lowering {

static bool operator==(const Interval& a, const Interval& b) { return a.lo == b.lo && a.hi == b.hi; }
static void PrintTo(const Interval& a, std::ostream* out) { *out << a.lo << ".." << a.hi; }

namespace {

class IntervalOf : public testing::Test {
 protected:
  ExprArena arena;

  ExprId symbol(const std::string& name, ScalarType type = ScalarType::I64) {
    return arena.symbol_ref(arena.add_symbol(name, SymbolKind::Scalar, type));
  }
  /// What `op` gives where its operands lie in these.
  std::optional<Interval> result(Op op, std::optional<Interval> a, std::optional<Interval> b) {
    Intervals intervals(arena);
    std::vector<ExprId> args{symbol("a"), symbol("b")};
    intervals.define(arena.get_if<Symbol>(args[0])->symbol, a);
    intervals.define(arena.get_if<Symbol>(args[1])->symbol, b);
    return intervals.of(arena.apply(op, args));
  }
};

TEST_F(IntervalOf, RemaindersReachTheDivisorLessOne) {
  const Interval eight{8, 8};
  EXPECT_EQ(result(Op::FloorMod, Interval{-100, 100}, eight), (Interval{0, 7}));
  EXPECT_EQ(result(Op::FloorMod, Interval{0, 5}, eight), (Interval{0, 5}));
  EXPECT_EQ(result(Op::FloorMod, std::nullopt, eight), (Interval{0, 7}));
  EXPECT_EQ(result(Op::Rem, Interval{-100, 100}, eight), (Interval{-7, 7}));
  EXPECT_EQ(result(Op::Rem, Interval{-3, 2}, eight), (Interval{-3, 2}));
  EXPECT_EQ(result(Op::Rem, std::nullopt, eight), (Interval{-7, 7}));
  EXPECT_EQ(result(Op::FloorMod, Interval{-100, 100}, Interval{0, 8}), std::nullopt);
}

TEST_F(IntervalOf, QuotientsKnowDirections) {
  EXPECT_EQ(result(Op::Div, Interval{-9, 9}, Interval{2, 4}), (Interval{-4, 4}));
  EXPECT_EQ(result(Op::FloorDiv, Interval{-9, 9}, Interval{2, 4}), (Interval{-5, 4}));
  EXPECT_EQ(result(Op::FloorDiv, Interval{8, 9}, Interval{2, 4}), (Interval{0, 4}));
}

TEST_F(IntervalOf, SumsProductsAndChoices) {
  const Interval a{-2, 3}, b{5, 7};
  EXPECT_EQ(result(Op::Add, a, b), (Interval{3, 10}));
  EXPECT_EQ(result(Op::Sub, a, b), (Interval{-9, -2}));
  EXPECT_EQ(result(Op::Mul, a, b), (Interval{-14, 21}));
  EXPECT_EQ(result(Op::Min, a, b), (Interval{-2, 3}));
  EXPECT_EQ(result(Op::Max, a, b), (Interval{5, 7}));
  EXPECT_EQ(result(Op::Add, a, std::nullopt), std::nullopt);
  EXPECT_EQ(result(Op::Mul, Interval{0, INT64_MAX}, b), std::nullopt);
}

}  // namespace
}  // namespace cdsl::lowering
