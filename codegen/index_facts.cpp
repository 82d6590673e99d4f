#include "codegen/index_facts.h"

#include <algorithm>
#include <bit>

namespace cdsl::cuda {
namespace {

constexpr int kIndexBits = 40;
constexpr int kSmallSizeBits = 30;   // of sizes that lowering takes as i32

int width_of(ScalarType type) {
  return 8 * size_of(type);
}

bool is_bounded(ScalarType type) {
  return is_integer(type) || type == ScalarType::Bool;
}

// All that the type says.
ValueFacts of_type(ScalarType type) {
  if (type == ScalarType::Bool) return {false, true, 0};
  if (!is_integer(type)) return {};
  const bool is_signed = is_signed_integer(type);
  return {false, !is_signed, width_of(type) - (is_signed ? 1 : 0)};
}

ValueFacts of_constant(const Value& value, ScalarType type) {
  if (!is_bounded(type)) return {};
  if (type == ScalarType::U64 && value.i < 0) return of_type(type);
  const uint64_t magnitude = value.i < 0 ? 0 - value.bits() : value.bits();
  return {true, value.i >= 0, magnitude == 0 ? 0 : static_cast<int>(std::bit_width(magnitude - 1))};
}

}  // namespace

void IndexFacts::define(SymbolId symbol, ExprId value) {
  if (!is_bounded(arena_.type(value))) return;
  symbols_[symbol] = of(value);
  values_[symbol] = value;
}

void IndexFacts::define_within(SymbolId symbol, ExprId value, ExprId lo, ExprId hi) {
  define(symbol, value);
  symbols_[symbol] = {true, nonnegative(lo), std::max(of(lo).bits, of(hi).bits)};
}

void IndexFacts::define_loop(SymbolId index, ExprId lo, ExprId hi, ExprId step) {
  const ScalarType type = arena_.symbol(index).type;
  const bool up = positive(step) || nonnegative(step);
  int bits = std::min(kIndexBits, width_of(type) - 1);
  if (up && nonnegative(lo)) bits = std::min(bits, of(hi).bits);
  symbols_[index] = {true, up && nonnegative(lo), bits};
}

const ValueFacts& IndexFacts::of(ExprId id) {
  std::vector<ExprId> pending{id};
  while (!pending.empty()) {
    const ExprId top = pending.back();
    if (is_known(top)) {
      pending.pop_back();
      continue;
    }
    const std::size_t before = pending.size();
    if (arena_.get_if<Apply>(top) != nullptr) {
      for (const ExprId arg : arena_.args(top)) {
        if (!is_known(arg)) pending.push_back(arg);
      }
    }
    if (pending.size() != before) continue;
    facts_.emplace(top, compute(top));
    pending.pop_back();
  }
  return facts_.at(id);
}

ValueFacts IndexFacts::known(ExprId id) const {
  const auto found = facts_.find(id);
  return found == facts_.end() ? ValueFacts{} : found->second;
}

ValueFacts IndexFacts::compute(ExprId id) const {
  const ScalarType type = arena_.type(id);
  if (const Value* value = arena_.constant_value(id)) return of_constant(*value, type);
  if (const Symbol* symbol = arena_.get_if<Symbol>(id)) return of_symbol(symbol->symbol);
  const Apply* apply = arena_.get_if<Apply>(id);
  if (apply == nullptr || !is_bounded(type)) return of_type(type);
  ValueFacts facts = of_apply(apply->op, id);
  const ValueFacts limit = of_type(type);
  // A result that may wrap is known no better than its type.
  const bool least =
      apply->op == Op::Abs && facts.bits >= limit.bits;  // abs of the least value is itself
  if (facts.bits > limit.bits || least || !is_signed_integer(type))
    return {facts.index, limit.nonnegative, limit.bits};
  return facts;
}

ValueFacts IndexFacts::of_symbol(SymbolId symbol) const {
  if (const auto found = symbols_.find(symbol); found != symbols_.end()) return found->second;
  const SymbolInfo& info = arena_.symbol(symbol);
  const int bits = std::min(kIndexBits, width_of(info.type) - 1);
  switch (info.kind) {
    case SymbolKind::Size: return {true, true, std::min(bits, info.type == ScalarType::I32 ? kSmallSizeBits : bits)};
    case SymbolKind::Index: return {true, false, bits};
    case SymbolKind::Special: return {true, true, 31};
    case SymbolKind::Scalar:
    case SymbolKind::Local: return of_type(info.type);
  }
  return {};
}

ValueFacts IndexFacts::of_apply(Op op, ExprId id) const {
  const auto args = arena_.args(id);
  const ValueFacts a = known(args[0]);
  const ValueFacts b = args.size() > 1 ? known(args[1]) : a;
  const bool index = a.index && b.index;
  const bool both = a.nonnegative && b.nonnegative;
  switch (op) {
    case Op::Add: return {index, both, std::max(a.bits, b.bits) + 1};
    case Op::Sub: return {index, false, std::max(a.bits, b.bits) + 1};
    case Op::Mul: return {index, both, a.bits + b.bits};
    case Op::Neg: return {index, false, a.bits + 1};
    case Op::Div: return {index, both, a.bits};
    case Op::FloorDiv: return {index, both, a.bits + 1};
    case Op::Rem: return {index, a.nonnegative, a.bits};
    case Op::FloorMod: return {index, both, std::max(a.bits, b.bits)};
    case Op::Min: return {index, both, std::max(a.bits, b.bits)};
    case Op::Max: return {index, a.nonnegative || b.nonnegative, std::max(a.bits, b.bits)};
    case Op::Shr: return {index, a.nonnegative, a.bits};
    case Op::Abs: return {index, true, a.bits};
    case Op::And: return {index, a.nonnegative || b.nonnegative, std::max(a.bits, b.bits)};
    case Op::Select: {
      const ValueFacts c = known(args[2]);
      return {b.index && c.index, b.nonnegative && c.nonnegative, std::max(b.bits, c.bits)};
    }
    case Op::Cast: {
      const ScalarType from = arena_.type(args[0]), to = arena_.type(id);
      const ValueFacts limit = of_type(to);
      if (!is_bounded(from) || a.bits > limit.bits || (!a.nonnegative && !is_signed_integer(to)))
        return limit;
      return {a.index && width_of(to) >= width_of(from), a.nonnegative, a.bits};
    }
    default: return of_type(arena_.type(id));
  }
}

bool IndexFacts::is_plain(ExprId id, bool address) {
  const ScalarType type = arena_.type(id);
  if (!is_signed_integer(type)) return true;
  const Apply* apply = arena_.get_if<Apply>(id);
  of(id);
  const auto args = arena_.args(id);
  const auto is_constant = [&](ExprId arg) { return arena_.constant_value(arg) != nullptr; };
  const bool variable = !std::all_of(args.begin(), args.end(), is_constant);
  if (variable && known(id).index && (address || type == ScalarType::I32)) return true;
  return of_apply(apply->op, id).bits <= width_of(type) - 2;
}

bool IndexFacts::positive(ExprId id) const {
  if (const Value* value = arena_.constant_value(id))
    return is_integer(arena_.type(id)) && value->i > 0;
  if (std::find(positive_.begin(), positive_.end(), id) != positive_.end()) return true;
  const Apply* apply = arena_.get_if<Apply>(id);
  if (apply == nullptr) {
    const Symbol* symbol = arena_.get_if<Symbol>(id);
    const auto value = symbol != nullptr ? values_.find(symbol->symbol) : values_.end();
    return value != values_.end() && positive(value->second);
  }
  const auto args = arena_.args(id);
  if (apply->op == Op::Cast) return is_integer(arena_.type(args[0])) && positive(args[0]);
  if (apply->op == Op::Max && is_integer(arena_.type(id)))
    return positive(args[0]) || positive(args[1]);
  if (apply->op == Op::Mul && known(id).index)
    return positive(args[0]) && positive(args[1]);
  return false;
}

void IndexFacts::assume_positive(ExprId product) {
  std::vector<ExprId> pending{product};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    positive_.push_back(id);
    const Symbol* symbol = arena_.get_if<Symbol>(id);
    if (symbol != nullptr) {
      if (const auto value = values_.find(symbol->symbol); value != values_.end())
        pending.push_back(value->second);
    } else if (const Apply* apply = arena_.get_if<Apply>(id); apply != nullptr) {
      const auto args = arena_.args(id);
      if (apply->op == Op::Mul && is_nonnegative_product(id))
        pending.insert(pending.end(), args.begin(), args.end());
      if (apply->op == Op::Cast && is_integer(arena_.type(args[0]))) pending.push_back(args[0]);
      const Value* floor = apply->op == Op::Max ? arena_.constant_value(args[1]) : nullptr;
      if (floor != nullptr && is_integer(arena_.type(id)) && floor->i <= 0)
        pending.push_back(args[0]);
    }
  }
}

// No factor is negative, whatever the product comes to: a loop bound does not overflow.
bool IndexFacts::is_nonnegative_product(ExprId id) {
  std::vector<ExprId> pending{id};
  while (!pending.empty()) {
    const ExprId factor = pending.back();
    pending.pop_back();
    if (nonnegative(factor)) continue;
    if (!arena_.is_apply(factor, Op::Mul)) return false;
    const auto args = arena_.args(factor);
    pending.insert(pending.end(), args.begin(), args.end());
  }
  return true;
}

void IndexFacts::assume(ExprId condition) {
  std::vector<ExprId> pending{condition};
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    const Apply* apply = arena_.get_if<Apply>(id);
    if (apply == nullptr) continue;
    const auto args = arena_.args(id);
    if (apply->op == Op::LogicalAnd) pending.insert(pending.end(), args.begin(), args.end());
    if (apply->op == Op::Lt && is_integer(arena_.type(args[0])) && nonnegative(args[0]))
      assume_positive(args[1]);
    if (apply->op == Op::Gt && is_integer(arena_.type(args[1])) && nonnegative(args[1]))
      assume_positive(args[0]);
  }
}

}  // namespace cdsl::cuda
