#include "dsl/types/float_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"

namespace cdsl {
namespace {

using Wide = long double;

// Near their zeros both have arguments near 0, which are exact and keep their relative precision.
Wide sinpi(Wide x) {
  Wide r = std::remainder(x, Wide{2});
  if (r == std::floor(r)) return std::copysign(Wide{0}, x);
  if (std::fabs(r) > Wide{0.5}) r = std::copysign(Wide{1}, r) - r;
  return std::sin(std::numbers::pi_v<Wide> * r);
}

Wide cospi(Wide x) {
  const Wide r = std::fabs(std::remainder(x, Wide{2}));
  if (r == Wide{0.5}) return 0;
  return std::sin(std::numbers::pi_v<Wide> * (Wide{0.5} - r));
}

Wide normcdf(Wide x) { return std::erfc(-x / std::numbers::sqrt2_v<Wide>) / 2; }

// Newton on erf from a rational start (Giles, "Approximating the erfinv function", 2010, central branch).
Wide erfcinv(Wide y);
Wide erfinv(Wide x) {
  if (!(x > -1 && x < 1)) {
    if (x == 1 || x == -1) return x * std::numeric_limits<Wide>::infinity();
    return std::numeric_limits<Wide>::quiet_NaN();
  }
  if (std::fabs(x) > Wide{0.5}) return std::copysign(erfcinv(1 - std::fabs(x)), x);
  Wide r = x * std::sqrt(std::numbers::pi_v<Wide>) / 2;
  for (int step = 0; step < 12; ++step) {
    r -= (std::erf(r) - x) * std::sqrt(std::numbers::pi_v<Wide>) / 2 * std::exp(r * r);
  }
  return r == 0 ? x : r;
}

Wide erfcinv(Wide y) {
  if (!(y > 0 && y < 2)) {
    if (y == 0) return std::numeric_limits<Wide>::infinity();
    if (y == 2) return -std::numeric_limits<Wide>::infinity();
    return std::numeric_limits<Wide>::quiet_NaN();
  }
  if (y >= Wide{0.5}) return y > Wide{1.5} ? -erfcinv(2 - y) : erfinv(1 - y);
  Wide r = std::sqrt(-std::log(y * std::sqrt(-std::log(y))));
  for (int step = 0; step < 40; ++step) {                       // Newton on log erfc, convex: monotone from either side
    const Wide c = std::erfc(r);
    const Wide slope = -2 / std::sqrt(std::numbers::pi_v<Wide>) * std::exp(-r * r) / c;
    r -= (std::log(c) - std::log(y)) / slope;
  }
  return r;
}

Wide softplus(Wide x) { return std::fmax(x, Wide{0}) + std::log1p(std::exp(-std::fabs(x))); }

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

double composite(Op op, double v) {
  const Wide x = v;
  switch (op) {
    case Op::Sigmoid: return static_cast<double>(1 / (1 + std::exp(-x)));
    case Op::Silu: return static_cast<double>(x / (1 + std::exp(-x)));
    case Op::Softplus: return static_cast<double>(std::isnan(x) ? x : softplus(x));
    case Op::Mish: return static_cast<double>(std::isnan(x) ? x : x * std::tanh(softplus(x)));
    case Op::Gelu: return static_cast<double>(x * normcdf(x));
    case Op::GeluTanh:
      return static_cast<double>(x / (1 + std::exp(Wide{-1.5957691216057308L} * (x + Wide{0.044715L} * x * x * x))));
    case Op::Sinpi: return static_cast<double>(sinpi(x));
    case Op::Cospi: return static_cast<double>(cospi(x));
    case Op::Normcdf: return static_cast<double>(normcdf(x));
    case Op::Erfinv: return static_cast<double>(erfinv(x));
    case Op::Erfcinv: return static_cast<double>(erfcinv(x));
    default: CDSL_UNREACHABLE("float function: " + std::string(info(op).spelling));
  }
}

bool compare(Op op, double x, double y) {
  switch (op) {
    case Op::Lt: return x < y;
    case Op::Le: return x <= y;
    case Op::Gt: return x > y;
    case Op::Ge: return x >= y;
    case Op::Eq: return x == y;
    default: return x != y;
  }
}

bool test(Op op, double x) {
  switch (op) {
    case Op::IsNan: return std::isnan(x);
    case Op::IsInf: return std::isinf(x);
    case Op::IsFinite: return std::isfinite(x);
    default: return std::signbit(x);
  }
}

int ilogb_of(double x) {
  if (x == 0 || std::isnan(x)) return std::numeric_limits<int>::min();
  return std::isinf(x) ? std::numeric_limits<int>::max() : std::ilogb(x);
}

// Functions of f32 that must not be computed in f64 and rounded again, or that depend on the type's spacing.
double single_function(Op op, float x, float y, float z) {
  switch (op) {
    case Op::Fma: return std::fma(x, y, z);
    case Op::Nextafter: return std::nextafter(x, y);
    default: return static_cast<float>(float_function(op, x, y, z));
  }
}

}  // namespace

double minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

double float_function(Op op, double x, double y, double z) {
  switch (op) {
    case Op::Neg: return -x;
    case Op::Add: return x + y;
    case Op::Sub: return x - y;
    case Op::Mul: return x * y;
    case Op::Div: return x / y;
    case Op::Min: return minimum(x, y);
    case Op::Max: return maximum(x, y);
    case Op::FMin: return std::isnan(x) ? y : std::isnan(y) ? x : minimum(x, y);
    case Op::FMax: return std::isnan(x) ? y : std::isnan(y) ? x : maximum(x, y);
    case Op::Relu: return maximum(x, 0);
    case Op::Abs: return std::fabs(x);
    case Op::Sign: return sign_of(x);
    case Op::Fma: return std::fma(x, y, z);
    case Op::Sqrt: return std::sqrt(x);
    case Op::Rsqrt: return static_cast<double>(1 / std::sqrt(static_cast<Wide>(x)));
    case Op::Cbrt: return std::cbrt(x);
    case Op::Rcbrt: return static_cast<double>(1 / std::cbrt(static_cast<Wide>(x)));
    case Op::Hypot: return std::hypot(x, y);
    case Op::Exp: return std::exp(x);
    case Op::Exp2: return std::exp2(x);
    case Op::Exp10: return static_cast<double>(std::pow(Wide{10}, static_cast<Wide>(x)));
    case Op::Expm1: return std::expm1(x);
    case Op::Log: return std::log(x);
    case Op::Log2: return std::log2(x);
    case Op::Log10: return std::log10(x);
    case Op::Log1p: return std::log1p(x);
    case Op::Sin: return std::sin(x);
    case Op::Cos: return std::cos(x);
    case Op::Tan: return std::tan(x);
    case Op::Asin: return std::asin(x);
    case Op::Acos: return std::acos(x);
    case Op::Atan: return std::atan(x);
    case Op::Atan2: return std::atan2(x, y);
    case Op::Sinh: return std::sinh(x);
    case Op::Cosh: return std::cosh(x);
    case Op::Tanh: return std::tanh(x);
    case Op::Asinh: return std::asinh(x);
    case Op::Acosh: return std::acosh(x);
    case Op::Atanh: return std::atanh(x);
    case Op::Pow: return std::pow(x, y);
    case Op::Erf: return std::erf(x);
    case Op::Erfc: return std::erfc(x);
    case Op::Lgamma: return std::lgamma(x);
    case Op::Tgamma: return std::tgamma(x);
    case Op::Floor: return std::floor(x);
    case Op::Ceil: return std::ceil(x);
    case Op::Trunc: return std::trunc(x);
    case Op::Round: return std::round(x);
    case Op::Rint: return std::nearbyint(x);
    case Op::Fmod: return std::fmod(x, y);
    case Op::Remainder: return std::remainder(x, y);
    case Op::Copysign: return std::copysign(x, y);
    case Op::Fdim: return std::fdim(x, y);
    case Op::Nextafter: return std::nextafter(x, y);
    case Op::Logb: return std::logb(x);
    default: return composite(op, x);
  }
}

Value apply_float(Op op, ScalarType type, std::span<const Value> args) {
  const double x = args[0].re;
  const double y = args.size() > 1 ? args[1].re : 0;
  const double z = args.size() > 2 ? args[2].re : 0;
  switch (info(op).op_class) {
    case OpClass::Compare: return Value::of_bool(compare(op, x, y));
    case OpClass::FloatTest: return Value::of_bool(test(op, x));
    case OpClass::FloatToInt: return Value::of_int(ilogb_of(x));
    case OpClass::FloatInt: {
      const auto exponent = static_cast<int>(std::clamp<int64_t>(args[1].i, -100000, 100000));
      if (type == ScalarType::F64) return Value::of_float(std::ldexp(x, exponent));
      return Value::of_float(std::ldexp(static_cast<float>(x), exponent));
    }
    default: break;
  }
  if (type == ScalarType::F64) return Value::of_float(float_function(op, x, y, z));
  return Value::of_float(
      single_function(op, static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
}

}  // namespace cdsl
