// Conversions of floats to integers (docs/language.md, 7.3): toward zero, saturating, NaN gives 0.
// The hardware does that from f32 to 32 bits; from f64 and to 64 bits it turns NaN into the least
// value, and narrower results need the bounds.
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

constexpr uint32_t kF32 = types({ScalarType::F32});
constexpr uint32_t kF64 = types({ScalarType::F64});

#define CDSL_HOST_CONVERSION(Type, name, least, beyond, greatest) \
  "$D " Type " " name                                             \
  "($T x) {\n"                                                    \
  "  if (x != x) return 0;\n"                                     \
  "  if (x >= " beyond ") return " greatest                       \
  ";\n"                                                           \
  "  return x <= " least " ? (" Type ")" least " : (" Type        \
  ")x;\n"                                                         \
  "}\n"

constexpr Helper kRows[] = {
    {"to_i32", kF32, "", R"($D int to_i32(float x) { return __float2int_rz(x); }
)",
     "", CDSL_HOST_CONVERSION("int", "to_i32", "-2147483648.0", "2147483648.0", "2147483647")},
    {"to_i32", kF64, "", R"($D int to_i32(double x) { return x != x ? 0 : __double2int_rz(x); }
)",
     "", CDSL_HOST_CONVERSION("int", "to_i32", "-2147483648.0", "2147483648.0", "2147483647")},
    {"to_u32", kF32, "", R"($D unsigned int to_u32(float x) { return __float2uint_rz(x); }
)",
     "", CDSL_HOST_CONVERSION("unsigned int", "to_u32", "0.0", "4294967296.0", "4294967295u")},
    {"to_u32", kF64, "",
     R"($D unsigned int to_u32(double x) { return x != x ? 0 : __double2uint_rz(x); }
)",
     "", CDSL_HOST_CONVERSION("unsigned int", "to_u32", "0.0", "4294967296.0", "4294967295u")},
    {"to_i64", kReal, "", R"($D long long to_i64($T x) { return x != x ? 0 : __$T2ll_rz(x); }
)",
     "",
     CDSL_HOST_CONVERSION("long long", "to_i64", "-9223372036854775808.0", "9223372036854775808.0",
                          "9223372036854775807LL")},
    {"to_u64", kReal, "",
     R"($D unsigned long long to_u64($T x) { return x != x ? 0 : __$T2ull_rz(x); }
)",
     "",
     CDSL_HOST_CONVERSION("unsigned long long", "to_u64", "0.0", "18446744073709551616.0",
                          "18446744073709551615ull")},
    {"to_i8", kReal, "to_i32",
     R"($D signed char to_i8($T x) { return (signed char)min(max(to_i32(x), -128), 127); }
)"},
    {"to_i16", kReal, "to_i32",
     R"($D short to_i16($T x) { return (short)min(max(to_i32(x), -32768), 32767); }
)"},
    {"to_u8", kReal, "to_u32",
     R"($D unsigned char to_u8($T x) { return (unsigned char)min(to_u32(x), 255u); }
)"},
    {"to_u16", kReal, "to_u32",
     R"($D unsigned short to_u16($T x) { return (unsigned short)min(to_u32(x), 65535u); }
)"},
};

#undef CDSL_HOST_CONVERSION

}  // namespace

std::span<const Helper> conversion_helpers() {
  return kRows;
}

}  // namespace cdsl::cuda
