#include "passes/lower/boundary.h"

#include "dsl/expr/integer.h"
#include "dsl/support/check.h"

namespace cdsl::lowering {
namespace {

// u[i - 1] with period 2 * (E - 1): 0 1 2 3 2 1 0 ...  Written with abs so that the remainder
// occurs once.
ExprId reflect(ExprArena& arena, ExprId subscript, ExprId extent) {
  const ExprId last = index_sub(arena, extent, arena.integer(1));
  const ExprId period =
      index_max(arena, index_mul(arena, arena.integer(2), last), arena.integer(1));
  const ExprId folded = index_floormod(arena, subscript, period);
  return index_sub(arena, last, arena.apply(Op::Abs, {index_sub(arena, last, folded)}));
}

// Period 2 * E: 0 1 2 3 3 2 1 0 0 ...
ExprId symmetric(ExprArena& arena, ExprId subscript, ExprId extent) {
  const ExprId period = index_mul(arena, arena.integer(2), extent);
  const ExprId folded = index_floormod(arena, subscript, period);
  return index_min(arena, folded,
                   index_sub(arena, index_sub(arena, period, arena.integer(1)), folded));
}

ExprId clamp(ExprArena& arena, const Ranges& ranges, ExprId subscript, ExprId extent) {
  const ExprId zero = arena.integer(0);
  ExprId index = subscript;
  if (!ranges.nonnegative(subscript)) index = index_max(arena, index, zero);
  if (!ranges.less(subscript, extent))
    index = index_min(arena, index, index_sub(arena, extent, arena.integer(1)));
  return index;
}

}  // namespace

ExprId inside_test(ExprArena& arena, const Ranges& ranges, ExprId subscript, ExprId extent) {
  ExprId test;
  if (!ranges.nonnegative(subscript)) test = arena.apply(Op::Ge, {subscript, arena.integer(0)});
  if (!ranges.less(subscript, extent))
    test = logical_and(arena, test, arena.apply(Op::Lt, {subscript, extent}));
  return test;
}

Folded fold(ExprArena& arena, const Ranges& ranges, Boundary mode, ExprId subscript,
            ExprId extent) {
  switch (mode) {
    case Boundary::None:
    case Boundary::Unchecked: return {subscript, {}};
    case Boundary::Zero:
    case Boundary::Fill: return {subscript, inside_test(arena, ranges, subscript, extent)};
    case Boundary::Clamp:
    case Boundary::Reflect:
    case Boundary::Symmetric:
    case Boundary::Wrap: break;
  }
  if (ranges.inside(subscript, extent)) return {subscript, {}};
  ExprId empty_test;
  if (!ranges.positive(extent)) empty_test = arena.apply(Op::Gt, {extent, arena.integer(0)});
  switch (mode) {
    case Boundary::Clamp: return {clamp(arena, ranges, subscript, extent), empty_test};
    case Boundary::Reflect: return {reflect(arena, subscript, extent), empty_test};
    case Boundary::Symmetric: return {symmetric(arena, subscript, extent), empty_test};
    default: return {index_floormod(arena, subscript, extent), empty_test};
  }
}

}  // namespace cdsl::lowering
