#include "codegen/literal.h"

#include <fmt/format.h>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "codegen/types.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::cuda {
namespace {

std::string real_literal(double value, ScalarType type, Prelude& prelude, bool on_host) {
  const bool single = type == ScalarType::F32;
  if (!std::isfinite(value)) {
    const char* name =
        std::isnan(value) ? (single ? "nan_f32" : "nan_f64") : (single ? "inf_f32" : "inf_f64");
    const bool negative = std::isinf(value) && value < 0;
    return (negative ? "-" : "") + prelude.use(name, ScalarType::Bool, on_host) + "()";
  }
  char buffer[64];
  const auto end =
      single ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value)).ptr
             : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return single ? text + "f" : text;
}

std::string signed_literal(int64_t value, bool wide) {
  if (value == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807LL - 1)";
  if (!wide && value == std::numeric_limits<int32_t>::min()) return "(-2147483647 - 1)";
  return fmt::format("{}{}", value, wide ? "LL" : "");
}

// The bits of a value of a storage type, in braces.
std::string storage_literal(const Value& value, ScalarType type) {
  uint32_t bits = 0;
  store_element(&bits, type, value);
  return fmt::format("{}{{0x{:0{}x}}}", cuda_type(type), bits, 2 * size_of(type));
}

}  // namespace

std::string literal(const Value& value, ScalarType type, bool exact, Prelude& prelude,
                    bool on_host) {
  switch (type) {
    case ScalarType::Bool: return value.i != 0 ? "true" : "false";
    case ScalarType::I8:
    case ScalarType::I16:
    case ScalarType::I32: return signed_literal(value.i, false);
    case ScalarType::I64: {
      const bool small = value.i > std::numeric_limits<int32_t>::min() &&
                         value.i <= std::numeric_limits<int32_t>::max();
      return signed_literal(value.i, exact || !small);
    }
    case ScalarType::U8:
    case ScalarType::U16: return std::to_string(value.bits());
    case ScalarType::U32: return fmt::format("{}u", value.bits());
    case ScalarType::U64: return fmt::format("{}ull", value.bits());
    case ScalarType::F32:
    case ScalarType::F64: return real_literal(value.re, type, prelude, on_host);
    case ScalarType::C64:
    case ScalarType::C128: {
      prelude.use_type(type);
      const ScalarType part = component_type(type);
      return fmt::format("{}{{{}, {}}}", cuda_type(type),
                         real_literal(value.re, part, prelude, on_host),
                         real_literal(value.im, part, prelude, on_host));
    }
    case ScalarType::F16:
    case ScalarType::BF16:
    case ScalarType::F8E4M3:
    case ScalarType::F8E5M2: prelude.use_type(type); return storage_literal(value, type);
  }
  return {};
}

bool is_negative_literal(const Value& value, ScalarType type) {
  if (type == ScalarType::F32 || type == ScalarType::F64)
    return std::signbit(value.re) && !std::isnan(value.re);
  const bool is_signed = is_signed_integer(type);
  if (type == ScalarType::I64 && value.i == std::numeric_limits<int64_t>::min()) return false;
  if (is_signed && value.i == std::numeric_limits<int32_t>::min()) return false;
  return is_signed && value.i < 0;
}

}  // namespace cdsl::cuda
