#include "passes/lower/tiles/digit_parts.h"

#include "dsl/expr/integer.h"

namespace cdsl::lowering {

namespace {

using Parts = std::vector<DigitPart>;

/// The parts that count less than `divisor`, or the others, divided by it.
std::optional<Parts> split(const Parts& parts, int64_t divisor, bool quotient) {
  Parts low, high;
  for (const DigitPart& p : parts) {
    if (p.weight * p.extent <= divisor) {
      low.push_back(p);
    } else if (p.weight >= divisor) {
      if (p.weight % divisor != 0) return std::nullopt;
      high.push_back({p.axis, p.number, p.below, p.extent, p.weight / divisor});
    } else {
      const int64_t values = divisor / p.weight;   // of the digit, that lie below
      if (divisor % p.weight != 0 || p.extent % values != 0) return std::nullopt;
      low.push_back({p.axis, p.number, p.below, values, p.weight});
      high.push_back({p.axis, p.number, p.below * values, p.extent / values, 1});
    }
  }
  return quotient ? high : low;
}

Parts of_axis(const loop::Distribution& distribution, SymbolId axis) {
  Parts parts;
  const auto digits = distribution.digits(axis);
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (digits[k].extent > 1) parts.push_back({axis, k, 1, digits[k].extent, digits[k].weight});
  }
  return parts;
}

}  // namespace

std::optional<std::vector<DigitPart>> digit_parts(const ExprArena& arena, const loop::Distribution& distribution, ExprId id) {
  if (const auto* symbol = arena.get_if<Symbol>(id)) {
    if (!distribution.is_axis(symbol->symbol)) return std::nullopt;
    return of_axis(distribution, symbol->symbol);
  }
  const auto* apply = arena.get_if<Apply>(id);
  if (apply == nullptr) return std::nullopt;
  const auto args = arena.args(id);
  // Axes are short, 2^20 at most: these types hold their numbers.
  const bool keeps = arena.type(id) == ScalarType::I64 || arena.type(id) == ScalarType::I32;
  if (apply->op == Op::Cast && keeps) return digit_parts(arena, distribution, args[0]);
  if (apply->op != Op::Div && apply->op != Op::Rem) return std::nullopt;
  const auto divisor = constant_integer(arena, args[1]);
  if (!keeps || !divisor || *divisor <= 0) return std::nullopt;
  const auto parts = digit_parts(arena, distribution, args[0]);
  return parts ? split(*parts, *divisor, apply->op == Op::Div) : std::nullopt;
}

}  // namespace cdsl::lowering
