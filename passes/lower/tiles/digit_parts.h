// Quotients and remainders of an axis by products of its digits are digits again: with `axis m = warp 2 * reg 4 * lane 8 by 4`
// the number m / 8 % 4 is the register digit, so that an array of registers is indexed by what unrolling makes a constant.
#pragma once

#include <optional>
#include <vector>

#include "dsl/expr/expr.h"
#include "dsl/loop/distribution.h"

namespace cdsl::lowering {

/// (digit `number` of the axis / below) mod extent, which counts `weight` in the sum of all parts.
struct DigitPart {
  SymbolId axis;
  std::size_t number = 0;
  int64_t below = 1, extent = 1, weight = 1;
};

/// The parts whose sum `id`, a quotient or remainder of an axis by constants, is. Nothing where a divisor cuts through a digit
/// that it does not divide, and for all other expressions.
std::optional<std::vector<DigitPart>> digit_parts(const ExprArena& arena, const loop::Distribution& distribution, ExprId id);

}  // namespace cdsl::lowering
