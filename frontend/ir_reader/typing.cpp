#include "frontend/ir_reader/typing.h"

#include <algorithm>

#include <fmt/format.h>

namespace cdsl::ir_reader {
namespace {

bool is_computed_float(ScalarType type) {
  return type == ScalarType::F32 || type == ScalarType::F64;
}

bool legal_first(Op op, ScalarType type) {
  switch (info(op).op_class) {
    case OpClass::Numeric:
      if (is_complex(type)) {
        return op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Neg ||
               op == Op::Abs;
      }
      return is_integer(type) || is_computed_float(type);
    case OpClass::Integer:
      return is_integer(type) || (type == ScalarType::Bool && (op == Op::And || op == Op::Or ||
                                                               op == Op::Xor || op == Op::BitNot));
    case OpClass::Shift:
    case OpClass::Bits: return is_integer(type);
    case OpClass::Compare:
      return op == Op::Eq || op == Op::Ne || (type != ScalarType::Bool && !is_complex(type));
    case OpClass::Logic:
    case OpClass::Select: return type == ScalarType::Bool;
    case OpClass::FloatMath:
    case OpClass::FloatInt:
    case OpClass::FloatToInt:
    case OpClass::FloatTest: return is_computed_float(type);
    case OpClass::Complex:
      return op == Op::MakeComplex ? is_computed_float(type) : is_complex(type);
    case OpClass::Random: return type == ScalarType::U64;
    case OpClass::Cast: break;
  }
  return false;
}

/// Operands after the first: of its type, but for what the class says.
bool legal_other(Op op, std::span<const ScalarType> types, std::size_t k) {
  switch (info(op).op_class) {
    case OpClass::Shift: return is_integer(types[k]);
    case OpClass::FloatInt: return types[k] == ScalarType::I32;
    case OpClass::Select: return types[k] == types[1];
    default: return types[k] == types[0];
  }
}

}  // namespace

std::string operand_problem(Op op, std::span<const ScalarType> types) {
  const OpInfo& about = info(op);
  if (types.size() != static_cast<std::size_t>(about.arity)) {
    return fmt::format("'{}' takes {} operands, here are {}", about.spelling, about.arity,
                       types.size());
  }
  bool legal = legal_first(op, types[0]);
  if (op != Op::Select) legal &= std::none_of(types.begin(), types.end(), is_storage_only);
  for (std::size_t k = 1; k < types.size(); ++k) legal &= legal_other(op, types, k);
  if (legal) return {};
  std::string names;
  for (ScalarType type : types) names += (names.empty() ? "" : ", ") + std::string(name_of(type));
  return fmt::format("'{}' does not take {}", about.spelling, names);
}

bool can_cast(ScalarType from, ScalarType to) {
  return !is_complex(from) || is_complex(to) || to == ScalarType::Bool;
}

}  // namespace cdsl::ir_reader
