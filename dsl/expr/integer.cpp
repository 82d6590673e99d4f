#include "dsl/expr/integer.h"

#include "dsl/types/integer_math.h"

namespace cdsl {
namespace {

ExprId fold(ExprArena& arena, Op op, ExprId a, ExprId b) {
  const Value* x = arena.constant_value(a);
  const Value* y = arena.constant_value(b);
  if (x != nullptr && y != nullptr) {
    const Value args[] = {*x, *y};
    const ScalarType type = arena.type(a);
    return arena.constant(type, apply_integer(op, type, args));
  }
  return arena.apply(op, {a, b});
}

}  // namespace

std::optional<int64_t> constant_integer(const ExprArena& arena, ExprId id) {
  const Value* value = arena.constant_value(id);
  if (value == nullptr || !is_integer(arena.type(id))) return std::nullopt;
  return value->i;
}

ExprId index_add(ExprArena& arena, ExprId a, ExprId b) {
  if (constant_integer(arena, a) == 0) return b;
  const auto y = constant_integer(arena, b);
  if (y == 0) return a;
  if (y && *y < 0 && *y != INT64_MIN) return index_sub(arena, a, arena.integer(-*y, arena.type(b)));
  return fold(arena, Op::Add, a, b);
}

ExprId index_sub(ExprArena& arena, ExprId a, ExprId b) {
  if (constant_integer(arena, b) == 0) return a;
  if (a == b) return arena.integer(0, arena.type(a));
  // (x + b) - b, and (x + c) - d with constants
  if (arena.is_apply(a, Op::Add)) {
    const ExprId x = arena.args(a)[0], y = arena.args(a)[1];
    if (y == b) return x;
    if (x == b) return y;
    if (constant_integer(arena, y) && constant_integer(arena, b)) return index_add(arena, x, fold(arena, Op::Sub, y, b));
  }
  return fold(arena, Op::Sub, a, b);
}

ExprId index_mul(ExprArena& arena, ExprId a, ExprId b) {
  const auto x = constant_integer(arena, a);
  const auto y = constant_integer(arena, b);
  if (x == 0 || y == 1) return a;
  if (y == 0 || x == 1) return b;
  return fold(arena, Op::Mul, a, b);
}

ExprId index_floordiv(ExprArena& arena, ExprId a, ExprId b) {
  if (constant_integer(arena, b) == 1) return a;
  return fold(arena, Op::FloorDiv, a, b);
}

ExprId index_floormod(ExprArena& arena, ExprId a, ExprId b) {
  if (constant_integer(arena, b) == 1) return arena.integer(0, arena.type(a));
  return fold(arena, Op::FloorMod, a, b);
}

ExprId index_min(ExprArena& arena, ExprId a, ExprId b) { return a == b ? a : fold(arena, Op::Min, a, b); }
ExprId index_max(ExprArena& arena, ExprId a, ExprId b) { return a == b ? a : fold(arena, Op::Max, a, b); }

ExprId logical_and(ExprArena& arena, ExprId a, ExprId b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  return a == b ? a : arena.apply(Op::LogicalAnd, {a, b});
}

}  // namespace cdsl
