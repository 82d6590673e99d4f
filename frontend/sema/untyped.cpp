#include "frontend/sema/untyped.h"

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Error.h>

#include <unordered_map>
#include <variant>
#include <vector>

#include "dsl/support/check.h"

namespace cdsl::sema {
namespace {

using llvm::APFloat;
using llvm::APInt;

constexpr unsigned kBits = 512;
// Operations on `if`s are carried into the arms while the result has no more leaves than this.
constexpr std::uint32_t kMaxLeaves = 64;

struct Whole {
  std::uint32_t place;
};  // in the table of integers
struct Real {
  std::uint32_t place;
};  // in the table of floats
struct Flexible {
  ExprId value;
};
struct Choice {
  ExprId condition;
  UntypedId then_value, else_value;
};
struct Deferred {
  Op op;
  std::vector<UntypedId> args;
};
struct Total {
  Reduction reduction;
  UntypedId term;
};

struct Node {
  std::variant<Whole, Real, Flexible, Choice, Deferred, Total> what;
  bool is_float = false;
  std::uint32_t leaves = 1;
};

APFloat to_quad(const APInt& value) {
  APFloat result(APFloat::IEEEquad());
  result.convertFromAPInt(value, true, APFloat::rmNearestTiesToEven);
  return result;
}

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

struct UntypedTable::Impl {
  ExprArena& arena;
  std::vector<Node> nodes;
  std::vector<APInt> wholes;
  std::vector<APFloat> reals;

  const Node& operator[](UntypedId id) const { return nodes[id.value]; }
  UntypedId add(Node node) {
    nodes.push_back(std::move(node));
    return {static_cast<std::uint32_t>(nodes.size() - 1)};
  }
  UntypedId add(APInt value) {
    wholes.push_back(std::move(value));
    return add(Node{Whole{static_cast<std::uint32_t>(wholes.size() - 1)}, false, 1});
  }
  UntypedId add(APFloat value) {
    reals.push_back(std::move(value));
    return add(Node{Real{static_cast<std::uint32_t>(reals.size() - 1)}, true, 1});
  }
  // Pointers stay good until the next add.
  const APInt* integer(UntypedId id) const {
    const auto* whole = std::get_if<Whole>(&nodes[id.value].what);
    return whole != nullptr ? &wholes[whole->place] : nullptr;
  }
  const APFloat* real(UntypedId id) const {
    const auto* real = std::get_if<Real>(&nodes[id.value].what);
    return real != nullptr ? &reals[real->place] : nullptr;
  }
  bool constant(UntypedId id) const { return integer(id) != nullptr || real(id) != nullptr; }
  APFloat quad(UntypedId id) const {
    return real(id) != nullptr ? *real(id) : to_quad(*integer(id));
  }

  std::optional<UntypedId> integers(Op op, const APInt& a, const APInt& b);
  std::optional<UntypedId> floats(Op op, const APFloat& a, const APFloat& b);
  std::optional<ExprId> leaf(UntypedId id, ScalarType type);
  ExprId apply(Op op, ScalarType type, const std::vector<ExprId>& args);
};

std::optional<UntypedId> UntypedTable::Impl::integers(Op op, const APInt& a, const APInt& b) {
  bool overflow = false;
  APInt result(kBits, 0);
  switch (op) {
    case Op::Add: result = a.sadd_ov(b, overflow); break;
    case Op::Sub: result = a.ssub_ov(b, overflow); break;
    case Op::Mul: result = a.smul_ov(b, overflow); break;
    case Op::Div:
      if (!b.isZero()) result = a.sdiv_ov(b, overflow);
      break;
    case Op::Rem: result = b.isZero() ? a : a.srem(b); break;
    case Op::FloorDiv:
      if (!b.isZero()) result = llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN);
      break;
    case Op::FloorMod:
      result = b.isZero() ? a : a - llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN) * b;
      break;
    case Op::And: result = a & b; break;
    case Op::Or: result = a | b; break;
    case Op::Xor: result = a ^ b; break;
    case Op::Min: result = a.slt(b) ? a : b; break;
    case Op::Max: result = a.sgt(b) ? a : b; break;
    case Op::Shl:
      if (b.isNegative() || b.uge(kBits)) return std::nullopt;
      result = a.sshl_ov(b, overflow);
      break;
    case Op::Shr:
      if (b.isNegative()) return std::nullopt;
      result = b.uge(kBits) ? APInt(kBits, a.isNegative() ? -1 : 0, true) : a.ashr(b);
      break;
    default: return std::nullopt;
  }
  if (overflow) return std::nullopt;
  return add(std::move(result));
}

std::optional<UntypedId> UntypedTable::Impl::floats(Op op, const APFloat& a, const APFloat& b) {
  constexpr auto kNearest = APFloat::rmNearestTiesToEven;
  APFloat result = a;
  switch (op) {
    case Op::Add: result.add(b, kNearest); break;
    case Op::Sub: result.subtract(b, kNearest); break;
    case Op::Mul: result.multiply(b, kNearest); break;
    case Op::Div: result.divide(b, kNearest); break;
    case Op::Min: result = llvm::minimum(a, b); break;
    case Op::Max: result = llvm::maximum(a, b); break;
    default: return std::nullopt;
  }
  return add(std::move(result));
}

UntypedTable::UntypedTable(ExprArena& arena) : impl_(new Impl{arena, {}, {}, {}}) {}
UntypedTable::~UntypedTable() = default;

UntypedId UntypedTable::integer(std::uint64_t hi, std::uint64_t lo) {
  return impl_->add((APInt(kBits, hi) << 64) | APInt(kBits, lo));
}

