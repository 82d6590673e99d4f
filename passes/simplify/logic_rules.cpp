// Rules on bool, comparisons and select. An operand that might report is never dropped.
#include "passes/simplify/algebra.h"

namespace cdsl::simplification {
namespace {

using Result = std::optional<ExprId>;

std::optional<bool> truth(const Algebra& a, ExprArena& arena, ExprId id) {
  const Value* value =
      a.is_constant(id) && arena.type(id) == ScalarType::Bool ? arena.constant_value(id) : nullptr;
  return value == nullptr ? std::nullopt : std::optional(value->i != 0);
}

Result known_operand(Algebra& a, ExprId id) {
  const bool conjunction = a.is(id, Op::LogicalAnd);
  if (!conjunction && !a.is(id, Op::LogicalOr)) return {};
  const auto left = truth(a, a.arena(), a.arg(id, 0)), right = truth(a, a.arena(), a.arg(id, 1));
  if (left) return *left == conjunction ? a.arg(id, 1) : a.arg(id, 0);
  if (right && *right == conjunction) return a.arg(id, 0);
  if (right && a.can_drop(a.arg(id, 0))) return a.arg(id, 1);
  return {};
}

Result same_condition(Algebra& a, ExprId id) {
  const bool fits = a.is(id, Op::LogicalAnd) || a.is(id, Op::LogicalOr);
  if (fits && a.arg(id, 0) == a.arg(id, 1)) return a.arg(id, 0);
  return {};
}

Result double_not(Algebra& a, ExprId id) {
  if (a.is(id, Op::LogicalNot) && a.is(a.arg(id, 0), Op::LogicalNot)) return a.arg(a.arg(id, 0), 0);
  return {};
}

// NaN: !(x < y) is not x >= y, but !(x == y) is x != y.
Result not_comparison(Algebra& a, ExprId id) {
  if (!a.is(id, Op::LogicalNot)) return {};
  const ExprId inner = a.arg(id, 0);
  constexpr std::pair<Op, Op> kOpposites[] = {{Op::Eq, Op::Ne}, {Op::Ne, Op::Eq}, {Op::Lt, Op::Ge},
                                              {Op::Ge, Op::Lt}, {Op::Le, Op::Gt}, {Op::Gt, Op::Le}};
  for (const auto& [op, opposite] : kOpposites) {
    if (!a.is(inner, op)) continue;
    const bool exact = op == Op::Eq || op == Op::Ne || is_integer(a.arena().type(a.arg(inner, 0)));
    if (exact) return a.make(opposite, {a.arg(inner, 0), a.arg(inner, 1)});
  }
  return {};
}

Result compare_with_itself(Algebra& a, ExprId id) {
  const Op op = a.arena().get_if<Apply>(id)->op;
  if (info(op).op_class != OpClass::Compare || a.arg(id, 0) != a.arg(id, 1)) return {};
  if (!is_integer(a.arena().type(a.arg(id, 0))) || !a.can_drop(a.arg(id, 0))) return {};
  return a.arena().boolean(op == Op::Eq || op == Op::Le || op == Op::Ge);
}

Result known_choice(Algebra& a, ExprId id) {
  if (!a.is(id, Op::Select)) return {};
  const auto condition = truth(a, a.arena(), a.arg(id, 0));
  if (condition) return a.arg(id, *condition ? 1 : 2);
  return {};
}

Result same_arms(Algebra& a, ExprId id) {
  const bool fits =
      a.is(id, Op::Select) && a.arg(id, 1) == a.arg(id, 2) && a.can_drop(a.arg(id, 0));
  return fits ? Result(a.arg(id, 1)) : Result{};
}

Result swapped_arms(Algebra& a, ExprId id) {
  if (!a.is(id, Op::Select) || !a.is(a.arg(id, 0), Op::LogicalNot)) return {};
  return a.make(Op::Select, {a.arg(a.arg(id, 0), 0), a.arg(id, 2), a.arg(id, 1)});
}

Result choice_of_truth(Algebra& a, ExprId id) {
  if (!a.is(id, Op::Select) || a.arena().type(id) != ScalarType::Bool) return {};
  const auto first = truth(a, a.arena(), a.arg(id, 1)), second = truth(a, a.arena(), a.arg(id, 2));
  if (!first || !second || *first == *second) return {};
  return *first ? a.arg(id, 0) : a.make(Op::LogicalNot, {a.arg(id, 0)});
}

constexpr Rule kRules[] = {
    {"known operand of && or ||", "true && c -> c", known_operand},
    {"same condition twice", "c && c -> c", same_condition},
    {"double not", "!!c -> c", double_not},
    {"not of a comparison", "!(n < m) -> n >= m", not_comparison},
    {"compare with itself", "n == n -> true", compare_with_itself},
    {"known choice", "if true { x } else { y } -> x", known_choice},
    {"same arms", "if c { x } else { x } -> x", same_arms},
    {"swapped arms", "if !c { x } else { y } -> if c { y } else { x }", swapped_arms},
    {"choice of truth", "if c { true } else { false } -> c", choice_of_truth},
};

}  // namespace

std::span<const Rule> logic_rules() {
  return kRules;
}

}  // namespace cdsl::simplification
