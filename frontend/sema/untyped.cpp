#include "frontend/sema/untyped.h"

#include <llvm/Support/Error.h>

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

// Operations on `if`s are carried into the arms while the result has no more leaves than this.
constexpr std::uint32_t kMaxLeaves = 64;

// LLVM's reader overruns a buffer of powers of five where a literal has tens of thousands of digits. So many decide every
// rounding to a type of the language; of those after them it only matters whether one is not zero.
constexpr int kMaxDigits = 2000;

std::string shortened(std::string_view decimal) {
  const std::size_t exponent = std::min(decimal.find_first_of("eE"), decimal.size());
  std::string result;
  int digits = 0;
  bool is_fraction = false, is_told = false;
  for (const char c : decimal.substr(0, exponent)) {
    if (c == '.') {
      is_fraction = true;
      result += c;
      continue;
    }
    if (digits > 0 || c != '0') ++digits;
    if (digits <= kMaxDigits) {
      result += c;
    } else if (c != '0' && !is_told) {
      result += '1';
      is_told = true;
    } else if (!is_fraction || !is_told) {
      result += '0';
    }
  }
  return result.append(decimal.substr(exponent));
}

}  // namespace

std::optional<UntypedId> UntypedTable::Impl::integers(Op op, const APInt& a, const APInt& b) {
  bool overflow = false;
  APInt result(kUntypedBits, 0);
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
      if (b.isNegative() || b.uge(kUntypedBits)) return std::nullopt;
      result = a.sshl_ov(b, overflow);
      break;
    case Op::Shr:
      if (b.isNegative()) return std::nullopt;
      result = b.uge(kUntypedBits) ? APInt(kUntypedBits, a.isNegative() ? -1 : 0, true) : a.ashr(b);
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
  return impl_->add((APInt(kUntypedBits, hi) << 64) | APInt(kUntypedBits, lo));
}

UntypedId UntypedTable::real(std::string_view decimal) {
  APFloat value(APFloat::IEEEquad());
  const std::string digits = shortened(decimal);
  auto status = value.convertFromString(digits, APFloat::rmNearestTiesToEven);
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
    if (op == Op::Neg) return impl_->integers(Op::Sub, APInt(kUntypedBits, 0), APInt(*integer));
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

bool UntypedTable::divides_inexactly(UntypedId a, UntypedId b) const {
  const APInt *x = impl_->integer(a), *y = impl_->integer(b);
  return x != nullptr && y != nullptr && !y->isZero() && !x->srem(*y).isZero();
}

}  // namespace cdsl::sema
