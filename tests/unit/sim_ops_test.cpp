// Every operator, on every type that has a fast form, equals dsl/types/arithmetic.h bit for bit.
#include <cmath>
#include <limits>
#include <random>

#include "dsl/types/arithmetic.h"
#include "sim_fixture.h"

namespace cdsl::sim {
namespace {

using loop::Builder;

constexpr std::size_t kCount = 192;
constexpr ScalarType kNumbers[] = {
    ScalarType::I8,  ScalarType::I16, ScalarType::I32, ScalarType::I64, ScalarType::U8,
    ScalarType::U16, ScalarType::U32, ScalarType::U64, ScalarType::F32, ScalarType::F64};

std::vector<Value> samples(ScalarType type, std::mt19937_64& random) {
  std::vector<Value> out;
  if (is_float(type)) {
    const double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
    for (double v : {0.0, -0.0, 1.0, -1.0, inf, -inf, nan, 1e30, -1e-30, 3e9, 2.5, -2.5, 1e-42})
      out.push_back(Value::of_float(v));
    while (out.size() < kCount)
      out.push_back(Value::of_float(std::normal_distribution<double>(0, 100)(random)));
  } else {
    for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{INT32_MIN},
                      int64_t{7}, int64_t{-128}}) {
      out.push_back(Value::of_int(v));
    }
    while (out.size() < kCount) {
      const auto bits = static_cast<int64_t>(random());
      out.push_back(Value::of_int(out.size() % 2 == 0 ? bits : bits % 100));
    }
  }
  std::shuffle(out.begin(), out.end(), random);
  for (Value& v : out) v = round_to(v, type);
  return out;
}

class SimOps : public SimTest {
 protected:
  Argument memory_of(const std::vector<Value>& values, ScalarType type) {
    const auto size = static_cast<std::size_t>(size_of(type));
    std::vector<std::byte> bytes(values.size() * size);
    for (std::size_t k = 0; k < values.size(); ++k)
      store_element(bytes.data() + k * size, type, values[k]);
    return input(bytes);
  }
  Value element(const Argument& argument, ScalarType type, std::size_t k) {
    return load_element(memory.data(argument.handle) + k * static_cast<std::size_t>(size_of(type)),
                        type);
  }
  static void expect_equal(Value got, Value expected, ScalarType type, const std::string& what) {
    if (is_float(type) && std::isnan(expected.re)) {
      EXPECT_TRUE(std::isnan(got.re)) << what;
    } else {
      EXPECT_EQ(got.bits(), expected.bits()) << what;
    }
  }
};

// Operand k: 0 varying both, 1 uniform left, 2 uniform right, 3 both.
TEST_F(SimOps, BinaryOperators) {
  std::mt19937_64 random(11);
  for (ScalarType type : kNumbers) {
    std::vector<Op> ops = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max,
                           Op::Lt,  Op::Le,  Op::Gt,  Op::Ge,  Op::Eq,  Op::Ne};
    if (is_integer(type))
      ops.insert(ops.end(),
                 {Op::Rem, Op::FloorDiv, Op::FloorMod, Op::And, Op::Or, Op::Xor, Op::Shl, Op::Shr});
    const auto left = samples(type, random), right = samples(type, random);
    for (Op op : ops) {
      for (int form = 0; form < 4; ++form) {
        program = loop::Program::over({}, "test");
        Builder b(program, "binary");
        const BufferId x = b.global("x", scalar_record(type), true),
                       y = b.global("y", scalar_record(type), true);
        const ScalarType out_type = result_type(op, type);
        const BufferId z = b.global("z", scalar_record(out_type));
        const ExprId u = b.parameter("u", type, SymbolKind::Scalar),
                     v = b.parameter("v", type, SymbolKind::Scalar);
        const ExprId i = thread(b);
        b.store(
            z, i,
            b.apply(op, {(form & 1) != 0 ? u : b.load(x, i), (form & 2) != 0 ? v : b.load(y, i)}));
        b.kernel().block[0] = kCount;
        const Argument out =
            output<std::byte>(kCount * static_cast<std::size_t>(size_of(out_type)));
        const Value a0 = left[5], b0 = right[9];
        run(b, {memory_of(left, type),
                memory_of(right, type),
                out,
                {false, 0, 0, a0},
                {false, 0, 0, b0}});
        expect_clean();
        for (std::size_t k = 0; k < kCount; ++k) {
          const Value args[] = {(form & 1) != 0 ? a0 : left[k], (form & 2) != 0 ? b0 : right[k]};
          expect_equal(element(out, out_type, k), apply(op, type, args), out_type,
                       std::string(info(op).spelling) + " on " + std::string(name_of(type)));
        }
      }
    }
  }
}

