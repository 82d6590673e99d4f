#include "dsl/eval/number.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "dsl/types/arithmetic.h"
#include "dsl/types/float_math.h"

namespace cdsl::eval {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSafety = 1.0 + 1.0 / 64;      // over first-order bounds

struct Range {
  double greatest, least_normal, least;         // of magnitudes
};

Range range_of(ScalarType type) {
  switch (type) {
    case ScalarType::F16: return {65504, 0x1p-14, 0x1p-24};
    case ScalarType::BF16: return {0x1.FEp127, 0x1p-126, 0x1p-133};
    case ScalarType::F8E4M3: return {448, 0x1p-6, 0x1p-9};
    case ScalarType::F8E5M2: return {57344, 0x1p-14, 0x1p-16};
    case ScalarType::F64: case ScalarType::C128: return {0x1.FFFFFFFFFFFFFp1023, 0x1p-1022, 0x1p-1074};
    default: return {0x1.FFFFFEp127, 0x1p-126, 0x1p-149};
  }
}

double half_ulp(double value, ScalarType type) {
  const Range range = range_of(type);
  // Half of the least f64 is none: a whole one then.
  return std::max(std::max(std::fabs(value), range.least_normal) * std::ldexp(1.0, -precision_bits(type)), 0x1p-1074);
}

// The value an overflowing result has, and whether every implementation overflows.
Number settle(double value, double error, ScalarType type) {
  if (std::isnan(value)) return {Value::of_float(value), std::isinf(error) ? kInfinity : 0};   // a NaN bound: of a NaN handed on
  if (std::isnan(error)) error = kInfinity;
  if (std::isinf(value)) return {Value::of_float(value), std::isinf(error) ? kInfinity : 0};
  const double limit = range_of(type).greatest * (1 + std::ldexp(1.0, -precision_bits(type) - 1));
  if (type != ScalarType::F64 && std::fabs(value) >= limit) {
    const bool surely = std::fabs(value) - error >= limit;
    return {Value::of_float(std::copysign(kInfinity, value)), surely ? 0 : kInfinity};
  }
  if (error > 0 && std::fabs(value) + error > range_of(type).greatest) error = kInfinity;   // may overflow, or not
  return {Value::of_float(value), error};
}

// Of a product of values of magnitudes x and y that may be off by ex and ey. 0 times infinity says nothing.
double product_error(double x, double ex, double y, double ey) {
  if (std::isinf(ex) || std::isinf(ey)) return kInfinity;
  return x * ey + y * ex + ex * ey;
}

bool representable(double value, ScalarType type) {
  return type == ScalarType::F64 || static_cast<double>(static_cast<float>(value)) == value || std::isnan(value);
}

// A result that was rounded once at most; `residual_free`: the double is the exact result.
Number rounded(double value, double error, bool residual_free, ScalarType type, double ulps = 0.5) {
  if (!std::isfinite(value)) return settle(value, error, type);
  const bool clean = error == 0 && residual_free && representable(value, type);
  if (!clean) error = error * kSafety + 2 * ulps * half_ulp(value, type);
  if (!clean && type == ScalarType::F64) error += half_ulp(value, type);        // the reference rounds as well
  return settle(value, error, type);
}

bool sum_is_exact(double x, double y, double sum) {
  const double part = sum - x;
  return (x - (sum - part)) + (y - part) == 0;
}

// Errors of a function of one argument from its values at the ends of the argument's interval.
double spread(Op op, double x, double e, double y, bool second, double value) {
  const auto at = [&](double shifted) { return second ? float_function(op, y, shifted) : float_function(op, shifted, y); };
  const double up = std::fabs(at(x + e) - value), down = std::fabs(at(x - e) - value);
  const double widest = std::max(up, down);
  return std::isnan(up) || std::isnan(down) ? kInfinity : 1.5 * widest;
}

/// What a function that turns back or jumps may be off by where its argument is off by much: its values at the ends say nothing then.
double unsteady(Op op, double x, double e, double y) {
  switch (op) {
    case Op::Sin: case Op::Cos: case Op::Sinpi: case Op::Cospi: return e > 0.25 ? 2 : 0;
    case Op::Logb: return x - e <= 0 && x + e >= 0 ? kInfinity : 0;   // of what may be 0
    case Op::Tan: return e > 0.25 ? kInfinity : 0;
    case Op::Tgamma: case Op::Lgamma: {
      const double pole = std::min(0.0, std::floor(x + e));   // the nearest from below
      return pole >= x - e || (x - e < 2 && e > 1e-3) ? kInfinity : 0;
    }
    case Op::Fmod: case Op::Remainder: {
      const double period = std::fabs(y);
      // Where it jumps lies half a period away for one of them.
      const double shift = op == Op::Remainder ? 0.5 : 0;
      const bool jumps = 2 * e >= period || std::floor((x - e) / period + shift) != std::floor((x + e) / period + shift);
      return jumps ? 2 * period : 0;
    }
    default: return 0;
  }
}

/// The same of a remainder whose divisor is uncertain: which multiple is taken off may change with it, and there is none of 0.
double unsteady_divisor(Op op, double x, double y, double e) {
  if (op != Op::Fmod && op != Op::Remainder) return 0;
  const double size = std::fabs(y), shift = op == Op::Remainder ? 0.5 : 0;
  if (e >= size) return kInfinity;
  const bool jumps = std::floor(std::fabs(x) / (size - e) + shift) != std::floor(std::fabs(x) / (size + e) + shift);
  return jumps ? 2 * (size + e) : 0;
}

Number function(Op op, ScalarType type, const Number& a, const Number& b, const Number& c) {
  const double x = a.value.re, y = b.value.re;
  const double value = type == ScalarType::F32 && (op == Op::Nextafter)
                           ? std::nextafter(static_cast<float>(x), static_cast<float>(y))
                           : float_function(op, x, y, c.value.re);
  double error = 0;
  if (!a.exact()) error += std::max(spread(op, x, a.error, y, false, value), unsteady(op, x, a.error, y));
  if (!b.exact()) error += std::max(spread(op, y, b.error, x, true, value), unsteady_divisor(op, x, y, b.error));
  const double ulps = type == ScalarType::F64 ? info(op).ulp_f64 : info(op).ulp_f32;
  if (op == Op::Copysign && std::isnan(y)) error += 2 * std::fabs(x);   // of which sign a NaN is nothing says
  if (ulps == 0) return settle(value, error, type);
  if (std::isnan(value) || std::isinf(value)) return settle(value, error, type);
  // A composite may lose 2^-118 (2^-1008) where an intermediate overflows (docs/language.md, 8.3).
  const double floor = type == ScalarType::F64 ? 0x1p-1008 : 0x1p-118;
  // Between its zeros lgamma has an absolute error (docs/functions.tsv).
  if (op == Op::Lgamma && x > -24 && x < -2) error += type == ScalarType::F64 ? 1e-13 : 1e-5;
  Number result = rounded(value, error, op == Op::Sqrt && value * value == x, type, ulps);
  if (!result.exact()) result.error += floor;
  return result;
}

Number divide(ScalarType type, const Number& a, const Number& b) {
  const double x = a.value.re, y = b.value.re, q = x / y;
  if (!b.exact() && b.error >= std::fabs(y)) return {Value::of_float(q), kInfinity};
  double error = 0;
  if (!a.exact() || !b.exact()) error = (std::fabs(q) * b.error + a.error) / (std::fabs(y) - b.error);
  return rounded(q, error, std::fma(q, y, -x) == 0, type);
}

Number product(ScalarType type, const Number& a, const Number& b) {
  const double x = a.value.re, y = b.value.re;
  const double error = a.exact() && b.exact() ? 0 : product_error(std::fabs(x), a.error, std::fabs(y), b.error);
  Number result = rounded(x * y, error, std::fma(x, y, -(x * y)) == 0, type);
  if (std::isinf(result.value.re) && std::isfinite(x) && std::isfinite(y))
    result.product = std::isfinite(x * y) ? x * y : std::copysign(range_of(ScalarType::F64).greatest, x * y);
  return result;
}

Number sum(ScalarType type, const Number& a, const Number& b) {
  const double x = a.value.re, y = b.value.re;
  Number result = rounded(x + y, a.error + b.error, sum_is_exact(x, y, x + y), type);
  if (a.product == 0 && b.product == 0) return result;
  // With an fma one of the products does not overflow before the sum does.
  const auto fused = [&](double one, double other) { return settle(one + other, 0, type).value.re; };
  const bool same = (a.product == 0 || fused(a.product, y) == result.value.re) && (b.product == 0 || fused(x, b.product) == result.value.re);
  if (!same && !(std::isnan(x) || std::isnan(y))) result.error = kInfinity;
  return result;
}

Number known_arithmetic(Op op, ScalarType type, std::span<const Number> args) {
  const Number a = args[0], b = args.size() > 1 ? args[1] : Number{}, c = args.size() > 2 ? args[2] : Number{};
  const double x = a.value.re, y = b.value.re;
  switch (op) {
    case Op::Neg: return {Value::of_float(-x), a.error, -a.product};
    case Op::Abs: return {Value::of_float(std::fabs(x)), a.error, std::fabs(a.product)};
    case Op::Add: return sum(type, a, b);
    case Op::Sub: return sum(type, a, {Value::of_float(-y), b.error, -b.product});
    case Op::Mul: return product(type, a, b);
    case Op::Div: return divide(type, a, b);
    case Op::Fma: {
      const double value = std::fma(x, y, c.value.re);
      const double error = product_error(std::fabs(x), a.error, std::fabs(y), b.error) + c.error;
      return rounded(value, error, false, type);
    }
    case Op::Min: case Op::Max: case Op::Relu: case Op::FMin: case Op::FMax:
      return settle(float_function(op, x, y), std::max(a.error, b.error), type);
    default: return function(op, type, a, b, c);
  }
}

/// Of an argument of which nothing is known nothing is known, but for a NaN that another argument surely hands on: bounds that are
/// computed with NaN values would be lost on the way.
Number arithmetic(Op op, ScalarType type, std::span<const Number> args) {
  Number result = known_arithmetic(op, type, args);
  bool unknown = false, is_nan = false;
  for (const Number& arg : args) {
    unknown |= std::isinf(arg.error);
    is_nan |= std::isfinite(arg.error) && std::isnan(arg.value.re);
  }
  if (!unknown) return result;
  const bool hands_on = op == Op::Add || op == Op::Sub || op == Op::Mul || op == Op::Div || op == Op::Fma || op == Op::Min || op == Op::Max;
  result.error = is_nan && hands_on ? 0 : kInfinity;
  return result;
}

// May the answer of a comparison or test differ between implementations?
bool may_flip(Op op, const Number& a, const Number& b) {
  if (op == Op::SignBit && std::isnan(a.value.re)) return true;
  if (a.exact() && b.exact()) return false;
  if (std::isinf(a.error) || std::isinf(b.error)) return true;
  const double x = a.value.re, y = b.value.re;
  if (op == Op::SignBit) return std::fabs(x) <= a.error;
  if (info(op).op_class == OpClass::FloatTest) return false;
  return std::fabs(x - y) <= a.error + b.error;
}

Number complex_apply(Op op, ScalarType type, std::span<const Number> args) {
  Value values[2];
  for (std::size_t k = 0; k < args.size(); ++k) values[k] = args[k].value;
  const Number a = args[0], b = args.size() > 1 ? args[1] : Number{};
  const auto size = [](const Value& v) { return std::hypot(v.re, v.im); };
  const Value result = apply(op, op == Op::MakeComplex ? type : ScalarType::C128, std::span<const Value>(values, args.size()));
  const double u = unit_roundoff(type);
  if (op == Op::Eq || op == Op::Ne) {
    const bool close = std::hypot(values[0].re - values[1].re, values[0].im - values[1].im) <= a.error + b.error;
    return {result, close && !(a.exact() && b.exact()) ? 1.0 : 0.0};
  }
  double error = a.error + b.error;
  bool is_exact = error == 0;
  if (op == Op::Mul) {
    error = product_error(size(a.value), a.error, size(b.value), b.error);
    const bool whole = std::isfinite(result.re) && std::rint(result.re) == result.re && std::rint(result.im) == result.im &&
                       size(a.value) * size(b.value) < 1 / u && std::rint(a.value.re) == a.value.re &&
                       std::rint(a.value.im) == a.value.im && std::rint(b.value.re) == b.value.re && std::rint(b.value.im) == b.value.im;
    is_exact = error == 0 && whole;
    if (!is_exact) error += 4 * u * size(a.value) * size(b.value);
  } else if (op == Op::Div) {
    is_exact = false;
    const double divisor = size(b.value);
    // Its square may leave the range, and an implementation may compute it.
    const Range range = range_of(component_type(type));
    const double square = divisor * divisor, product = divisor * size(a.value);
    const bool stays = square > range.least_normal && square < range.greatest / 2 && product < range.greatest / 2;
    error = b.error >= divisor || !stays ? kInfinity : (size(result) * b.error + a.error) / (divisor - b.error) + 12 * u * size(result);
  } else if (op == Op::Add || op == Op::Sub) {
    const ScalarType part = component_type(type);
    is_exact = error == 0 && representable(result.re, part) && representable(result.im, part) &&
               sum_is_exact(a.value.re, op == Op::Sub ? -b.value.re : b.value.re, result.re);
    if (!is_exact) error += 2 * u * (std::fabs(result.re) + std::fabs(result.im));
  } else if (op == Op::Abs) {
    is_exact = a.exact() && (a.value.re == 0 || a.value.im == 0);
    if (!is_exact) error += 8 * u * result.re;
  }
  if (is_exact) return {result, 0};
  // One bound for both components: where one is no number, or may overflow on the way, it says nothing of the other.
  const double limit = range_of(component_type(type)).greatest / 2;
  const bool inside = std::fabs(result.re) < limit && (op == Op::Abs || std::fabs(result.im) < limit);
  if (!inside || std::isnan(error)) error = kInfinity;
  // Subnormal results: a quotient is a sum of products, each rounded, and scaled.
  const double least = (op == Op::Div ? 4 : 1) * range_of(type).least;
  return {result, error * kSafety + (std::isfinite(error) ? least : 0)};
}

// An integer that is off by so much may be at the other end of its type.
bool may_wrap(ScalarType type, const Value& value, double error) {
  if (!is_integer(type)) return false;
  const bool is_signed = is_signed_integer(type);
  const int bits = 8 * size_of(type) - (is_signed ? 1 : 0);
  const double middle = is_signed || value.i >= 0 ? static_cast<double>(value.i) : static_cast<double>(value.bits());
  return middle + error >= std::ldexp(1.0, bits) || middle - error < (is_signed ? -std::ldexp(1.0, bits) : 0);
}

Number integer_apply(Op op, ScalarType type, std::span<const Number> args) {
  Value values[3];
  double error = 0;
  for (std::size_t k = 0; k < args.size(); ++k) {
    values[k] = args[k].value;
    error += args[k].error;
  }
  const Value result = apply(op, type, std::span<const Value>(values, args.size()));
  if (error == 0) return {result, 0};
  switch (op) {
    case Op::Neg: case Op::Add: case Op::Sub: case Op::Abs: case Op::Min: case Op::Max: case Op::Relu: break;
    case Op::Mul:
      error = product_error(std::fabs(static_cast<double>(values[0].i)), args[0].error,
                            std::fabs(static_cast<double>(values[1].i)), args[1].error);
      break;
    case Op::Lt: case Op::Le: case Op::Gt: case Op::Ge: case Op::Eq: case Op::Ne:
      error = std::fabs(static_cast<double>(values[0].i) - static_cast<double>(values[1].i)) <= error ? 1 : 0;
      break;
    default: error = type == ScalarType::Bool ? 1 : kInfinity;
  }
  return {result, may_wrap(info(op).op_class == OpClass::Compare ? ScalarType::Bool : type, result, error) ? kInfinity : error};
}

}  // namespace

