#include "dsl/types/complex_math.h"

#include <cmath>
#include <string>

#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"

namespace cdsl {
namespace {

// Both operands scaled by the divisor's size first, so that squares can't overflow (as CUDA's cuComplex.h does).
template <class Real>
Value quotient(Value x, Value y) {
  const Real t = 1 / (std::fabs(static_cast<Real>(y.re)) + std::fabs(static_cast<Real>(y.im)));
  const Real a = static_cast<Real>(x.re) * t, b = static_cast<Real>(x.im) * t;
  const Real c = static_cast<Real>(y.re) * t, d = static_cast<Real>(y.im) * t;
  const Real cc = c * c, dd = d * d;
  const Real r = 1 / (cc + dd);
  const Real ac = a * c, bd = b * d, bc = b * c, ad = a * d;
  return Value::of_complex((ac + bd) * r, (bc - ad) * r);
}

template <class Real>
Value product(Value x, Value y) {
  const auto a = static_cast<Real>(x.re), b = static_cast<Real>(x.im);
  const auto c = static_cast<Real>(y.re), d = static_cast<Real>(y.im);
  const Real ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  return Value::of_complex(ac - bd, ad + bc);
}

}  // namespace

Value apply_complex(Op op, ScalarType type, std::span<const Value> args) {
  const Value x = args[0];
  const Value y = args.size() > 1 ? args[1] : Value{};
  const bool single = type == ScalarType::C64;
  switch (op) {
    case Op::Neg: return Value::of_complex(-x.re, -x.im);
    case Op::Conj: return Value::of_complex(x.re, -x.im);
    case Op::Add: return round_to(Value::of_complex(x.re + y.re, x.im + y.im), type);
    case Op::Sub: return round_to(Value::of_complex(x.re - y.re, x.im - y.im), type);
    case Op::Mul: return single ? product<float>(x, y) : product<double>(x, y);
    case Op::Div: return single ? quotient<float>(x, y) : quotient<double>(x, y);
    case Op::Real: return Value::of_float(x.re);
    case Op::Imag: return Value::of_float(x.im);
    case Op::Abs: return round_to(Value::of_float(std::hypot(x.re, x.im)), component_type(type));
    case Op::Eq: return Value::of_bool(x.re == y.re && x.im == y.im);
    case Op::Ne: return Value::of_bool(x.re != y.re || x.im != y.im);
    default: CDSL_UNREACHABLE("operator on complex numbers: " + std::string(info(op).spelling));
  }
}

}  // namespace cdsl
