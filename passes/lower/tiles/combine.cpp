#include "passes/lower/tiles/combine.h"

#include <limits>
#include <unordered_map>

#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/reduction.h"

namespace cdsl::lowering {

std::vector<ExprId> identity_of(ExprArena& arena, const loop::Combine& how, const std::vector<ScalarType>& types) {
  if (how.monoid == Monoid::User) return how.identity;
  std::vector<ExprId> result{identity_of(arena, how.monoid, types[0])};
  if (types.size() > 1) result.push_back(arena.integer(-1, types[1]));
  return result;
}

namespace {

// One comparison: a later point has to be better.
ExprId is_better_later(ExprArena& arena, const loop::Combine& how, const std::vector<ExprId>& a, const std::vector<ExprId>& b) {
  const auto apply = [&](Op op, std::initializer_list<ExprId> args) { return arena.apply(op, args); };
  // No number is at least a NaN; the first NaN stays.
  const ExprId wins = apply(Op::LogicalNot, {apply(how.monoid == Monoid::ArgMin ? Op::Ge : Op::Le, {b[0], a[0]})});
  if (!is_float(arena.type(a[0]))) return wins;
  return apply(Op::LogicalAnd, {apply(Op::LogicalNot, {apply(Op::IsNan, {a[0]})}), wins});
}

}  // namespace

ExprId is_better(ExprArena& arena, const loop::Combine& how, const std::vector<ExprId>& a, const std::vector<ExprId>& b, Positions positions) {
  if (positions == Positions::Named) return is_better_later(arena, how, a, b);
  if (positions == Positions::Rising) {
    const ExprId nothing = arena.apply(Op::Lt, {a[1], arena.integer(0, arena.type(a[1]))});
    return arena.apply(Op::LogicalOr, {nothing, is_better_later(arena, how, a, b)});
  }
  const auto apply = [&](Op op, std::initializer_list<ExprId> args) { return arena.apply(op, args); };
  // As unsigned numbers, so that -1 (nothing) is last.
  const ScalarType whole = size_of(arena.type(a[1])) == 4 ? ScalarType::U32 : ScalarType::U64;
  const ExprId earlier = apply(Op::Lt, {arena.cast(b[1], whole), arena.cast(a[1], whole)});
  const Op wins = how.monoid == Monoid::ArgMin ? Op::Lt : Op::Gt;
  const ExprId equal = apply(Op::LogicalAnd, {apply(Op::Eq, {b[0], a[0]}), earlier});
  const ExprId better = apply(Op::LogicalOr, {apply(wins, {b[0], a[0]}), equal});
  if (!is_float(arena.type(a[0]))) return better;
  const ExprId a_is_number = apply(Op::LogicalNot, {apply(Op::IsNan, {a[0]})}), b_is_nan = apply(Op::IsNan, {b[0]});
  const ExprId first_nan = apply(Op::LogicalAnd, {b_is_nan, apply(Op::LogicalOr, {a_is_number, earlier})});
  return apply(Op::LogicalOr, {first_nan, apply(Op::LogicalAnd, {a_is_number, better})});
}

std::vector<ExprId> combined(ExprArena& arena, const loop::Combine& how, const std::vector<ExprId>& a,
                             const std::vector<ExprId>& b) {
  const auto apply = [&](Op op, std::initializer_list<ExprId> args) { return arena.apply(op, args); };
  switch (how.monoid) {
    case Monoid::Sum:
    case Monoid::Count: return {apply(Op::Add, {a[0], b[0]})};
    case Monoid::Prod: return {apply(Op::Mul, {a[0], b[0]})};
    case Monoid::Min: return {apply(Op::Min, {a[0], b[0]})};
    case Monoid::Max: return {apply(Op::Max, {a[0], b[0]})};
    case Monoid::Any: return {apply(Op::LogicalOr, {a[0], b[0]})};
    case Monoid::All: return {apply(Op::LogicalAnd, {a[0], b[0]})};
    case Monoid::ArgMin:
    case Monoid::ArgMax: break;
    case Monoid::User: {
      std::unordered_map<SymbolId, ExprId> with;
      for (std::size_t k = 0; k < a.size(); ++k) with[how.left[k]] = a[k], with[how.right[k]] = b[k];
      std::vector<ExprId> result;
      for (ExprId part : how.combine) result.push_back(substitute(arena, part, with));
      return result;
    }
  }
  CDSL_UNREACHABLE("an arg-reduction asks is_better");
}

}  // namespace cdsl::lowering