double unit_roundoff(ScalarType type) {
  return type == ScalarType::F64 || type == ScalarType::C128 ? 0x1p-53 : 0x1p-24;
}

Number apply_wide(Op op, ScalarType operand, std::span<const Number> args) {
  if (op == Op::Rand) {
    const Value both[] = {args[0].value, args[1].value};
    return {apply(op, operand, both), args[0].exact() && args[1].exact() ? 0 : 1.0};
  }
  if (op == Op::MakeComplex) {
    return {Value::of_complex(args[0].value.re, args[1].value.re), args[0].error + args[1].error};
  }
  if (is_complex(operand)) return complex_apply(op, operand, args);
  if (!is_float(operand)) return integer_apply(op, operand, args);
  switch (info(op).op_class) {
    case OpClass::Compare: case OpClass::FloatTest: {
      const Value both[] = {args[0].value, args.size() > 1 ? args[1].value : Value{}};
      const Value result = apply_float(op, ScalarType::F64, std::span<const Value>(both, args.size()));
      return {result, may_flip(op, args[0], args.size() > 1 ? args[1] : Number{}) ? 1.0 : 0.0};
    }
    case OpClass::FloatToInt: {
      const auto at = [&](double x) { const Value v = Value::of_float(x); return apply_float(op, operand, std::span(&v, 1)).i; };
      const double x = args[0].value.re, e = args[0].error;
      const int64_t value = at(x);
      if (std::isinf(e)) return {Value::of_int(value), kInfinity};
      const auto away = [&](int64_t other) { return std::fabs(static_cast<double>(other - value)); };
      return {Value::of_int(value), e == 0 ? 0 : std::max(away(at(x + e)), away(at(x - e)))};
    }
    case OpClass::FloatInt: {
      const auto exponent = static_cast<int>(std::clamp<int64_t>(args[1].value.i, -100000, 100000));
      if (!args[1].exact()) return {Value::of_float(std::ldexp(args[0].value.re, exponent)), kInfinity};
      return rounded(std::ldexp(args[0].value.re, exponent), std::ldexp(args[0].error, exponent), true, operand);
    }
    default: return arithmetic(op, operand, args);
  }
}

