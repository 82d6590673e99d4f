#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/SmallString.h>

#include <unordered_map>

#include "dsl/support/check.h"
#include "frontend/sema/untyped_table.h"

namespace cdsl::sema {
namespace {

using llvm::APFloat;
using llvm::APInt;
using untyped::Choice;
using untyped::Deferred;
using untyped::Flexible;
using untyped::Node;
using untyped::Total;

const llvm::fltSemantics& semantics_of(ScalarType type) {
  switch (type) {
    case ScalarType::F16: return APFloat::IEEEhalf();
    case ScalarType::BF16: return APFloat::BFloat();
    case ScalarType::F8E4M3: return APFloat::Float8E4M3FN();
    case ScalarType::F8E5M2: return APFloat::Float8E5M2();
    case ScalarType::F32: return APFloat::IEEEsingle();
    default: return APFloat::IEEEdouble();
  }
}

std::optional<double> round_to_float(APFloat value, ScalarType type) {
  bool lost = false;
  // The one float type without infinities.
  if (value.isInfinity() && type == ScalarType::F8E4M3) return std::nullopt;
  const bool was_finite = value.isFinite();
  const auto status = value.convert(semantics_of(type), APFloat::rmNearestTiesToEven, &lost);
  if (was_finite && (!value.isFinite() || (status & APFloat::opOverflow) != 0)) return std::nullopt;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

std::optional<int64_t> fit_integer(const APInt& value, ScalarType type) {
  const unsigned bits = static_cast<unsigned>(size_of(type)) * 8;
  const bool is_signed = is_signed_integer(type);
  if (is_signed ? !value.isSignedIntN(bits) : value.isNegative() || !value.isIntN(bits)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(value.trunc(64).getZExtValue());
}

}  // namespace

std::optional<std::int64_t> UntypedTable::integer_value(UntypedId id) const {
  const APInt* integer = impl_->integer(id);
  return integer != nullptr ? fit_integer(*integer, ScalarType::I64) : std::nullopt;
}

std::optional<double> UntypedTable::constant_value(UntypedId id) const {
  if (!impl_->constant(id)) return std::nullopt;
  return round_to_float(impl_->quad(id), ScalarType::F64);
}

std::optional<ScalarType> UntypedTable::default_type(UntypedId root) const {
  if (is_float(root)) return ScalarType::F32;
  ScalarType type = ScalarType::I32;
  std::vector<UntypedId> stack{root};
  while (!stack.empty()) {
    const UntypedId id = stack.back();
    const Node& node = (*impl_)[id];
    stack.pop_back();
    if (const APInt* integer = impl_->integer(id)) {
      if (!fit_integer(*integer, ScalarType::I64)) return std::nullopt;
      if (!fit_integer(*integer, ScalarType::I32)) type = ScalarType::I64;
    } else if (const auto* choice = std::get_if<Choice>(&node.what)) {
      stack.push_back(choice->then_value);
      stack.push_back(choice->else_value);
    } else if (const auto* deferred = std::get_if<Deferred>(&node.what)) {
      stack.insert(stack.end(), deferred->args.begin(), deferred->args.end());
    } else if (const auto* total = std::get_if<Total>(&node.what)) {
      stack.push_back(total->term);
    } else {
      type = ScalarType::I64;
    }
  }
  return type;
}

std::optional<ExprId> UntypedTable::Impl::leaf(UntypedId id, ScalarType type) {
  if (const auto* flexible = std::get_if<Flexible>(&nodes[id.value].what)) {
    return arena.cast(flexible->value, type);
  }
  if (is_integer(type)) {
    APInt whole(kUntypedBits, 0);
    if (const APFloat* value = real(id)) {
      llvm::APSInt converted(kUntypedBits, false);
      bool exact = false;
      value->convertToInteger(converted, APFloat::rmTowardZero, &exact);
      if (!exact) return std::nullopt;
      whole = converted;
    } else {
      whole = *integer(id);
    }
    const auto fitted = fit_integer(whole, type);
    return fitted ? std::optional(arena.integer(*fitted, type)) : std::nullopt;
  }
  const ScalarType real_type = is_complex(type) ? component_type(type) : type;
  const auto rounded = round_to_float(quad(id), real_type);
  if (!rounded) return std::nullopt;
  if (is_complex(type)) return arena.constant(type, Value::of_complex(*rounded, 0));
  return arena.real(*rounded, type);
}

ExprId UntypedTable::Impl::apply(Op op, ScalarType type, const std::vector<ExprId>& args) {
  // Functions are computed in the component of a complex type, operators in the type itself.
  const ScalarType wanted = is_complex(type) ? component_type(type) : evaluation_type(type);
  std::vector<ExprId> converted;
  for (ExprId arg : args) {
    converted.push_back(is_complex(arena.type(arg)) ? arena.apply(Op::Real, {arg})
                                                    : arena.cast(arg, wanted));
  }
  return arena.cast(arena.apply(op, converted), type);
}

std::optional<ExprId> UntypedTable::as(UntypedId root, ScalarType type) {
  if (type == ScalarType::Bool) return std::nullopt;
  if (is_integer(type) && is_float(root) && !is_constant(root)) return std::nullopt;
  // Operands have smaller ids than what uses them, but trees may be deep: an explicit stack.
  std::unordered_map<std::uint32_t, ExprId> done;
  std::vector<UntypedId> stack{root};
  while (!stack.empty()) {
    const UntypedId id = stack.back();
    if (done.contains(id.value)) {
      stack.pop_back();
      continue;
    }
    std::vector<UntypedId> operands;
    const Node& node = (*impl_)[id];
    if (const auto* choice = std::get_if<Choice>(&node.what)) {
      operands = {choice->then_value, choice->else_value};
    } else if (const auto* deferred = std::get_if<Deferred>(&node.what)) {
      operands = deferred->args;
    } else if (const auto* total = std::get_if<Total>(&node.what)) {
      operands = {total->term};
    }
    std::vector<ExprId> ready;
    for (UntypedId operand : operands) {
      const auto found = done.find(operand.value);
      if (found != done.end()) ready.push_back(found->second);
    }
    if (ready.size() < operands.size()) {
      stack.insert(stack.end(), operands.begin(), operands.end());
      continue;
    }
    stack.pop_back();
    ExprId result;
    if (const auto* choice = std::get_if<Choice>(&node.what)) {
      const ScalarType arm = evaluation_type(type);
      ExprId x = impl_->arena.cast(ready[0], arm), y = impl_->arena.cast(ready[1], arm);
      result = impl_->arena.cast(impl_->arena.apply(Op::Select, {choice->condition, x, y}), type);
    } else if (const auto* deferred = std::get_if<Deferred>(&node.what)) {
      result = impl_->apply(deferred->op, type, ready);
    } else if (const auto* total = std::get_if<Total>(&node.what)) {
      Reduction reduction = total->reduction;
      reduction.types = {evaluation_type(type)};
      reduction.lifted = {impl_->arena.cast(ready[0], evaluation_type(type))};
      const ReductionId added = impl_->arena.add_reduction(std::move(reduction));
      result = impl_->arena.cast(impl_->arena.reduce(added), type);
    } else {
      const auto leaf = impl_->leaf(id, type);
      if (!leaf) return std::nullopt;
      result = *leaf;
    }
    done.emplace(id.value, result);
  }
  return done.at(root.value);
}

std::string UntypedTable::text(UntypedId id) const {
  llvm::SmallString<64> text;
  if (const APInt* integer = impl_->integer(id)) {
    integer->toStringSigned(text);
  } else if (const APFloat* real = impl_->real(id)) {
    real->toString(text, 17);
  } else {
    return "a constant expression";
  }
  return std::string(text);
}

}  // namespace cdsl::sema
