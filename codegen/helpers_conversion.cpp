// Conversions of floats to integers (docs/language.md, 7.3): toward zero, saturating, NaN gives 0. The hardware does that
// for 32-bit results; 64-bit ones need the NaN, narrower ones the bounds.
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

#define CDSL_HOST_CONVERSION(Type, name, least, beyond, greatest)                       \
  "$D " Type " " name "($T x) {\n"                                                      \
  "  if (x != x) return 0;\n"                                                           \
  "  if (x >= " beyond ") return " greatest ";\n"                                       \
  "  return x <= " least " ? (" Type ")" least " : (" Type ")x;\n"                      \
  "}\n"

constexpr Helper kRows[] = {
    {"to_i32", kReal, "", R"($D int to_i32($T x) { return __$T2int_rz(x); }
)", "", CDSL_HOST_CONVERSION("int", "to_i32", "-2147483648.0", "2147483648.0", "2147483647")},
    {"to_u32", kReal, "", R"($D unsigned int to_u32($T x) { return __$T2uint_rz(x); }
)", "", CDSL_HOST_CONVERSION("unsigned int", "to_u32", "0.0", "4294967296.0", "4294967295u")},
    {"to_i64", kReal, "", R"($D long long to_i64($T x) { return x != x ? 0 : __$T2ll_rz(x); }
)", "", CDSL_HOST_CONVERSION("long long", "to_i64", "-9223372036854775808.0", "9223372036854775808.0",
                             "9223372036854775807LL")},
    {"to_u64", kReal, "", R"($D unsigned long long to_u64($T x) { return x != x ? 0 : __$T2ull_rz(x); }
)", "", CDSL_HOST_CONVERSION("unsigned long long", "to_u64", "0.0", "18446744073709551616.0",
                             "18446744073709551615ull")},
    {"to_i8", kReal, "to_i32", R"($D signed char to_i8($T x) { return (signed char)min(max(to_i32(x), -128), 127); }
)"},
    {"to_i16", kReal, "to_i32", R"($D short to_i16($T x) { return (short)min(max(to_i32(x), -32768), 32767); }
)"},
    {"to_u8", kReal, "to_u32", R"($D unsigned char to_u8($T x) { return (unsigned char)min(to_u32(x), 255u); }
)"},
    {"to_u16", kReal, "to_u32", R"($D unsigned short to_u16($T x) { return (unsigned short)min(to_u32(x), 65535u); }
)"},
};

#undef CDSL_HOST_CONVERSION

}  // namespace

std::span<const Helper> conversion_helpers() { return kRows; }

}  // namespace cdsl::cuda
