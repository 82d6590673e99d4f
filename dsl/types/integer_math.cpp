#include "dsl/types/integer_math.h"

#include <bit>
#include <cmath>
#include <string>

#include "dsl/support/check.h"

namespace cdsl {
namespace {

int64_t least_of(ScalarType type) {
  return is_signed_integer(type) ? -(int64_t{1} << (8 * size_of(type) - 2)) * 2 : 0;
}

int64_t divide(int64_t x, int64_t y, ScalarType type) {
  if (y == 0) return 0;
  if (!is_signed_integer(type)) return static_cast<int64_t>(static_cast<uint64_t>(x) / static_cast<uint64_t>(y));
  if (y == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(x));       // the least value wraps to itself
  return x / y;
}

int64_t remainder_of(int64_t x, int64_t y, ScalarType type) {
  if (y == 0) return x;
  if (!is_signed_integer(type)) return static_cast<int64_t>(static_cast<uint64_t>(x) % static_cast<uint64_t>(y));
  return y == -1 ? 0 : x % y;
}

int64_t floor_mod(int64_t x, int64_t y, ScalarType type) {
  const int64_t r = remainder_of(x, y, type);
  const bool adjust = is_signed_integer(type) && y != 0 && r != 0 && ((r < 0) != (y < 0));
  return adjust ? r + y : r;
}

int64_t floor_div(int64_t x, int64_t y, ScalarType type) {
  const int64_t q = divide(x, y, type);
  const int64_t r = remainder_of(x, y, type);
  const bool adjust = is_signed_integer(type) && y != 0 && r != 0 && ((r < 0) != (y < 0));
  return adjust ? q - 1 : q;
}

// A count outside the width shifts everything out.
int64_t shift(Op op, int64_t x, int64_t count, ScalarType type) {
  const int width = 8 * size_of(type);
  const bool outside = count < 0 || count >= width;
  if (op == Op::Shl) return outside ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x) << count);
  if (is_signed_integer(type)) return x >> (outside ? 63 : count);
  return outside ? 0 : static_cast<int64_t>(static_cast<uint64_t>(x) >> count);
}

bool less(int64_t x, int64_t y, ScalarType type) {
  return is_signed_integer(type) ? x < y : static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
}

uint64_t field(int64_t x, ScalarType type) {
  const int width = 8 * size_of(type);
  return width == 64 ? static_cast<uint64_t>(x) : static_cast<uint64_t>(x) & ((uint64_t{1} << width) - 1);
}

}  // namespace

Value wrap(Value value, ScalarType type) {
  switch (type) {
    case ScalarType::I8: return Value::of_int(static_cast<int8_t>(value.i));
    case ScalarType::I16: return Value::of_int(static_cast<int16_t>(value.i));
    case ScalarType::I32: return Value::of_int(static_cast<int32_t>(value.i));
    case ScalarType::U8: return Value::of_int(static_cast<uint8_t>(value.i));
    case ScalarType::U16: return Value::of_int(static_cast<uint16_t>(value.i));
    case ScalarType::U32: return Value::of_int(static_cast<uint32_t>(value.i));
    default: return Value::of_int(value.i);
  }
}

Value saturate(double value, ScalarType type) {
  if (std::isnan(value)) return Value::of_int(0);
  const int width = 8 * size_of(type);
  const bool is_signed = is_signed_integer(type);
  const double beyond = std::ldexp(1.0, is_signed ? width - 1 : width);          // the first value too great
  if (value >= beyond) return Value::of_int(is_signed ? ~least_of(type) : wrap(Value::of_int(-1), type).i);
  if (value <= (is_signed ? -beyond : 0.0)) return Value::of_int(least_of(type));
  return Value::of_int(is_signed ? static_cast<int64_t>(value) : static_cast<int64_t>(static_cast<uint64_t>(value)));
}

Value apply_integer(Op op, ScalarType type, std::span<const Value> args) {
  const int64_t x = args[0].i;
  const int64_t y = args.size() > 1 ? args[1].i : 0;
  const auto wrapped = [type](uint64_t v) { return wrap(Value::of_int(static_cast<int64_t>(v)), type); };
  const auto u = [](int64_t v) { return static_cast<uint64_t>(v); };
  switch (op) {
    case Op::Neg: return wrapped(0 - u(x));
    case Op::Add: return wrapped(u(x) + u(y));
    case Op::Sub: return wrapped(u(x) - u(y));
    case Op::Mul: return wrapped(u(x) * u(y));
    case Op::Div: return wrapped(u(divide(x, y, type)));
    case Op::Rem: return wrapped(u(remainder_of(x, y, type)));
    case Op::FloorDiv: return wrapped(u(floor_div(x, y, type)));
    case Op::FloorMod: return wrapped(u(floor_mod(x, y, type)));
    case Op::Min: return less(y, x, type) ? args[1] : args[0];
    case Op::Max: return less(x, y, type) ? args[1] : args[0];
    case Op::Relu: return less(x, 0, type) ? Value::of_int(0) : args[0];
    case Op::Abs: return is_signed_integer(type) && x < 0 ? wrapped(0 - u(x)) : args[0];
    case Op::Sign: return Value::of_int(x == 0 ? 0 : less(x, 0, type) ? -1 : 1);
    case Op::And: return wrapped(u(x & y));
    case Op::Or: return wrapped(u(x | y));
    case Op::Xor: return wrapped(u(x ^ y));
    case Op::BitNot: return wrapped(u(~x));
    case Op::Shl: case Op::Shr: return wrapped(u(shift(op, x, y, type)));
    case Op::PopCount: return Value::of_int(std::popcount(field(x, type)));
    case Op::LeadingZeros: return Value::of_int(std::countl_zero(field(x, type)) - (64 - 8 * size_of(type)));
    case Op::Lt: return Value::of_bool(less(x, y, type));
    case Op::Le: return Value::of_bool(!less(y, x, type));
    case Op::Gt: return Value::of_bool(less(y, x, type));
    case Op::Ge: return Value::of_bool(!less(x, y, type));
    case Op::Eq: return Value::of_bool(x == y);
    case Op::Ne: return Value::of_bool(x != y);
    default: CDSL_UNREACHABLE("operator on integers: " + std::string(info(op).spelling));
  }
}

}  // namespace cdsl
