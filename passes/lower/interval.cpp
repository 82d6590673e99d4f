#include "passes/lower/interval.h"

#include <algorithm>
#include <initializer_list>

namespace cdsl::lowering {
namespace {

using Wide = __int128;
using Maybe = std::optional<Interval>;

Maybe between(std::initializer_list<Wide> values) {
  const Wide lo = std::min(values), hi = std::max(values);
  if (lo < INT64_MIN || hi > INT64_MAX) return std::nullopt;
  return Interval{static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

Maybe type_range(ScalarType type) {
  if (type == ScalarType::Bool) return Interval{0, 1};
  if (!is_integer(type) || size_of(type) == 8) return std::nullopt;
  const int bits = 8 * size_of(type);
  if (is_signed_integer(type))
    return Interval{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
  return Interval{0, (int64_t{1} << bits) - 1};
}

// Truncating; the divisor may be 0 (x / 0 = 0).
Maybe quotient(Interval a, Interval b) {
  if (b.lo <= 0) return std::nullopt;
  return between(
      {Wide{a.lo} / b.lo, Wide{a.lo} / b.hi, Wide{a.hi} / b.lo, Wide{a.hi} / b.hi, Wide{0}});
}

Maybe remainder(Interval a, Interval b, bool floors) {
  if (b.lo <= 0) return std::nullopt;
  if (a.lo >= 0) return Interval{0, std::min(a.hi, b.hi - 1)};
  if (floors) return Interval{0, b.hi - 1};
  return Interval{std::max(a.lo, 1 - b.hi), std::max<int64_t>(0, std::min(a.hi, b.hi - 1))};
}

}  // namespace

void Intervals::define(SymbolId symbol, Maybe values) {
  symbols_[symbol.value] = values;
}

Maybe Intervals::of(ExprId id) {
  if (const auto found = known_.find(id.value); found != known_.end()) return found->second;
  Maybe result = compute(id);
  if (arena_.type(id) == ScalarType::U64 && result && result->lo < 0) result.reset();   // it has wrapped
  // What arithmetic says must be possible in the type, else it may have wrapped.
  const Maybe range = type_range(arena_.type(id));
  if (range && (!result || result->lo < range->lo || result->hi > range->hi)) result = range;
  return known_[id.value] = result;
}

Maybe Intervals::compute(ExprId id) {
  if (!is_integer(arena_.type(id))) return type_range(arena_.type(id));
  if (const Value* value = arena_.constant_value(id)) {
    if (arena_.type(id) == ScalarType::U64 && value->i < 0) return std::nullopt;
    return Interval{value->i, value->i};
  }
  if (const auto* symbol = arena_.get_if<Symbol>(id)) {
    const auto found = symbols_.find(symbol->symbol.value);
    return found == symbols_.end() ? std::nullopt : found->second;
  }
  if (const auto* node = arena_.get_if<Apply>(id)) return apply(id, node->op);
  return std::nullopt;
}

Maybe Intervals::apply(ExprId id, Op op) {
  const auto args = arena_.args(id);
  if (op == Op::Cast)
    return is_integer(arena_.type(args[0])) || arena_.type(args[0]) == ScalarType::Bool
               ? of(args[0])
               : std::nullopt;
  const bool choice = op == Op::Select;
  const Maybe first = of(args[choice ? 1 : 0]);
  const Maybe second = args.size() > 1 ? of(args[choice ? 2 : 1]) : first;
  if (op == Op::FloorMod || op == Op::Rem) {
    if (!second) return std::nullopt;
    if (first) return remainder(*first, *second, op == Op::FloorMod);
    return second->lo > 0 ? Maybe(Interval{op == Op::Rem ? 1 - second->hi : 0, second->hi - 1})
                          : std::nullopt;
  }
  if (!first || !second) return std::nullopt;
  const Wide a = first->lo, b = first->hi, c = second->lo, d = second->hi;
  switch (op) {
    case Op::Neg: return between({-a, -b});
    case Op::Add: return between({a + c, b + d});
    case Op::Sub: return between({a - d, b - c});
    case Op::Mul: return between({a * c, a * d, b * c, b * d});
    case Op::Div: return quotient(*first, *second);
    case Op::FloorDiv: {
      const Maybe q = quotient(*first, *second);
      return q && first->lo < 0 ? between({Wide{q->lo} - 1, Wide{q->hi}}) : q;
    }
    case Op::Min: return Interval{std::min(first->lo, second->lo), std::min(first->hi, second->hi)};
    case Op::Max: return Interval{std::max(first->lo, second->lo), std::max(first->hi, second->hi)};
    case Op::Abs: return a >= 0 ? first : between({Wide{0}, -a, b < 0 ? -b : b});
    case Op::Select:
      return Interval{std::min(first->lo, second->lo), std::max(first->hi, second->hi)};
    default: return std::nullopt;
  }
}

}  // namespace cdsl::lowering
