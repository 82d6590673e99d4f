#include "frontend/sema/identity.h"

#include <limits>

namespace cdsl::sema {
namespace {

ExprId number(ExprArena& arena, ScalarType type, std::int64_t value) {
  if (is_complex(type))
    return arena.constant(type, Value::of_complex(static_cast<double>(value), 0));
  if (is_float(type)) return arena.real(static_cast<double>(value), type);
  return arena.constant(type, Value::of_int(value));
}

// The greatest or least value; infinities of floats.
ExprId extreme_of(ExprArena& arena, ScalarType type, bool greatest) {
  if (is_float(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return arena.real(greatest ? infinity : -infinity, type);
  }
  const unsigned bits = static_cast<unsigned>(size_of(type)) * 8;
  if (is_signed_integer(type)) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    return arena.integer(greatest ? most : -most - 1, type);
  }
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  return arena.integer(greatest ? static_cast<std::int64_t>(most) : 0, type);
}

}  // namespace

ExprId zero_of(ExprArena& arena, ScalarType type) {
  return number(arena, type, 0);
}

ExprId identity_of(ExprArena& arena, tir::ScatterOp op, ScalarType type) {
  switch (op) {
    case tir::ScatterOp::Add:
    case tir::ScatterOp::Or:
    case tir::ScatterOp::Xor: return zero_of(arena, type);
    case tir::ScatterOp::Mul: return number(arena, type, 1);
    case tir::ScatterOp::Min: return extreme_of(arena, type, true);
    case tir::ScatterOp::Max: return extreme_of(arena, type, false);
    case tir::ScatterOp::And: {
      if (type == ScalarType::Bool) return arena.boolean(true);
      if (is_signed_integer(type)) return arena.integer(-1, type);
      return extreme_of(arena, type, true);
    }
  }
  return {};
}

}  // namespace cdsl::sema