Number round_wide(Number number, ScalarType type) {
  if (!is_float(type)) return number;
  if (number.exact()) return {round_to(number.value, type), 0};
  if (type == ScalarType::F64 || std::isnan(number.value.re) || std::isinf(number.value.re)) return number;
  const double value = number.value.re;
  const double error = number.error + half_ulp(std::fabs(value) + number.error, type) * (is_storage_only(type) ? 1.25 : 1.0);
  const Range range = range_of(type);
  if (std::fabs(value) + error > range.greatest) {
    const bool saturates = type == ScalarType::F8E4M3 || type == ScalarType::F8E5M2;
    if (saturates) return {Value::of_float(std::copysign(std::min(std::fabs(value), range.greatest), value)), error};
    return settle(value, error, type);
  }
  return {number.value, error};
}

Number convert_wide(Number number, ScalarType from, ScalarType to) {
  if (from == to) return number;
  if (is_float(from) && is_float(to)) {
    const bool widens = size_of(to) > size_of(from);
    return widens ? number : round_wide(number, to);
  }
  if (is_float(from) && is_integer(to)) {
    const auto at = [&](double x) { return convert(Value::of_float(x), ScalarType::F64, to); };
    const Value result = at(number.value.re);
    if (number.exact() || std::isinf(number.error)) return {result, number.error};
    const auto away = [&](double x) { return std::fabs(static_cast<double>(at(x).i) - static_cast<double>(result.i)); };
    return {result, std::max(away(number.value.re - number.error), away(number.value.re + number.error))};
  }
  if (to == ScalarType::Bool && is_float(from)) {
    const bool zero = std::fabs(number.value.re) <= number.error || std::isinf(number.error);
    return {convert(number.value, from, to), !number.exact() && zero ? 1.0 : 0.0};
  }
  const bool keeps_error = !number.exact() && to != ScalarType::Bool;
  if (is_complex(to) && is_float(from)) return {Value::of_complex(number.value.re, 0), number.error};
  return {convert(number.value, from, to), keeps_error ? number.error + half_ulp(1, ScalarType::F32) : number.error};
}