UntypedId UntypedTable::real(std::string_view decimal) {
  APFloat value(APFloat::IEEEquad());
  auto status = value.convertFromString(llvm::StringRef(decimal), APFloat::rmNearestTiesToEven);
  if (!status) llvm::consumeError(status.takeError());
  return impl_->add(std::move(value));
}

UntypedId UntypedTable::pi() {
  return real("3.14159265358979323846264338327950288419716939937510582097");
}
UntypedId UntypedTable::infinity() {
  return impl_->add(APFloat::getInf(APFloat::IEEEquad()));
}
UntypedId UntypedTable::nan() {
  return impl_->add(APFloat::getQNaN(APFloat::IEEEquad()));
}
UntypedId UntypedTable::flexible(ExprId value) {
  return impl_->add(Node{Flexible{value}, false, 1});
}

std::optional<UntypedId> UntypedTable::unary(Op op, UntypedId a) {
  const Node& node = (*impl_)[a];
  if (const auto* choice = std::get_if<Choice>(&node.what)) {
    const Choice copy = *choice;
    const auto x = unary(op, copy.then_value), y = unary(op, copy.else_value);
    if (!x || !y) return std::nullopt;
    return select(copy.condition, *x, *y);
  }
  if (const APInt* integer = impl_->integer(a)) {
    if (op == Op::Neg) return impl_->integers(Op::Sub, APInt(kBits, 0), APInt(*integer));
    if (op == Op::Abs) return impl_->add(integer->abs());
    if (op == Op::BitNot) return impl_->add(~*integer);
  }
  if (const APFloat* real = impl_->real(a)) {
    if (op == Op::Neg) return impl_->add(llvm::neg(*real));
    if (op == Op::Abs) return impl_->add(llvm::abs(*real));
  }
  if (op == Op::BitNot) return std::nullopt;
  return function(op, std::span(&a, 1));
}

std::optional<UntypedId> UntypedTable::binary(Op op, UntypedId a, UntypedId b) {
  const std::uint32_t leaves = (*impl_)[a].leaves * (*impl_)[b].leaves;
  for (const bool left : {true, false}) {
    const auto* found = std::get_if<Choice>(&(*impl_)[left ? a : b].what);
    if (found == nullptr || leaves > kMaxLeaves) continue;
    const Choice choice = *found;
    const auto x = left ? binary(op, choice.then_value, b) : binary(op, a, choice.then_value);
    const auto y = left ? binary(op, choice.else_value, b) : binary(op, a, choice.else_value);
    if (!x || !y) return std::nullopt;
    return select(choice.condition, *x, *y);
  }
  if (impl_->integer(a) != nullptr && impl_->integer(b) != nullptr) {
    return impl_->integers(op, APInt(*impl_->integer(a)), APInt(*impl_->integer(b)));
  }
  if (impl_->constant(a) && impl_->constant(b))
    return impl_->floats(op, impl_->quad(a), impl_->quad(b));
  const bool arithmetic = op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div ||
                          op == Op::Min || op == Op::Max;
  if (!arithmetic) return std::nullopt;
  const UntypedId args[] = {a, b};
  const UntypedId result = function(op, args);
  impl_->nodes[result.value].is_float = is_float(a) || is_float(b);
  return result;
}

std::optional<bool> UntypedTable::compare(Op op, UntypedId a, UntypedId b) const {
  if (!impl_->constant(a) || !impl_->constant(b)) return std::nullopt;
  const auto order = impl_->quad(a).compare(impl_->quad(b));
  const bool less = order == APFloat::cmpLessThan, equal = order == APFloat::cmpEqual;
  const bool greater = order == APFloat::cmpGreaterThan;
  switch (op) {
    case Op::Lt: return less;
    case Op::Le: return less || equal;
    case Op::Gt: return greater;
    case Op::Ge: return greater || equal;
    case Op::Eq: return equal;
    case Op::Ne: return !equal;
    default: CDSL_UNREACHABLE("a comparison");
  }
}

UntypedId UntypedTable::select(ExprId condition, UntypedId then_value, UntypedId else_value) {
  const Node &x = (*impl_)[then_value], &y = (*impl_)[else_value];
  return impl_->add(Node{Choice{condition, then_value, else_value}, x.is_float || y.is_float,
                         std::min(x.leaves + y.leaves, kMaxLeaves + 1)});
}

UntypedId UntypedTable::function(Op op, std::span<const UntypedId> args) {
  return impl_->add(Node{Deferred{op, {args.begin(), args.end()}}, true, 1});
}

UntypedId UntypedTable::reduction(Reduction reduction, UntypedId term) {
  return impl_->add(Node{Total{std::move(reduction), term}, is_float(term), 1});
}

bool UntypedTable::is_float(UntypedId id) const {
  return (*impl_)[id].is_float;
}
bool UntypedTable::is_constant(UntypedId id) const {
  return impl_->constant(id);
}

bool UntypedTable::is_zero(UntypedId id) const {
  const APInt* integer = impl_->integer(id);
  return integer != nullptr && integer->isZero();
}

std::optional<std::int64_t> UntypedTable::integer_value(UntypedId id) const {
  const APInt* integer = impl_->integer(id);
  return integer != nullptr ? fit_integer(*integer, ScalarType::I64) : std::nullopt;
}

bool UntypedTable::divides_inexactly(UntypedId a, UntypedId b) const {
  const APInt *x = impl_->integer(a), *y = impl_->integer(b);
  return x != nullptr && y != nullptr && !y->isZero() && !x->srem(*y).isZero();
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
    APInt whole(kBits, 0);
    if (const APFloat* value = real(id)) {
      llvm::APSInt converted(kBits, false);
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
