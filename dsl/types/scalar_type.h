// The scalar types of the language, and what is true of each: size, family, and the type it is evaluated in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cdsl {

enum class ScalarType : uint8_t {
  Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, F8E4M3, F8E5M2, C64, C128
};
inline constexpr int kScalarTypeCount = 17;

/// Spelling in the language: "bool", "i8", ..., "f8e4m3", "c128".
std::string_view name_of(ScalarType type);
std::optional<ScalarType> scalar_type_named(std::string_view name);

/// Bytes of one element in memory; its alignment is the same (c64: 8, c128: 16, as CUDA's float2 and double2).
int size_of(ScalarType type);

bool is_integer(ScalarType type);           // i8..i64, u8..u64; not bool
bool is_signed_integer(ScalarType type);
bool is_float(ScalarType type);             // f16, bf16, f32, f64, f8*
bool is_complex(ScalarType type);

/// f16, bf16 and f8: only loaded, stored and cast. Arithmetic happens in `evaluation_type`.
bool is_storage_only(ScalarType type);

/// f32 for the storage-only types, the type itself otherwise.
ScalarType evaluation_type(ScalarType type);

/// f32 for c64, f64 for c128.
ScalarType component_type(ScalarType complex);

/// Bits of precision of a float type, the hidden bit included (f32: 24). Source: IEEE 754, OCP 8-bit formats.
int precision_bits(ScalarType type);

}  // namespace cdsl