void PartialProducts::add(double magnitude) {
  has_infinity_ |= std::isinf(magnitude);
  has_nan_ |= std::isnan(magnitude);
  has_zero_ |= magnitude == 0;
  if (magnitude == 0 || !std::isfinite(magnitude)) return;
  const double bits = std::log2(magnitude);
  (bits > 0 ? up_ : down_) += bits;
}

bool PartialProducts::may_leave(ScalarType type) const {
  const Range range = range_of(is_complex(type) ? component_type(type) : type);
  if (has_nan_ || (has_infinity_ && has_zero_)) return false;  // NaN in every order
  const bool under = down_ < std::log2(range.least_normal);
  return up_ > std::log2(range.greatest) - 1 || (under && (up_ > 0 || has_infinity_));
}

void WideSum::add_component(double x, double& high, double& low) {
  const double sum = high + x;
  const double part = sum - high;
  low += (high - (sum - part)) + (x - part);
  high = sum;
  if (x == 0 || !std::isfinite(x)) return;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const auto bits = static_cast<uint64_t>(std::ldexp(std::fabs(fraction), 53));
  quantum_ = std::min(quantum_, exponent - 53 + std::countr_zero(bits));
}

void WideSum::add(const Number& term) {
  ++count_;
  error_ += term.error;
  overflowed_ |= term.product != 0;
  const auto add_magnitude = [&](double part) {
    magnitude_ += std::fabs(part);
    if (std::isfinite(part)) finite_ += std::fabs(part);
  };
  add_magnitude(term.value.re);
  add_component(term.value.re, high_, low_);
  if (!is_complex(type_)) return;
  add_magnitude(term.value.im);
  add_component(term.value.im, high_im_, low_im_);
}

