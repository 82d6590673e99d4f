#include "dsl/types/scalar_type.h"

#include <array>

namespace cdsl {
namespace {

enum class Family : uint8_t { Bool, Signed, Unsigned, Float, Complex };

struct Row {
  std::string_view name;
  Family family;
  int size;
  int precision;              // bits, floats only
  ScalarType evaluation;
};

using enum ScalarType;

constexpr std::array<Row, kScalarTypeCount> kRows{{
    {"bool", Family::Bool, 1, 0, Bool},
    {"i8", Family::Signed, 1, 0, I8},
    {"i16", Family::Signed, 2, 0, I16},
    {"i32", Family::Signed, 4, 0, I32},
    {"i64", Family::Signed, 8, 0, I64},
    {"u8", Family::Unsigned, 1, 0, U8},
    {"u16", Family::Unsigned, 2, 0, U16},
    {"u32", Family::Unsigned, 4, 0, U32},
    {"u64", Family::Unsigned, 8, 0, U64},
    {"f16", Family::Float, 2, 11, F32},
    {"bf16", Family::Float, 2, 8, F32},
    {"f32", Family::Float, 4, 24, F32},
    {"f64", Family::Float, 8, 53, F64},
    {"f8e4m3", Family::Float, 1, 4, F32},
    {"f8e5m2", Family::Float, 1, 3, F32},
    {"c64", Family::Complex, 8, 24, C64},
    {"c128", Family::Complex, 16, 53, C128},
}};

const Row& row(ScalarType type) { return kRows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view name_of(ScalarType type) { return row(type).name; }

std::optional<ScalarType> scalar_type_named(std::string_view name) {
  for (std::size_t k = 0; k < kRows.size(); ++k) {
    if (kRows[k].name == name) return static_cast<ScalarType>(k);
  }
  return std::nullopt;
}

int size_of(ScalarType type) { return row(type).size; }

bool is_integer(ScalarType type) {
  return row(type).family == Family::Signed || row(type).family == Family::Unsigned;
}
bool is_signed_integer(ScalarType type) { return row(type).family == Family::Signed; }
bool is_float(ScalarType type) { return row(type).family == Family::Float; }
bool is_complex(ScalarType type) { return row(type).family == Family::Complex; }
bool is_storage_only(ScalarType type) { return row(type).evaluation != type; }
ScalarType evaluation_type(ScalarType type) { return row(type).evaluation; }
ScalarType component_type(ScalarType complex) { return complex == C64 ? F32 : F64; }
int precision_bits(ScalarType type) { return row(type).precision; }

}  // namespace cdsl
