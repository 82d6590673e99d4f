#include "frontend/sema/complex.h"

namespace cdsl::sema {
namespace {

ExprId real_with_complex(ExprArena& arena, Op op, ExprId r, ExprId z) {
  const ExprId re = arena.apply(Op::Real, {z}), im = arena.apply(Op::Imag, {z});
  switch (op) {
    case Op::Add: return arena.apply(Op::MakeComplex, {arena.apply(Op::Add, {r, re}), im});
    case Op::Sub:
      return arena.apply(Op::MakeComplex,
                         {arena.apply(Op::Sub, {r, re}), arena.apply(Op::Neg, {im})});
    case Op::Mul:
      return arena.apply(Op::MakeComplex,
                         {arena.apply(Op::Mul, {r, re}), arena.apply(Op::Mul, {r, im})});
    default: {
      const ExprId zero = arena.real(0, arena.type(r));
      return arena.apply(Op::Div, {arena.apply(Op::MakeComplex, {r, zero}), z});
    }
  }
}

ExprId complex_with_real(ExprArena& arena, Op op, ExprId z, ExprId r) {
  const ExprId re = arena.apply(Op::Real, {z}), im = arena.apply(Op::Imag, {z});
  if (op == Op::Add || op == Op::Sub) {
    return arena.apply(Op::MakeComplex, {arena.apply(op, {re, r}), im});
  }
  return arena.apply(Op::MakeComplex, {arena.apply(op, {re, r}), arena.apply(op, {im, r})});
}

}  // namespace

bool is_complex_operand(Analysis& a, const Operand& x) {
  return x.scalar() != nullptr && is_complex(a.arena().type(x.scalar()->expr));
}

Operand complex_arithmetic(Analysis& a, Op op, Written x, Written y, SourceRange where) {
  ExprArena& arena = a.arena();
  const bool left = is_complex_operand(a, x.value), right = is_complex_operand(a, y.value);
  if (left && right) {
    if (meet(a, x, y, where) != Meeting::Typed) return {};
    return ordinary(arena.apply(op, {x.value.scalar()->expr, y.value.scalar()->expr}));
  }
  Written& real = left ? y : x;
  Written& complex = left ? x : y;
  ScalarType component = component_type(arena.type(complex.value.scalar()->expr));
  if (const Scalar* scalar = real.value.scalar()) {
    if (arena.type(scalar->expr) == ScalarType::F64) component = ScalarType::F64;
  }
  // Ordinary integers and bool do not meet complex numbers: meet reports and proposes the cast.
  const Scalar* scalar = real.value.scalar();
  if (scalar != nullptr && scalar->nature == Nature::Ordinary &&
      !is_float(arena.type(scalar->expr))) {
    meet(a, x, y, where);
    return {};
  }
  const auto r = argument(a, real, component, "the real operand");
  if (!r) return {};
  const ScalarType wide = component == ScalarType::F64 ? ScalarType::C128 : ScalarType::C64;
  const ExprId z = arena.cast(complex.value.scalar()->expr, wide);
  return ordinary(left ? complex_with_real(arena, op, z, *r) : real_with_complex(arena, op, *r, z));
}

}  // namespace cdsl::sema