TEST_F(SimOps, UnaryOperatorsAndCasts) {
  std::mt19937_64 random(12);
  for (ScalarType type : kNumbers) {
    const auto values = samples(type, random);
    Builder b(program, "unary_" + std::to_string(program.kernels.size()));
    const BufferId x = b.global("x", scalar_record(type), true);
    const ExprId u = b.parameter("u", type, SymbolKind::Scalar), i = thread(b),
                 from = b.let("from", b.load(x, i));
    std::vector<Argument> arguments = {memory_of(values, type)};
    std::vector<std::pair<Argument, std::pair<ScalarType, std::vector<Value>>>> checks;
    const auto check = [&](ExprId varying, ExprId uniform, ScalarType out_type,
                           const std::function<Value(Value)>& expected) {
      const BufferId y = b.global("y", scalar_record(out_type));
      b.store(y, i, varying);
      b.store(y, b.add(i, b.integer(kCount)), uniform);
      const Argument out =
          output<std::byte>(2 * kCount * static_cast<std::size_t>(size_of(out_type)));
      arguments.push_back(out);
      std::vector<Value> wanted;
      for (Value v : values) wanted.push_back(expected(v));
      for (std::size_t k = 0; k < kCount; ++k) wanted.push_back(expected(values[3]));
      checks.push_back({out, {out_type, wanted}});
    };
    std::vector<Op> ops = {Op::Neg, Op::Abs};
    if (is_float(type)) ops.insert(ops.end(), {Op::Sqrt, Op::Exp, Op::Floor, Op::IsNan});
    for (Op op : ops) {
      check(b.apply(op, {from}), b.apply(op, {u}), result_type(op, type),
            [&](Value v) { return apply(op, type, std::span(&v, 1)); });
    }
    for (int to = 0; to < kScalarTypeCount; ++to) {
      const auto target = static_cast<ScalarType>(to);
      if (is_complex(target)) continue;
      check(b.cast(from, target), b.cast(u, target), target,
            [&](Value v) { return convert(v, type, target); });
    }
    b.kernel().block[0] = kCount;
    arguments.push_back({false, 0, 0, values[3]});
    run(b, arguments);
    expect_clean();
    for (const auto& [out, wanted] : checks) {
      for (std::size_t k = 0; k < 2 * kCount; ++k) {
        expect_equal(element(out, wanted.first, k), wanted.second[k], wanted.first,
                     std::string(name_of(type)) + " to " + std::string(name_of(wanted.first)));
      }
    }
  }
}

TEST_F(SimOps, SelectOnEveryShapeAndLogicOnBools) {
  for (ScalarType type : {ScalarType::Bool, ScalarType::I16, ScalarType::I64, ScalarType::F64,
                          ScalarType::C64, ScalarType::C128}) {
    Builder b(program, "select_" + std::to_string(program.kernels.size()));
    const BufferId y = b.global("y", scalar_record(type));
    const ExprId i = thread(b), three = b.integer(3);
    const ExprId c = b.let("c", b.apply(Op::Eq, {b.apply(Op::Rem, {i, three}), b.integer(0)}));
    const ExprId d = b.let("d", b.less(i, b.integer(20)));
    const ExprId mixed =
        b.apply(Op::Xor, {b.apply(Op::LogicalNot, {c}), b.apply(Op::LogicalAnd, {c, d})});
    const ExprId whole = b.cast(i, I64);
    const ExprId arm =
        type == ScalarType::Bool
            ? d
            : b.cast(is_complex(type) ? b.cast(whole, component_type(type)) : whole, type);
    const ExprId other = b.arena().constant(type, is_complex(type) ? Value::of_complex(1, -2)
                                                  : is_float(type) ? Value::of_float(1)
                                                                   : Value::of_int(1));
    b.store(y, i, b.select(mixed, arm, other));
    b.kernel().block[0] = 40;
    const Argument out = output<std::byte>(40 * static_cast<std::size_t>(size_of(type)));
    run(b, {out});
    expect_clean();
    for (std::size_t k = 0; k < 40; ++k) {
      const bool takes = (k % 3 != 0) != (k % 3 == 0 && k < 20);
      const Value got = element(out, type, k);
      const double index = static_cast<double>(k);
      if (is_complex(type)) {
        EXPECT_EQ(got.re, takes ? index : 1) << name_of(type) << k;
        EXPECT_EQ(got.im, takes ? 0 : -2) << name_of(type) << k;
      } else if (is_float(type)) {
        EXPECT_EQ(got.re, takes ? index : 1);
      } else {
        const int64_t chosen = type == ScalarType::Bool ? k < 20 : static_cast<int64_t>(k);
        EXPECT_EQ(got.i, takes ? chosen : 1) << name_of(type) << k;
      }
    }
  }
}

}  // namespace
}  // namespace cdsl::sim
