// How expressions are spelled: the language's meaning in few helpers and few parentheses.
#include "codegen_fixture.h"

#include <limits>

namespace cdsl {
namespace {

using test::KernelText;
using T = ScalarType;

std::string of(T type, const std::function<ExprId(loop::Builder&, ExprId, ExprId, ExprId)>& make,
               T result) {
  KernelText text(type, result);
  return text.value([&](ExprId a, ExprId b, ExprId i) { return make(text.builder(), a, b, i); });
}
std::string of(T type, const std::function<ExprId(loop::Builder&, ExprId, ExprId, ExprId)>& make) {
  return of(type, make, type);
}

TEST(CodegenExpression, KeepsTheGroupingAndNoMore) {
  EXPECT_EQ(of(T::F32, [](auto& b, ExprId x, ExprId y, ExprId) { return b.mul(b.add(x, y), x); }),
            "(a + b) * a");
  EXPECT_EQ(of(T::F32, [](auto& b, ExprId x, ExprId y, ExprId) { return b.add(b.mul(x, y), x); }),
            "a * b + a");
  EXPECT_EQ(of(T::F32, [](auto& b, ExprId x, ExprId y, ExprId) { return b.sub(x, b.sub(y, x)); }),
            "a - (b - a)");
  EXPECT_EQ(of(T::F32, [](auto& b, ExprId x, ExprId,
                          ExprId) { return b.apply(Op::Neg, {b.apply(Op::Neg, {x})}); }),
            "-(-a)");
  EXPECT_EQ(of(T::F32, [](auto& b, ExprId x, ExprId,
                          ExprId) { return b.sub(x, b.arena().real(-1, T::F32)); }),
            "a - -1.0f");
}

TEST(CodegenExpression, IntegersWrap) {
  EXPECT_EQ(of(T::I32, [](auto& b, ExprId x, ExprId y, ExprId) { return b.add(x, y); }),
            "add_wrap(a, b)");
  EXPECT_EQ(of(T::U32, [](auto& b, ExprId x, ExprId y, ExprId) { return b.mul(x, y); }), "a * b");
  EXPECT_EQ(of(T::I8, [](auto& b, ExprId x, ExprId y, ExprId) { return b.mul(x, y); }),
            "(signed char)(a * b)");
  EXPECT_EQ(of(T::U16, [](auto& b, ExprId x, ExprId y, ExprId) { return b.mul(x, y); }),
            "(unsigned short)((unsigned int)a * b)");
}

TEST(CodegenExpression, NarrowIntegersWidenWithoutWrapping) {
  // 64 bits hold the sum of two 32-bit values.
  EXPECT_EQ(of(
                T::I32,
                [](auto& b, ExprId x, ExprId y, ExprId) {
                  return b.add(b.cast(x, T::I64), b.cast(y, T::I64));
                },
                T::I64),
            "(long long)a + b");
}

TEST(CodegenExpression, DivisionIsTotal) {
  EXPECT_EQ(of(T::I32,
               [](auto& b, ExprId x, ExprId y, ExprId) {
                 return b.apply(Op::Div, {x, y});
               }),
            "int_div(a, b)");
  EXPECT_EQ(of(T::I32,
               [](auto& b, ExprId x, ExprId, ExprId) {
                 return b.apply(Op::Div, {x, b.integer(7, T::I32)});
               }),
            "a / 7");
  EXPECT_EQ(of(T::I32,
               [](auto& b, ExprId x, ExprId, ExprId) {
                 return b.apply(Op::Div, {x, b.integer(-1, T::I32)});
               }),
            "int_div(a, -1)");
  EXPECT_EQ(of(T::I32,
               [](auto& b, ExprId x, ExprId, ExprId) {
                 return b.apply(Op::Rem, {x, b.integer(0, T::I32)});
               }),
            "int_rem(a, 0)");
}

TEST(CodegenExpression, IndexArithmeticIsPlain) {
  // i counts from 0 to N, so i >= 0 and N > 0.
  const auto by_size = [](Op op) {
    KernelText text(T::F32, T::I64);
    return text.value([&](ExprId, ExprId, ExprId i) {
      return text.builder().apply(op, {i, text.n()});
    });
  };
  EXPECT_EQ(by_size(Op::FloorDiv), "i / N");
  EXPECT_EQ(by_size(Op::FloorMod), "i % N");
  EXPECT_EQ(by_size(Op::Add), "i + N");
  EXPECT_EQ(by_size(Op::Mul), "mul_wrap(i, N)") << "a value, not an address: may exceed 63 bits";
}

TEST(CodegenExpression, DivisionByASizeThatMayBeZeroIsNotPlain) {
  KernelText text(T::F32, T::I64);
  const ExprId p = text.builder().parameter("P", T::I64);
  EXPECT_EQ(text.value([&](ExprId, ExprId, ExprId i) {
    return text.builder().apply(Op::FloorDiv, {i, p});
  }),
            "int_div(i, P)");
}

TEST(CodegenExpression, Shifts) {
  const auto shift = [](T type, Op op, int64_t count) {
    return of(type, [&](auto& b, ExprId x, ExprId, ExprId) {
      return b.apply(op, {x, b.integer(count, T::I32)});
    });
  };
  EXPECT_EQ(shift(T::U32, Op::Shl, 3), "a << 3");
  EXPECT_EQ(shift(T::I32, Op::Shl, 3), "shift_left(a, 3)");
  EXPECT_EQ(shift(T::I32, Op::Shr, 3), "a >> 3");
  EXPECT_EQ(shift(T::U32, Op::Shr, 32), "shift_right(a, 32)");
  EXPECT_EQ(shift(T::U8, Op::Shl, 7), "(unsigned char)(a << 7)");
}

TEST(CodegenExpression, Literals) {
  const auto constant = [](T type, Value value) {
    return of(type,
              [&](auto& b, ExprId, ExprId, ExprId) { return b.arena().constant(type, value); });
  };
  EXPECT_EQ(constant(T::F32, Value::of_float(0.1f)), "0.1f");
  EXPECT_EQ(constant(T::F32, Value::of_float(1e20f)), "1e+20f");
  EXPECT_EQ(constant(T::F64, Value::of_float(3)), "3.0");
  EXPECT_EQ(constant(T::F32, Value::of_float(std::numeric_limits<double>::infinity())),
            "inf_f32()");
  EXPECT_EQ(constant(T::I32, Value::of_int(std::numeric_limits<int32_t>::min())),
            "(-2147483647 - 1)");
  EXPECT_EQ(constant(T::I64, Value::of_int(std::numeric_limits<int64_t>::min())),
            "(-9223372036854775807LL - 1)");
  EXPECT_EQ(constant(T::U64, Value::of_int(-1)), "18446744073709551615ull");
  EXPECT_EQ(constant(T::BF16, Value::of_float(1)), "bf16{0x3f80}");
}

TEST(CodegenExpression, Conversions) {
  const auto cast = [](T from, T to) {
    return of(
        from, [&](auto& b, ExprId x, ExprId, ExprId) { return b.cast(x, to); }, to);
  };
  EXPECT_EQ(cast(T::F32, T::I8), "to_i8(a)");
  EXPECT_EQ(cast(T::F64, T::U64), "to_u64(a)");
  EXPECT_EQ(cast(T::F32, T::Bool), "a != 0.0f");
  EXPECT_EQ(cast(T::F16, T::F32), "to_f32(a)");
  EXPECT_EQ(cast(T::I64, T::BF16), "to_bf16((float)a)");
  EXPECT_EQ(cast(T::F16, T::I32), "to_i32(to_f32(a))");
  EXPECT_EQ(cast(T::I32, T::C128), "c128{(double)a, 0.0}");
  EXPECT_EQ(cast(T::I32, T::I64), "a") << "C++ widens by itself";
}

TEST(CodegenExpression, ExponentsThatKeepResultsNormal) {
  const auto exp2_from = [](double least) {
    return of(T::F32, [&](auto& b, ExprId x, ExprId, ExprId) {
      return b.apply(Op::Exp2, {b.apply(Op::Max, {x, b.arena().real(least, T::F32)})});
    });
  };
  EXPECT_EQ(exp2_from(-126), "exp2_normal(max_nan(a, -126.0f))");
  EXPECT_EQ(exp2_from(-127), "exp2f(max_nan(a, -127.0f))");
}

TEST(CodegenExpression, MinAndMaxKeepNan) {
  EXPECT_EQ(of(T::F32,
               [](auto& b, ExprId x, ExprId y, ExprId) {
                 return b.apply(Op::Max, {x, y});
               }),
            "max_nan(a, b)");
  EXPECT_EQ(of(T::I64,
               [](auto& b, ExprId, ExprId, ExprId i) {
                 return b.apply(Op::Min, {i, b.integer(5)});
               }),
            "min(i, 5LL)");
}

TEST(CodegenExpression, ChoicesAndLogicStayLazy) {
  EXPECT_EQ(of(T::F32,
               [](auto& b, ExprId x, ExprId y, ExprId) {
                 return b.select(
                     b.apply(Op::LogicalOr,
                             {b.apply(Op::LogicalAnd, {b.less(x, y), b.less(y, x)}), b.less(x, x)}),
                     x, y);
               }),
            "(a < b && b < a) || a < a ? a : b");
}

TEST(CodegenExpression, StrictProductsAreNotContracted) {
  KernelText text(T::F32, T::F32);
  text.options.strict = true;
  EXPECT_EQ(text.value([&](ExprId a, ExprId b, ExprId) {
    return text.builder().add(text.builder().mul(a, b), a);
  }),
            "__fmul_rn(a, b) + a");
}

TEST(CodegenExpression, ALongSumIsPrintedInLinearTime) {
  KernelText text(T::F32, T::F32);
  const std::string value = text.value([&](ExprId a, ExprId b, ExprId) {
    ExprId sum = a;
    for (int k = 0; k < 100'000; ++k) sum = text.builder().add(sum, b);
    return sum;
  });
  EXPECT_GT(value.size(), 400'000u);
  std::size_t longest = 0;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find('\n', at), value.size());
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  EXPECT_LE(longest, 100u);
}

TEST(CodegenExpression, DeepNestingNeedsNoStack) {
  KernelText text(T::F32, T::F32);
  const std::string value = text.value([&](ExprId a, ExprId b, ExprId) {
    ExprId deep = a;
    for (int k = 0; k < 50'000; ++k)
      deep = text.builder().select(text.builder().less(deep, b), b, deep);
    return text.builder().add(a, b);
  });
  EXPECT_EQ(value, "a + b");
}

}  // namespace
}  // namespace cdsl
