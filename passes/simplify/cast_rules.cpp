// Chains of casts. The inner one goes where it changes no value, or no bit that the outer one
// keeps.
#include "dsl/types/arithmetic.h"
#include "passes/simplify/algebra.h"

namespace cdsl::simplification {
namespace {

using Result = std::optional<ExprId>;

// Every value of `from` is a value of `to`.
bool keeps_values(ScalarType from, ScalarType to) {
  if (from == to || from == ScalarType::Bool) return !is_complex(to);
  if (is_integer(from) && is_integer(to)) {
    if (is_signed_integer(from)) return is_signed_integer(to) && size_of(to) >= size_of(from);
    return is_signed_integer(to) ? size_of(to) > size_of(from) : size_of(to) >= size_of(from);
  }
  if (is_integer(from) && (to == ScalarType::F32 || to == ScalarType::F64)) {
    const int bits = 8 * size_of(from) - (is_signed_integer(from) ? 1 : 0);
    return bits <= precision_bits(to);
  }
  if (!is_float(from)) return false;
  return to == ScalarType::F64 || (to == ScalarType::F32 && from != ScalarType::F64);
}

Result cast_of_cast(Algebra& a, ExprId id) {
  const ExprId inner = a.arg(id, 0);
  if (!a.is(inner, Op::Cast)) return {};
  const ExprId value = a.arg(inner, 0);
  const ScalarType from = a.arena().type(value), middle = a.arena().type(inner),
                   to = a.arena().type(id);
  // A storage type is read and written by a cast of its own.
  if (is_storage_only(from) || is_storage_only(middle) || is_complex(middle) || is_complex(to))
    return {};
  const bool low_bits =
      is_integer(from) && is_integer(middle) && is_integer(to) && size_of(to) <= size_of(middle);
  if (!keeps_values(from, middle) && !low_bits) return {};
  // A float saturates at the bounds of an integer type, an integer wraps.
  const bool saturates = is_integer(from) && is_float(middle) && is_integer(to);
  if (saturates && !keeps_values(from, to)) return {};
  return a.make_cast(value, to);
}

// f32(f16(0.1)): both roundings at once, as there are no constants of storage types.
Result rounded_constant(Algebra& a, ExprId id) {
  const ExprId inner = a.arg(id, 0);
  if (!a.is(inner, Op::Cast) || !is_storage_only(a.arena().type(inner)) ||
      !a.is_constant(a.arg(inner, 0)))
    return {};
  if (is_storage_only(a.arena().type(id))) return {};
  const ExprId constant = a.arg(inner, 0);
  const ScalarType storage = a.arena().type(inner), to = a.arena().type(id);
  const Value rounded =
      convert(*a.arena().constant_value(constant), a.arena().type(constant), storage);
  return a.arena().constant(to, convert(rounded, storage, to));
}

constexpr Rule kRules[] = {
    {"cast of a cast", "i32(i64(n)) -> n", cast_of_cast},
    {"rounded constant", "f32(f16(0.1)) -> 0.099975586", rounded_constant},
};

}  // namespace

std::span<const Rule> cast_rules() {
  return kRules;
}

}  // namespace cdsl::simplification
