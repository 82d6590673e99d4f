#include <gtest/gtest.h>

#include "dsl/expr/print.h"
#include "dsl/types/arithmetic.h"
#include "passes/simplify/algebra.h"

namespace cdsl {
namespace {

using simplification::Algebra;

class Rules : public testing::Test {
 protected:
  ExprArena arena;
  Algebra algebra{arena};

  ExprId var(const std::string& name, ScalarType type) {
    return arena.symbol_ref(arena.add_symbol(name, SymbolKind::Scalar, type));
  }
  ExprId make(Op op, std::initializer_list<ExprId> args) { return algebra.make(op, args); }
  std::string text(ExprId id) { return to_string(arena, id, {}); }
  ExprId i32(int64_t value) { return arena.integer(value, ScalarType::I32); }
  ExprId f32(double value) { return arena.real(value, ScalarType::F32); }
};

TEST_F(Rules, FoldsByTheLanguagesArithmetic) {
  EXPECT_EQ(make(Op::Rem, {i32(17), i32(5)}), i32(2));
  EXPECT_EQ(make(Op::Div, {i32(-5), i32(2)}), i32(-2));
  EXPECT_EQ(make(Op::Div, {i32(7), i32(0)}), i32(0));
  EXPECT_EQ(make(Op::FloorDiv, {i32(-5), i32(2)}), i32(-3));
  EXPECT_EQ(make(Op::Add, {i32(INT32_MAX), i32(1)}), i32(INT32_MIN));
  EXPECT_EQ(make(Op::Div, {f32(1), f32(3)}), f32(static_cast<float>(1.0F / 3.0F)));
  EXPECT_EQ(algebra.make_cast(f32(300), ScalarType::I8), arena.integer(127, ScalarType::I8));
}

TEST_F(Rules, LeavesFunctionsWithErrorToTheDevice) {
  const ExprId id = make(Op::Exp, {f32(1)});
  EXPECT_TRUE(arena.is_apply(id, Op::Exp));
  EXPECT_EQ(make(Op::Sqrt, {f32(4)}), f32(2));
}

TEST_F(Rules, IntegersRegroup) {
  const ExprId n = var("n", ScalarType::I64);
  const auto number = [&](int64_t value) { return arena.integer(value); };
  EXPECT_EQ(text(make(Op::Add, {make(Op::Add, {number(1), n}), number(2)})), "n + 3");
  EXPECT_EQ(text(make(Op::Sub, {make(Op::Add, {n, number(1)}), number(3)})), "n - 2");
  EXPECT_EQ(text(make(Op::Mul, {number(3), make(Op::Mul, {n, number(2)})})), "n * 6");
  EXPECT_EQ(make(Op::Mul, {n, number(0)}), number(0));
  EXPECT_EQ(make(Op::Sub, {n, n}), number(0));
  EXPECT_EQ(make(Op::Sub, {make(Op::Add, {n, number(1)}), number(1)}), n);
}

TEST_F(Rules, NothingIsAddedByEveryOperatorThatHasANeutralZero) {
  const ExprId n = var("n", ScalarType::I64), zero = arena.integer(0);
  for (const Op op : {Op::Add, Op::Sub, Op::Or, Op::Xor, Op::Shl, Op::Shr}) EXPECT_EQ(text(make(op, {n, zero})), "n");
}

TEST_F(Rules, FloatsKeepWhatIeeeDistinguishes) {
  const ExprId x = var("x", ScalarType::F32);
  EXPECT_EQ(make(Op::Mul, {x, f32(1)}), x);
  EXPECT_EQ(make(Op::Sub, {x, f32(0)}), x);
  EXPECT_EQ(make(Op::Add, {x, f32(-0.0)}), x);
  EXPECT_EQ(make(Op::Neg, {make(Op::Neg, {x})}), x);
  EXPECT_EQ(text(make(Op::Div, {x, f32(4)})), "x * 0.25");
  for (ExprId kept :
       {make(Op::Add, {x, f32(0)}), make(Op::Mul, {x, f32(0)}), make(Op::Sub, {x, x}),
        make(Op::Sub, {f32(0), x}), make(Op::Div, {x, f32(3)}), make(Op::Eq, {x, x})}) {
    EXPECT_NE(arena.get_if<Apply>(kept), nullptr);
    EXPECT_NE(kept, x);
  }
  EXPECT_TRUE(arena.is_apply(make(Op::LogicalNot, {make(Op::Lt, {x, f32(1)})}), Op::LogicalNot));
}

TEST_F(Rules, CastsGoWhereTheyKeepTheValue) {
  const ExprId n = var("n", ScalarType::I32), l = var("l", ScalarType::I64);
  EXPECT_EQ(algebra.make_cast(algebra.make_cast(n, ScalarType::I64), ScalarType::I32), n);
  EXPECT_EQ(text(algebra.make_cast(algebra.make_cast(n, ScalarType::I64), ScalarType::F32)),
            "f32(n)");
  EXPECT_EQ(text(algebra.make_cast(algebra.make_cast(l, ScalarType::I32), ScalarType::I64)),
            "i64(i32(l))");
  EXPECT_EQ(text(algebra.make_cast(algebra.make_cast(n, ScalarType::F32), ScalarType::I32)),
            "i32(f32(n))");
  EXPECT_EQ(text(algebra.make_cast(algebra.make_cast(l, ScalarType::I32), ScalarType::I8)),
            "i8(l)");
  const ExprId half = algebra.make_cast(arena.cast(f32(0.1), ScalarType::F16), ScalarType::F32);
  EXPECT_EQ(half, f32(0.0999755859375));
}

TEST_F(Rules, ReportsAreNotDropped) {
  AxisRule checked;
  const ExprId n = arena.integer(0);
  const ExprId read =
      arena.read(TensorId(0), 0, ScalarType::I32, std::span(&n, 1), std::span(&checked, 1));
  EXPECT_TRUE(arena.is_apply(make(Op::Mul, {read, i32(0)}), Op::Mul));
  EXPECT_TRUE(arena.is_apply(make(Op::Sub, {read, read}), Op::Sub));
}

}  // namespace
}  // namespace cdsl
