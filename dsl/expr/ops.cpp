#include "dsl/expr/ops.h"

#include <array>

#include "dsl/support/check.h"

namespace cdsl {
namespace {

constexpr OpInfo kOps[] = {
#define CDSL_OP(Name, spelling, arity, op_class, ulp32, ulp64, cuda32, cuda64, cost) \
  {spelling, arity, OpClass::op_class, ulp32, ulp64, cuda32, cuda64, cost},
#include "dsl/expr/ops.def"
#undef CDSL_OP
};

bool is_called(Op op) {
  const char first = kOps[static_cast<std::size_t>(op)].spelling[0];
  return (first >= 'a' && first <= 'z') && op != Op::Neg && op != Op::BitNot && op != Op::Cast;
}

}  // namespace

const OpInfo& info(Op op) { return kOps[static_cast<std::size_t>(op)]; }

std::optional<Op> function_named(std::string_view name) {
  for (std::size_t k = 0; k < std::size(kOps); ++k) {
    const auto op = static_cast<Op>(k);
    if (kOps[k].spelling == name && is_called(op)) return op;
  }
  return std::nullopt;
}

bool is_commutative(Op op) {
  switch (op) {
    case Op::Add: case Op::Mul: case Op::Min: case Op::Max: case Op::And: case Op::Or: case Op::Xor: case Op::Eq:
    case Op::Ne: case Op::Hypot:
      return true;
    default:
      return false;
  }
}

ScalarType result_type(Op op, ScalarType operand) {
  switch (info(op).op_class) {
    case OpClass::Compare: case OpClass::Logic: case OpClass::FloatTest:
      return ScalarType::Bool;
    case OpClass::Bits: case OpClass::FloatToInt:
      return ScalarType::I32;
    case OpClass::Random:
      return ScalarType::F32;
    case OpClass::Complex:
      if (op == Op::MakeComplex) return operand == ScalarType::F64 ? ScalarType::C128 : ScalarType::C64;
      return op == Op::Conj ? operand : component_type(operand);
    case OpClass::Numeric:
      return op == Op::Abs && is_complex(operand) ? component_type(operand) : operand;
    case OpClass::Integer: case OpClass::Shift: case OpClass::FloatInt: case OpClass::Select: case OpClass::FloatMath:
      return operand;
    case OpClass::Cast:
      break;
  }
  CDSL_UNREACHABLE("the type of a cast is in its node");
}

}  // namespace cdsl
