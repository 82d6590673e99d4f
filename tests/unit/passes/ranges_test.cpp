// What ranges of indices prove about comparisons, where an index is the sum of a block's place and a thread's.
#include <gtest/gtest.h>

#include "dsl/expr/integer.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {
namespace {

class RangesOfSums : public testing::Test {
 protected:
  ExprId symbol(const char* name, SymbolKind kind = SymbolKind::Index) { return arena_.symbol_ref(arena_.add_symbol(name, kind)); }
  ExprId plus(ExprId a, int64_t b) { return index_add(arena_, a, arena_.integer(b)); }

  ExprArena arena_;
  ExprId block_ = symbol("block"), lane_ = symbol("lane"), size_ = symbol("N", SymbolKind::Size);
  ExprId index_ = index_add(arena_, block_, lane_);
};

TEST_F(RangesOfSums, TheSumIsKnownNotItsParts) {
  Ranges ranges(arena_);
  ranges.push_sum(index_, arena_.integer(2), plus(size_, -1));
  EXPECT_TRUE(ranges.nonnegative(plus(index_, -2)));
  EXPECT_FALSE(ranges.nonnegative(plus(index_, -3)));
  EXPECT_TRUE(ranges.less(plus(index_, 1), size_));
  EXPECT_FALSE(ranges.less(plus(index_, 2), size_));
  EXPECT_FALSE(ranges.nonnegative(block_));
  EXPECT_FALSE(ranges.nonnegative(index_add(arena_, index_, lane_)));
  EXPECT_TRUE(ranges.nonnegative(index_add(arena_, index_, index_)));
}

TEST_F(RangesOfSums, AnOrderIsDecidedWhereItHoldsEverywhereOrNowhere) {
  Ranges ranges(arena_);
  ranges.push_sum(index_, arena_.integer(1), plus(size_, -1));
  const ExprId zero = arena_.integer(0), last = plus(size_, -1);
  EXPECT_EQ(ranges.decided(Op::Gt, index_, zero), true);
  EXPECT_EQ(ranges.decided(Op::Le, index_, zero), false);
  EXPECT_EQ(ranges.decided(Op::Eq, index_, zero), false);
  EXPECT_EQ(ranges.decided(Op::Ne, index_, zero), true);
  EXPECT_EQ(ranges.decided(Op::Lt, index_, last), true);
  EXPECT_EQ(ranges.decided(Op::Ge, index_, last), false);
  EXPECT_EQ(ranges.decided(Op::Lt, index_, plus(size_, -2)), std::nullopt);
  EXPECT_EQ(ranges.decided(Op::Eq, index_, arena_.integer(1)), std::nullopt);
}

TEST_F(RangesOfSums, CoefficientsThatDoNotAgreeProveNothing) {
  Ranges ranges(arena_);
  const ExprId twice = index_add(arena_, index_mul(arena_, block_, arena_.integer(2)), lane_);
  ranges.push_sum(twice, arena_.integer(0), size_);
  EXPECT_TRUE(ranges.nonnegative(twice));
  EXPECT_FALSE(ranges.nonnegative(index_));
  EXPECT_TRUE(ranges.nonnegative(index_add(arena_, index_mul(arena_, block_, arena_.integer(6)), index_mul(arena_, lane_, arena_.integer(3)))));
  ranges.shrink(0);
  EXPECT_FALSE(ranges.nonnegative(twice));
}

}  // namespace
}  // namespace cdsl::lowering
