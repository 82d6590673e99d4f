#include "random_trees.h"

#include <cmath>
#include <limits>
#include <map>

#include "dsl/types/arithmetic.h"

namespace cdsl::test {
namespace {

constexpr int kOperations = 14;  // of a tree

int below(Random& random, std::size_t count) {
  return static_cast<int>(random() % count);
}
template <class T>
const T& pick(Random& random, const std::vector<T>& values) {
  return values[static_cast<std::size_t>(below(random, values.size()))];
}

bool is_real(ScalarType type) {
  return type == ScalarType::F32 || type == ScalarType::F64;
}

/// Zeros and ones of both signs, what lies next to them, and the ends of the type.
Value edge_value(Random& random, ScalarType type) {
  using Limits = std::numeric_limits<double>;
  static const std::vector<double> reals = {0.0,
                                            -0.0,
                                            1,
                                            -1,
                                            2,
                                            0.5,
                                            3,
                                            -2.5,
                                            Limits::infinity(),
                                            -Limits::infinity(),
                                            1e-45,
                                            -5e-324,
                                            1.1754943508222875e-38,
                                            2.2250738585072014e-308,
                                            3.4028234663852886e38,
                                            1e300,
                                            Limits::quiet_NaN(),
                                            0.1,
                                            100,
                                            1ll << 31,
                                            -32769};
  static const std::vector<int64_t> integers = {
      0,   0,     1,      1,     -1,        2,         3,          -3,        5,        7,
      8,   31,    32,     33,    63,        64,        65,         127,       -128,     128,
      255, 32767, -32768, 65535, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN};
  if (type == ScalarType::Bool) return Value::of_bool(below(random, 2) == 1);
  if (is_integer(type)) return round_to(Value::of_int(pick(random, integers)), type);
  if (is_complex(type))
    return round_to(Value::of_complex(pick(random, reals), pick(random, reals)), type);
  return round_to(Value::of_float(pick(random, reals)), type);
}

const std::vector<ScalarType>& evaluation_types() {
  static const std::vector<ScalarType> types = {
      ScalarType::Bool, ScalarType::I8,  ScalarType::I16, ScalarType::I32, ScalarType::I64,
      ScalarType::U8,   ScalarType::U16, ScalarType::U32, ScalarType::U64, ScalarType::F32,
      ScalarType::F64,  ScalarType::C64, ScalarType::C128};
  return types;
}

/// What an operator takes as its first operand; nothing where it does not take that type.
bool takes(Op op, ScalarType type) {
  const bool whole = is_integer(type), real = is_real(type), complex = is_complex(type);
  const bool bits = op == Op::And || op == Op::Or || op == Op::Xor;
  switch (info(op).op_class) {
    case OpClass::Numeric: {
      const bool field =
          op == Op::Neg || op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div;
      return whole || real || (complex && (field || op == Op::Abs));
    }
    case OpClass::Integer: return whole || (bits && type == ScalarType::Bool);
    case OpClass::Shift:
    case OpClass::Bits: return whole;
    case OpClass::Compare: return whole || real || op == Op::Eq || op == Op::Ne;
    case OpClass::Logic: return type == ScalarType::Bool;
    case OpClass::Select: return true;
    case OpClass::FloatMath:
    case OpClass::FloatInt:
    case OpClass::FloatToInt:
    case OpClass::FloatTest: return real;
    case OpClass::Complex: return op == Op::MakeComplex ? real : complex;
    case OpClass::Cast:
    case OpClass::Random: return false;
  }
  return false;
}

const std::vector<Op>& all_operators() {
  static const std::vector<Op> all = [] {
    std::vector<Op> ops;
    for (int k = 0; k <= static_cast<int>(Op::Rand); ++k) ops.push_back(static_cast<Op>(k));
    return ops;
  }();
  return all;
}

/// The ones that rules are about.
const std::vector<Op>& common_operators() {
  static const std::vector<Op> common = {
      Op::Neg,        Op::Add,       Op::Sub,        Op::Mul,   Op::Div, Op::Rem, Op::FloorDiv,
      Op::FloorMod,   Op::Min,       Op::Max,        Op::Abs,   Op::And, Op::Or,  Op::Xor,
      Op::BitNot,     Op::Shl,       Op::Shr,        Op::Lt,    Op::Ge,  Op::Eq,  Op::Ne,
      Op::LogicalAnd, Op::LogicalOr, Op::LogicalNot, Op::Select};
  return common;
}

/// Grows expressions from symbols and constants: an operand is often one that was made before, so
/// that rules about equal operands and about constants beside constants get their chance.
class Grower {
 public:
  Grower(Maker& maker, Random& random) : arena_(maker.arena()), random_(random) {
    for (const ScalarType type : evaluation_types())
      for (const char* stem : {"a", "b"})
        keep(maker.scalar(stem + std::string(name_of(type)), type));
    symbols_ = made_;
  }