Number WideSum::result() const {
  const ScalarType part = is_complex(type_) ? component_type(type_) : type_;
  const double re = std::isfinite(low_) ? high_ + low_ : high_, im = std::isfinite(low_im_) ? high_im_ + low_im_ : high_im_;
  // Every partial sum in any order is a multiple of the quantum below 2^precision quanta: nothing rounds.
  const bool nothing_rounds = error_ == 0 && magnitude_ < std::ldexp(1.0, quantum_ + precision_bits(part));
  double error = 0;
  const bool is_nan = std::isnan(re) && (!is_complex(type_) || std::isnan(im));
  if ((finite_ > range_of(part).greatest || overflowed_) && !is_nan) {
    error = kInfinity;  // some order may overflow on the way
  } else if (!nothing_rounds && (magnitude_ != 0 || error_ != 0)) {
    const double n = static_cast<double>(count_);
    error = error_ * kSafety + (2 * std::ceil(std::sqrt(n)) + 8) * roundoff_ * magnitude_ + range_of(part).least;
  }
  const bool surely_nan = is_nan && !std::isinf(error_) && !overflowed_;
  if (is_complex(type_)) {
    // A NaN among the terms is a NaN of the sum, whatever the others are; else nothing is known where the error is NaN. One bound
    // stands for both components.
    return {Value::of_complex(re, im), !std::isnan(error) ? error : surely_nan ? 0 : kInfinity};
  }
  if (is_nan && !surely_nan) error = kInfinity;
  return settle(re, error, part);
}

}  // namespace cdsl::eval
