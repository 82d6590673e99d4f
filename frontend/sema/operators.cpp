#include "frontend/sema/operators.h"

#include "dsl/expr/integer.h"
#include "frontend/sema/complex.h"
#include "frontend/sema/record.h"

namespace cdsl::sema {
namespace {

// Index arithmetic folds, so that subscripts and extents come out as a person would write them.
ExprId index_arithmetic(ExprArena& arena, Op op, ExprId x, ExprId y) {
  switch (op) {
    case Op::Add: return index_add(arena, x, y);
    case Op::Sub: return index_sub(arena, x, y);
    case Op::Mul: return index_mul(arena, x, y);
    case Op::FloorDiv: return index_floordiv(arena, x, y);
    case Op::FloorMod: return index_floormod(arena, x, y);
    case Op::Min: return index_min(arena, x, y);
    case Op::Max: return index_max(arena, x, y);
    default: return arena.apply(op, {x, y});
  }
}

void no_such_operation(Analysis& a, Op op, ScalarType type, SourceRange where) {
  auto& error = a.report(
      Code::NoSuchOperation, where,
      "'" + std::string(info(op).spelling) + "' is not defined for " + std::string(name_of(type)));
  if (op == Op::Rem && is_float(type)) error.note(where, "the remainder of floats is fmod(x, y)");
}

bool takes(Op op, ScalarType type) {
  switch (info(op).op_class) {
    case OpClass::Numeric:
      if (type == ScalarType::Bool) return false;
      return !is_complex(type) || op == Op::Add || op == Op::Sub || op == Op::Mul ||
             op == Op::Div || op == Op::Neg;
    case OpClass::Integer:
      if (type == ScalarType::Bool) return op == Op::And || op == Op::Or || op == Op::Xor;
      return is_integer(type);
    case OpClass::Shift: return is_integer(type);
    case OpClass::Compare:
      return op == Op::Eq || op == Op::Ne || (type != ScalarType::Bool && !is_complex(type));
    default: return true;
  }
}

Operand untyped_arithmetic(Analysis& a, Op op, const Written& x, const Written& y,
                           SourceRange where) {
  const UntypedId p = *x.value.untyped(), q = *y.value.untyped();
  const bool whole = !a.untyped.is_float(p) && !a.untyped.is_float(q);
  if (op == Op::Div && whole) op = Op::FloorDiv;
  if (op == Op::Rem && whole) op = Op::FloorMod;
  if (op == Op::FloorDiv && a.untyped.divides_inexactly(p, q)) {
    a.report(Code::IntegerDivision, where,
             "integer division of literals rounds down: " + a.untyped.text(p) + " / " +
                 a.untyped.text(q))
        .fix(x.at.finish(), ".0");
  }
  const auto result = a.untyped.binary(op, p, q);
  if (result) return *result;
  if (!whole) {
    no_such_operation(a, op, ScalarType::F32, where);
  } else {
    a.report(Code::LiteralDoesNotFit, where, "the constant exceeds 512 bits");
  }
  return {};
}

Operand shift(Analysis& a, Op op, Written x, Written y, SourceRange where) {
  if (!is_plain(a, x) || !is_plain(a, y)) return {};
  if (x.value.untyped() != nullptr && y.value.untyped() != nullptr) {
    const auto count = a.untyped.integer_value(*y.value.untyped());
    if (count && *count >= 0) return untyped_arithmetic(a, op, x, y, where);
  }
  const auto value = typed(a, x);
  if (!value) return {};
  const ScalarType type = a.arena().type(value->expr);
  if (!is_integer(type)) {
    no_such_operation(a, op, type, where);
    return {};
  }
  const std::int64_t width = 8 * size_of(type);
  if (y.value.untyped() != nullptr && a.untyped.is_constant(*y.value.untyped())) {
    const auto count = a.untyped.integer_value(*y.value.untyped());
    if (!a.untyped.is_float(*y.value.untyped()) && (!count || *count < 0 || *count >= width)) {
      a.report(Code::ShiftCount, y.at,
               "a shift of " + std::string(name_of(type)) + " by " +
                   a.untyped.text(*y.value.untyped()) + "; counts are 0 to " +
                   std::to_string(width - 1));
      return {};
    }
  }
  const auto count = integer(a, y, "a shift count");
  if (!count) return {};
  return ordinary(a.arena().apply(op, {value->expr, count->expr}));
}

Operand comparison(Analysis& a, Op op, Written x, Written y, SourceRange where) {
  const Meeting how = meet(a, x, y, where);
  if (how == Meeting::Failed) return {};
  if (how == Meeting::Untyped) {
    const auto known = a.untyped.compare(op, *x.value.untyped(), *y.value.untyped());
    if (known) return ordinary(a.arena().boolean(*known));
    const auto p = typed(a, x), q = typed(a, y);
    if (!p || !q) return {};
    x.value = *p;
    y.value = *q;
    if (meet(a, x, y, where) != Meeting::Typed) return {};
  }
  const ExprId p = x.value.scalar()->expr, q = y.value.scalar()->expr;
  if (!takes(op, a.arena().type(p))) {
    no_such_operation(a, op, a.arena().type(p), where);
    return {};
  }
  return ordinary(a.arena().apply(op, {p, q}));
}

}  // namespace

Op ir_op(ast::BinaryOp op) {
  constexpr Op kOps[] = {Op::LogicalOr, Op::LogicalAnd, Op::Eq,  Op::Ne,  Op::Lt,  Op::Le,
                         Op::Gt,        Op::Ge,         Op::Add, Op::Sub, Op::Or,  Op::Xor,
                         Op::Mul,       Op::Div,        Op::Rem, Op::Shl, Op::Shr, Op::And};
  return kOps[static_cast<std::size_t>(op)];
}

Operand binary(Analysis& a, ast::BinaryOp written, Written x, Written y, SourceRange where) {
  const Op op = ir_op(written);
  if (ast::is_comparison(written)) return comparison(a, op, std::move(x), std::move(y), where);
  if (op == Op::Shl || op == Op::Shr) return shift(a, op, std::move(x), std::move(y), where);
  return arithmetic(a, op, std::move(x), std::move(y), where);
}

Operand arithmetic(Analysis& a, Op op, Written x, Written y, SourceRange where) {
  if (!is_plain(a, x) || !is_plain(a, y)) return {};
  const bool complex = is_complex_operand(a, x.value) || is_complex_operand(a, y.value);
  if (complex && takes(op, ScalarType::C64)) {
    return complex_arithmetic(a, op, std::move(x), std::move(y), where);
  }
  const Nature nature = joint_nature(x.value, y.value);
  const Meeting how = meet(a, x, y, where);
  if (how == Meeting::Failed) return {};
  if (how == Meeting::Untyped) return untyped_arithmetic(a, op, x, y, where);
  const ExprId p = x.value.scalar()->expr, q = y.value.scalar()->expr;
  if (!takes(op, a.arena().type(p))) {
    no_such_operation(a, op, a.arena().type(p), where);
    return {};
  }
  if (nature == Nature::Ordinary) return ordinary(a.arena().apply(op, {p, q}));
  if (op == Op::And || op == Op::Or || op == Op::Xor) return ordinary(a.arena().apply(op, {p, q}));
  if (nature == Nature::Size && op == Op::Div) op = Op::FloorDiv;
  if (nature == Nature::Size && op == Op::Rem) op = Op::FloorMod;
  return with_nature(index_arithmetic(a.arena(), op, p, q), nature);
}

Operand unary(Analysis& a, Op op, Written x, SourceRange where) {
  if (!is_plain(a, x)) return {};
  if (op == Op::LogicalNot) {
    const auto value = condition(a, x);
    return value ? Operand(ordinary(a.arena().apply(op, {*value}))) : Operand();
  }
  if (const UntypedId* untyped = x.value.untyped()) {
    if (op == Op::Sign) {
      const auto value = typed(a, x);
      return value ? Operand(ordinary(a.arena().apply(op, {value->expr}))) : Operand();
    }
    if (const auto result = a.untyped.unary(op, *untyped)) return *result;
    no_such_operation(a, op, ScalarType::F32, where);
    return {};
  }
  const Scalar scalar = *x.value.scalar();
  const ScalarType type = a.arena().type(scalar.expr);
  const bool complex_abs = op == Op::Abs && is_complex(type);
  if (!takes(op, type) && !complex_abs) {
    no_such_operation(a, op, type, where);
    return {};
  }
  const bool keeps = scalar.nature != Nature::Ordinary && (op == Op::Neg || op == Op::Abs);
  const Nature nature = scalar.nature == Nature::Count ? Nature::Index : scalar.nature;
  return with_nature(a.arena().apply(op, {scalar.expr}), keeps ? nature : Nature::Ordinary);
}

Operand logic(Analysis& a, Op op, ExprId x, Written y) {
  const auto right = condition(a, std::move(y));
  if (!right) return {};
  return ordinary(a.arena().apply(op, {x, *right}));
}

Operand choose(Analysis& a, ExprId condition, Written x, Written y, SourceRange where) {
  if (x.value.is_poison() || y.value.is_poison()) return {};
  if (is_record(x.value) || is_record(y.value)) {
    return choose_records(a, condition, std::move(x), std::move(y), where);
  }
  if (!is_plain(a, x) || !is_plain(a, y)) return {};
  const Nature nature = joint_nature(x.value, y.value);
  const Meeting how = meet(a, x, y, where);
  if (how == Meeting::Failed) return {};
  if (how == Meeting::Untyped)
    return a.untyped.select(condition, *x.value.untyped(), *y.value.untyped());
  const ExprId p = x.value.scalar()->expr, q = y.value.scalar()->expr;
  const Nature result = nature == Nature::Ordinary ? nature : Nature::Index;
  return with_nature(a.arena().apply(Op::Select, {condition, p, q}), result);
}

ExprId negated(ExprArena& arena, ExprId condition) {
  constexpr std::pair<Op, Op> kOpposites[] = {{Op::Lt, Op::Ge}, {Op::Le, Op::Gt}, {Op::Gt, Op::Le},
                                              {Op::Ge, Op::Lt}, {Op::Eq, Op::Ne}, {Op::Ne, Op::Eq}};
  for (const auto& [op, opposite] : kOpposites) {
    if (!arena.is_apply(condition, op)) continue;
    const std::vector<ExprId> args(arena.args(condition).begin(), arena.args(condition).end());
    if (is_integer(arena.type(args[0]))) return arena.apply(opposite, args);
  }
  return arena.apply(Op::LogicalNot, {condition});
}

}  // namespace cdsl::sema
