#include "dsl/ranges/interval.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "dsl/expr/walk.h"

namespace cdsl {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kGreatest = std::numeric_limits<int64_t>::max();

bool contains(const Interval& outer, const Interval& inner) { return outer.lo <= inner.lo && inner.hi <= outer.hi; }

// The exact result of an operation; nullopt where it leaves i64, or for operations that have none here.
std::optional<Interval> sum(const Interval& a, const Interval& b) {
  Interval r;
  if (__builtin_add_overflow(a.lo, b.lo, &r.lo) || __builtin_add_overflow(a.hi, b.hi, &r.hi)) return std::nullopt;
  return r;
}

std::optional<Interval> difference(const Interval& a, const Interval& b) {
  Interval r;
  if (__builtin_sub_overflow(a.lo, b.hi, &r.lo) || __builtin_sub_overflow(a.hi, b.lo, &r.hi)) return std::nullopt;
  return r;
}

std::optional<Interval> product(const Interval& a, const Interval& b) {
  Interval r{kGreatest, kLeast};
  for (const int64_t x : {a.lo, a.hi}) {
    for (const int64_t y : {b.lo, b.hi}) {
      int64_t value = 0;
      if (__builtin_mul_overflow(x, y, &value)) return std::nullopt;
      r = {std::min(r.lo, value), std::max(r.hi, value)};
    }
  }
  return r;
}

using Known = std::unordered_map<uint32_t, std::optional<Interval>>;

// Of an operation on integers, before it wraps.
std::optional<Interval> exact(const ExprArena& arena, ExprId id, Op op, const Known& known) {
  const auto args = arena.args(id);
  const auto of = [&](std::size_t k) { return known.at(args[op == Op::Select ? k + 1 : k].value); };
  const auto a = of(0);
  if (!a) return std::nullopt;
  if (op == Op::Cast) return a;
  if (op == Op::Neg) return difference({0, 0}, *a);
  const auto b = args.size() > 1 ? of(1) : std::nullopt;
  if (!b) return std::nullopt;
  const bool by_positive = b->lo == b->hi && b->lo > 0;
  switch (op) {
    case Op::Add: return sum(*a, *b);
    case Op::Sub: return difference(*a, *b);
    case Op::Mul: return product(*a, *b);
    case Op::Min: return Interval{std::min(a->lo, b->lo), std::min(a->hi, b->hi)};
    case Op::Max: return Interval{std::max(a->lo, b->lo), std::max(a->hi, b->hi)};
    case Op::Select: return Interval{std::min(a->lo, b->lo), std::max(a->hi, b->hi)};
    case Op::Div: case Op::FloorDiv:
      if (by_positive && a->lo >= 0) return Interval{a->lo / b->lo, a->hi / b->lo};
      return std::nullopt;
    case Op::Rem: case Op::FloorMod:
      if (by_positive && (a->lo >= 0 || op == Op::FloorMod)) return Interval{0, b->lo - 1};
      return std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<Interval> of_symbol(const ExprArena& arena, SymbolId id, const Interval& type, const SymbolInterval& symbol) {
  Interval result = type;
  if (arena.symbol(id).kind == SymbolKind::Size) result.lo = 0;
  const auto more = symbol ? symbol(id) : std::nullopt;
  if (more) result = {std::max(result.lo, more->lo), std::min(result.hi, more->hi)};
  return result;
}

Known intervals(const ExprArena& arena, ExprId root, const SymbolInterval& symbol) {
  Known known;
  for (ExprId id : postorder(arena, std::span(&root, 1))) {
    const auto type = interval_of(arena.type(id));
    std::optional<Interval>& result = known[id.value];
    if (!type) continue;
    result = type;
    if (const Value* constant = arena.constant_value(id)) {
      result = Interval{constant->i, constant->i};
    } else if (const auto* node = arena.get_if<Symbol>(id)) {
      result = of_symbol(arena, node->symbol, *type, symbol);
    } else if (const auto* apply = arena.get_if<Apply>(id)) {
      const auto found = exact(arena, id, apply->op, known);
      if (found && contains(*type, *found)) result = found;
    }
  }
  return known;
}

}  // namespace

std::optional<Interval> interval_of(ScalarType type) {
  if (!is_integer(type) || type == ScalarType::U64) return std::nullopt;
  const int width = 8 * size_of(type);
  if (!is_signed_integer(type)) return Interval{0, static_cast<int64_t>((uint64_t{1} << width) - 1)};
  const int64_t greatest = static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1);
  return Interval{-greatest - 1, greatest};
}

std::optional<Interval> interval_of(const ExprArena& arena, ExprId id, const SymbolInterval& symbol) {
  return intervals(arena, id, symbol).at(id.value);
}

bool never_wraps(const ExprArena& arena, ExprId id, const SymbolInterval& symbol) {
  const auto* apply = arena.get_if<Apply>(id);
  const bool may = apply != nullptr && (apply->op == Op::Add || apply->op == Op::Sub || apply->op == Op::Mul ||
                                        apply->op == Op::Neg || apply->op == Op::Cast);
  if (!may) return true;
  const auto type = interval_of(arena.type(id));
  const auto found = exact(arena, id, apply->op, intervals(arena, id, symbol));
  return type && found && contains(*type, *found);
}

}  // namespace cdsl
