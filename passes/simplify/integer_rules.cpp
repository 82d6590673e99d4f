// Rules on integers. All arithmetic wraps, so each holds for every value.
#include "dsl/types/arithmetic.h"
#include "passes/simplify/algebra.h"

namespace cdsl::simplification {
namespace {

using Result = std::optional<ExprId>;

// op of two constants of one type.
ExprId combined(Algebra& a, Op op, ExprId x, ExprId y) {
  const Value args[] = {*a.arena().constant_value(x), *a.arena().constant_value(y)};
  const ScalarType type = a.arena().type(x);
  return a.arena().constant(type, apply(op, type, args));
}

ExprId number(Algebra& a, ExprId like, int64_t value) {
  return a.arena().integer(value, a.arena().type(like));
}

Result constant_right(Algebra& a, ExprId id) {
  const Op op = a.arena().get_if<Apply>(id)->op;
  const bool moves = is_commutative(op) && a.arena().args(id).size() == 2;
  if (!moves || !a.is_constant(a.arg(id, 0)) || a.is_constant(a.arg(id, 1))) return {};
  return a.arena().apply(op, {a.arg(id, 1), a.arg(id, 0)});
}

Result add_nothing(Algebra& a, ExprId id) {
  const Op op = a.arena().get_if<Apply>(id)->op;
  const bool neutral_zero = op == Op::Add || op == Op::Sub || op == Op::Or || op == Op::Xor ||
                            op == Op::Shl || op == Op::Shr;
  if (neutral_zero && a.is_integer_value(a.arg(id, 1), 0)) return a.arg(id, 0);
  return {};
}

Result multiply_by_one(Algebra& a, ExprId id) {
  const Op op = a.arena().get_if<Apply>(id)->op;
  const bool neutral_one = op == Op::Mul || op == Op::Div || op == Op::FloorDiv;
  if (neutral_one && a.is_integer_value(a.arg(id, 1), 1)) return a.arg(id, 0);
  return {};
}

Result multiply_by_zero(Algebra& a, ExprId id) {
  const bool fits = (a.is(id, Op::Mul) || a.is(id, Op::And)) && a.is_integer_value(a.arg(id, 1), 0);
  if (fits && a.can_drop(a.arg(id, 0))) return a.arg(id, 1);
  return {};
}

Result remainder_of_one(Algebra& a, ExprId id) {
  const bool fits =
      (a.is(id, Op::Rem) || a.is(id, Op::FloorMod)) && a.is_integer_value(a.arg(id, 1), 1);
  if (fits && a.can_drop(a.arg(id, 0))) return number(a, id, 0);
  return {};
}

Result subtract_itself(Algebra& a, ExprId id) {
  const bool fits = a.is(id, Op::Sub) || a.is(id, Op::Xor);
  if (fits && a.arg(id, 0) == a.arg(id, 1) && a.can_drop(a.arg(id, 0))) return number(a, id, 0);
  return {};
}

Result same_operand(Algebra& a, ExprId id) {
  const bool fits = a.is(id, Op::Min) || a.is(id, Op::Max) || a.is(id, Op::And) || a.is(id, Op::Or);
  if (fits && a.arg(id, 0) == a.arg(id, 1)) return a.arg(id, 0);
  return {};
}

Result double_negation(Algebra& a, ExprId id) {
  for (Op op : {Op::Neg, Op::BitNot}) {
    if (a.is(id, op) && a.is(a.arg(id, 0), op)) return a.arg(a.arg(id, 0), 0);
  }
  return {};
}

Result negate_by_subtracting(Algebra& a, ExprId id) {
  if (a.is(id, Op::Sub) && a.is_integer_value(a.arg(id, 0), 0))
    return a.make(Op::Neg, {a.arg(id, 1)});
  if (a.is(id, Op::Mul) && a.is_integer_value(a.arg(id, 1), -1))
    return a.make(Op::Neg, {a.arg(id, 0)});
  return {};
}

Result add_negative(Algebra& a, ExprId id) {
  if (a.is(id, Op::Add) && a.is(a.arg(id, 1), Op::Neg))
    return a.make(Op::Sub, {a.arg(id, 0), a.arg(a.arg(id, 1), 0)});
  if (a.is(id, Op::Sub) && a.is(a.arg(id, 1), Op::Neg))
    return a.make(Op::Add, {a.arg(id, 0), a.arg(a.arg(id, 1), 0)});
  const bool constant =
      a.is(id, Op::Add) && a.is_constant(a.arg(id, 1)) && is_signed_integer(a.arena().type(id));
  if (!constant) return {};
  const int64_t value = a.arena().constant_value(a.arg(id, 1))->i;
  if (value >= 0) return {};
  const ExprId positive = combined(a, Op::Sub, number(a, id, 0), a.arg(id, 1));
  if (a.arena().constant_value(positive)->i < 0) return {};  // the least value is its own negative
  return a.make(Op::Sub, {a.arg(id, 0), positive});
}

// (x + 1) + 2, (x + 1) - 2, (x - 1) + 2, (x - 1) - 2
Result gather_sum(Algebra& a, ExprId id) {
  const bool outer_add = a.is(id, Op::Add), outer = outer_add || a.is(id, Op::Sub);
  if (!outer || !a.is_constant(a.arg(id, 1))) return {};
  const ExprId inner = a.arg(id, 0);
  const bool inner_add = a.is(inner, Op::Add);
  if (!(inner_add || a.is(inner, Op::Sub)) || !a.is_constant(a.arg(inner, 1))) return {};
  const ExprId zero = number(a, id, 0);
  const ExprId first = combined(a, inner_add ? Op::Add : Op::Sub, zero, a.arg(inner, 1));
  const ExprId both = combined(a, outer_add ? Op::Add : Op::Sub, first, a.arg(id, 1));
  return a.make(Op::Add, {a.arg(inner, 0), both});
}

Result gather_product(Algebra& a, ExprId id) {
  const Op op = a.arena().get_if<Apply>(id)->op;
  if (op != Op::Mul && op != Op::And && op != Op::Or && op != Op::Xor && op != Op::Min &&
      op != Op::Max)
    return {};
  const ExprId inner = a.arg(id, 0);
  if (!a.is_constant(a.arg(id, 1)) || !a.is(inner, op) || !a.is_constant(a.arg(inner, 1)))
    return {};
  return a.make(op, {a.arg(inner, 0), combined(a, op, a.arg(inner, 1), a.arg(id, 1))});
}

// (x + y) - y, (x - y) + y
Result cancel(Algebra& a, ExprId id) {
  const bool subtracts = a.is(id, Op::Sub);
  if (!subtracts && !a.is(id, Op::Add)) return {};
  for (std::size_t side = 0; side < (subtracts ? 1u : 2u); ++side) {
    const ExprId sum = a.arg(id, side), other = a.arg(id, 1 - side);
    if (!a.can_drop(other)) continue;
    if (subtracts && a.is(sum, Op::Add) && a.arg(sum, 1) == other) return a.arg(sum, 0);
    if (subtracts && a.is(sum, Op::Add) && a.arg(sum, 0) == other) return a.arg(sum, 1);
    if (!subtracts && a.is(sum, Op::Sub) && a.arg(sum, 1) == other) return a.arg(sum, 0);
  }
  return {};
}

constexpr Rule kRules[] = {
    {"constant to the right", "1 + x -> x + 1", constant_right},
    {"add nothing", "x + 0 -> x", add_nothing},
    {"multiply by one", "x * 1 -> x", multiply_by_one},
    {"multiply by zero", "n * 0 -> 0", multiply_by_zero},
    {"remainder of one", "n % 1 -> 0", remainder_of_one},
    {"subtract itself", "n - n -> 0", subtract_itself},
    {"same operand", "max(n, n) -> n", same_operand},
    {"double negation", "-(-x) -> x", double_negation},
    {"negate by subtracting", "0 - n -> -n", negate_by_subtracting},
    {"add a negative", "x + (-y) -> x - y", add_negative},
    {"gather a sum", "(n + 1) + 2 -> n + 3", gather_sum},
    {"gather a product", "(n * 2) * 3 -> n * 6", gather_product},
    {"cancel", "(n + m) - m -> n", cancel},
};

}  // namespace

std::span<const Rule> integer_rules() {
  return kRules;
}

}  // namespace cdsl::simplification
