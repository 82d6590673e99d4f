#include "dsl/types/arithmetic.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "dsl/support/check.h"
#include "dsl/types/complex_math.h"
#include "dsl/types/float_formats.h"
#include "dsl/types/float_math.h"
#include "dsl/types/integer_math.h"

namespace cdsl {
namespace {

Value from_float(double value, ScalarType to) {
  if (to == ScalarType::Bool) return Value::of_bool(value != 0);
  if (is_integer(to)) return saturate(value, to);
  if (is_complex(to)) return round_to(Value::of_complex(value, 0), to);
  return round_to(Value::of_float(value), to);
}

// Integers round straight to f32: through double first, a 64-bit one could round twice.
Value from_integer(Value value, ScalarType from, ScalarType to) {
  if (to == ScalarType::Bool) return Value::of_bool(value.i != 0);
  if (is_integer(to)) return wrap(value, to);
  const bool is_signed = is_signed_integer(from);
  if (to == ScalarType::F32 || to == ScalarType::C64) {
    const float rounded = is_signed ? static_cast<float>(value.i) : static_cast<float>(value.bits());
    return Value::of_complex(rounded, 0);
  }
  if (is_storage_only(to)) return round_to(from_integer(value, from, ScalarType::F32), to);
  return Value::of_complex(is_signed ? static_cast<double>(value.i) : static_cast<double>(value.bits()), 0);
}

Value apply_bool(Op op, std::span<const Value> a) {
  const bool x = a[0].i != 0;
  const bool y = a.size() > 1 && a[1].i != 0;
  switch (op) {
    case Op::And: case Op::LogicalAnd: return Value::of_bool(x && y);
    case Op::Or: case Op::LogicalOr: return Value::of_bool(x || y);
    case Op::Xor: case Op::Ne: return Value::of_bool(x != y);
    case Op::Eq: return Value::of_bool(x == y);
    case Op::LogicalNot: case Op::BitNot: return Value::of_bool(!x);
    case Op::Min: return Value::of_bool(x && y);
    case Op::Max: return Value::of_bool(x || y);
    default: CDSL_UNREACHABLE("operator on bool: " + std::string(info(op).spelling));
  }
}

}  // namespace

Value round_to(Value value, ScalarType type) {
  switch (type) {
    case ScalarType::F64: case ScalarType::C128: return value;
    case ScalarType::F32: return Value::of_float(static_cast<float>(value.re));
    case ScalarType::C64:
      return Value::of_complex(static_cast<float>(value.re), static_cast<float>(value.im));
    case ScalarType::Bool: return Value::of_bool(value.i != 0);
    default: break;
  }
  if (is_integer(type)) return wrap(value, type);
  const auto single = static_cast<float>(value.re);              // casts to storage types go through f32
  return Value::of_float(decode_float(encode_float(single, type), type));
}

Value convert(Value value, ScalarType from, ScalarType to) {
  if (from == to) return value;
  if (from == ScalarType::Bool || is_integer(from)) return from_integer(value, from, to);
  if (is_complex(from)) {
    if (is_complex(to)) return round_to(value, to);
    if (to == ScalarType::Bool) return Value::of_bool(value.re != 0 || value.im != 0);
    CDSL_UNREACHABLE("complex to real conversions are spelled .re");
  }
  return from_float(value.re, to);
}

Value apply(Op op, ScalarType operand, std::span<const Value> args) {
  if (op == Op::Select) return args[0].i != 0 ? args[1] : args[2];
  if (op == Op::Rand) return Value::of_float(rand_uniform(args[0].bits(), args[1].bits()));
  if (op == Op::MakeComplex) {
    return round_to(Value::of_complex(args[0].re, args[1].re), result_type(op, operand));
  }
  if (operand == ScalarType::Bool) return apply_bool(op, args);
  if (is_integer(operand)) return apply_integer(op, operand, args);
  if (is_complex(operand)) return apply_complex(op, operand, args);
  return apply_float(op, operand, args);
}

Value load_element(const void* address, ScalarType type) {
  uint64_t raw[2] = {0, 0};
  std::memcpy(raw, address, static_cast<std::size_t>(size_of(type)));
  switch (type) {
    case ScalarType::F32: return Value::of_float(std::bit_cast<float>(static_cast<uint32_t>(raw[0])));
    case ScalarType::F64: return Value::of_float(std::bit_cast<double>(raw[0]));
    case ScalarType::C64:
      return Value::of_complex(std::bit_cast<float>(static_cast<uint32_t>(raw[0])),
                               std::bit_cast<float>(static_cast<uint32_t>(raw[0] >> 32)));
    case ScalarType::C128: return Value::of_complex(std::bit_cast<double>(raw[0]), std::bit_cast<double>(raw[1]));
    case ScalarType::Bool: return Value::of_bool(raw[0] != 0);
    default: break;
  }
  if (is_integer(type)) return wrap(Value::of_int(static_cast<int64_t>(raw[0])), type);
  return Value::of_float(decode_float(static_cast<uint32_t>(raw[0]), type));
}

void store_element(void* address, ScalarType type, Value value) {
  uint64_t raw[2] = {value.bits(), 0};
  const auto f32_bits = [](double x) -> uint64_t { return std::bit_cast<uint32_t>(static_cast<float>(x)); };
  if (type == ScalarType::F32) raw[0] = f32_bits(value.re);
  if (type == ScalarType::C64) raw[0] = f32_bits(value.re) | f32_bits(value.im) << 32;
  if (type == ScalarType::C128) raw[1] = std::bit_cast<uint64_t>(value.im);
  if (type == ScalarType::Bool) raw[0] = value.i != 0 ? 1 : 0;
  if (is_storage_only(type)) raw[0] = encode_exact(value.re, type);  // rounded before
  std::memcpy(address, raw, static_cast<std::size_t>(size_of(type)));
}

float rand_uniform(uint64_t seed, uint64_t counter) {
  uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  const uint64_t block = counter >> 2;                            // four neighbours share a block
  uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57u} * c[2];
    const uint32_t next[4] = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(p1),
                              static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(p0)};
    std::memcpy(c, next, sizeof c);
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return static_cast<float>(c[counter & 3] >> 8) * 0x1p-24f;
}

}  // namespace cdsl