  ExprId tree() {
    made_ = symbols_;
    own_.clear();
    // A few types, so that operands meet.
    types_.clear();
    for (int k = 0; k < 3; ++k) types_.push_back(pick(random_, evaluation_types()));
    focus_ = {Op::Add, Op::Select};
    for (int k = 0; k < 3; ++k) focus_.push_back(pick(random_, common_operators()));
    ExprId root;
    for (int k = 0; k < kOperations; ++k) keep(root = operation()), own_.push_back(root);
    return root;
  }

 private:
  void keep(ExprId id) { made_[arena_.type(id)].push_back(id); }

  // A constant, the latest value of the type, an operand of it, or any.
  ExprId operand(ScalarType type) {
    const int what = below(random_, 10);
    if (what < 3) return constant(type);
    const std::vector<ExprId>& known = made_[type];
    if (what < 6) return known.back();
    const auto args = arena_.args(known.back());
    if (what < 8 && !args.empty()) {
      const ExprId inner = args[static_cast<std::size_t>(below(random_, args.size()))];
      if (arena_.type(inner) == type) return inner;
    }
    return pick(random_, known);
  }

  ExprId constant(ScalarType type) {
    static const std::vector<int> plain = {0, 0, 1, 1, -1, 2, 4};
    if (below(random_, 2) == 0 || type == ScalarType::Bool)
      return arena_.constant(type, edge_value(random_, type));
    const int value = pick(random_, plain);
    if (is_integer(type)) return arena_.constant(type, round_to(Value::of_int(value), type));
    return is_complex(type) ? arena_.constant(type, Value::of_complex(value, 0))
                            : arena_.real(value, type);
  }

  ExprId operation() {
    const ScalarType type =
        own_.empty() || below(random_, 4) == 0 ? pick(random_, types_) : arena_.type(own_.back());
    if (below(random_, 6) == 0) return cast(type);
    const Op op = operator_of(type);
    // The sign of a NaN is unspecified (docs/language.md, section 7): nothing asks for it.
    if (op == Op::SignBit) return arena_.apply(op, {number(operand(type))});
    if (op == Op::Copysign) return arena_.apply(op, {operand(type), number(operand(type))});
    if (op == Op::Select)
      return arena_.apply(op, {operand(ScalarType::Bool), operand(type), operand(type)});
    if (op == Op::Ldexp) return arena_.apply(op, {operand(type), operand(ScalarType::I32)});
    if (info(op).op_class == OpClass::Shift)
      return arena_.apply(op, {operand(type), operand(shift_type())});
    std::vector<ExprId> args;
    for (int k = 0; k < info(op).arity; ++k) args.push_back(operand(type));
    return arena_.apply(op, args);
  }

  // Half of the time one of a few that this tree is made of.
  Op operator_of(ScalarType type) {
    for (int tries = 0; tries < 3; ++tries) {
      const Op op = pick(random_, focus_);
      if (takes(op, type)) return op;
    }
    Op op = Op::Rand;
    while (!takes(op, type)) op = pick(random_, all_operators());
    return op;
  }

  ExprId number(ExprId value) {
    return arena_.apply(
        Op::Select, {arena_.apply(Op::IsNan, {value}), arena_.real(1, arena_.type(value)), value});
  }
  ScalarType shift_type() {
    static const std::vector<ScalarType> types = {ScalarType::I32, ScalarType::I32, ScalarType::U8,
                                                  ScalarType::I64, ScalarType::I8};
    return pick(random_, types);
  }

  // Often through a third type, or through a storage type.
  ExprId cast(ScalarType type) {
    ExprId value = operand(type);
    static const std::vector<ScalarType> storage = {ScalarType::F16, ScalarType::BF16,
                                                    ScalarType::F8E4M3, ScalarType::F8E5M2};
    for (int steps = 1 + below(random_, 3); steps > 0; --steps) {
      const bool stored = !is_complex(arena_.type(value)) && below(random_, 4) == 0;
      if (stored) {
        value = arena_.cast(arena_.cast(value, pick(random_, storage)), ScalarType::F32);
        continue;
      }
      const ScalarType to = pick(random_, evaluation_types());
      if (is_complex(arena_.type(value)) && !is_complex(to) && to != ScalarType::Bool) continue;
      value = arena_.cast(value, to);
    }
    return value;
  }

  ExprArena& arena_;
  Random& random_;
  std::map<ScalarType, std::vector<ExprId>> made_, symbols_;
  std::vector<ExprId> own_;
  std::vector<ScalarType> types_;
  std::vector<Op> focus_;
};

}  // namespace

std::vector<ExprId> random_trees(Maker& maker, Random& random, int count) {
  Grower grower(maker, random);
  std::vector<ExprId> trees;
  for (int k = 0; k < count; ++k) trees.push_back(grower.tree());
  return trees;
}

Value random_value(Random& random, ScalarType type) {
  if (below(random, 3) > 0) return edge_value(random, type);
  if (is_integer(type)) return round_to(Value::of_int(static_cast<int64_t>(random())), type);
  const auto real = [&] {
    return std::ldexp(static_cast<double>(random() % 4096) - 2048, below(random, 40) - 20);
  };
  if (is_complex(type)) return round_to(Value::of_complex(real(), real()), type);
  return is_real(type) ? round_to(Value::of_float(real()), type) : edge_value(random, type);
}

}  // namespace cdsl::test
