// The types that are stored but not computed with, as bits, and their conversions; and the complex
// structs.
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

constexpr uint32_t only(ScalarType type) {
  return types({type});
}

constexpr Helper kRows[] = {
    {"f16", kOnce, "", R"(struct f16 {
  unsigned short bits;
};
)"},
    {"bf16", kOnce, "", R"(struct bf16 {
  unsigned short bits;
};
)"},
    {"f8e4m3", kOnce, "", R"(struct f8e4m3 {
  unsigned char bits;
};
)"},
    {"f8e5m2", kOnce, "", R"(struct f8e5m2 {
  unsigned char bits;
};
)"},
    {"c64", kOnce, "", R"(struct alignas(8) c64 {
  float re, im;
};
)"},
    {"c128", kOnce, "", R"(struct alignas(16) c128 {
  double re, im;
};
)"},
    {"half_to_f32", kOnce, "", R"($D float half_to_f32(unsigned short bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
)"},
    {"to_f32", only(ScalarType::F16), "half_to_f32",
     R"($D float to_f32(f16 h) { return half_to_f32(h.bits); }
)"},
    {"to_f32", only(ScalarType::BF16), "",
     R"($D float to_f32(bf16 h) { return __uint_as_float((unsigned int)h.bits << 16); }
)"},
    {"to_f32", only(ScalarType::F8E4M3), "half_to_f32",
     R"(// The bits are those of a half but for 8 in the exponent's bias; 0x7f is NaN.
$D float to_f32(f8e4m3 h) {
  const unsigned int magnitude = h.bits & 0x7fu;
  const unsigned int half_bits = (h.bits & 0x80u) << 8 | (magnitude == 0x7fu ? 0x7fffu : magnitude << 7);
  return half_to_f32((unsigned short)half_bits) * 256.0f;
}
)"},
    {"to_f32", only(ScalarType::F8E5M2), "half_to_f32", R"(// The upper byte of a half.
$D float to_f32(f8e5m2 h) { return half_to_f32((unsigned short)(h.bits << 8)); }
)"},
    {"to_f16", kOnce, "f16", R"(// To nearest even; overflow gives infinity.
$D f16 to_f16(float x) {
  f16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
  return h;
}
)"},
    {"to_bf16", kOnce, "bf16", R"(// To nearest even; overflow gives infinity.
$D bf16 to_bf16(float x) {
  bf16 h;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
#else
  const unsigned int bits = __float_as_uint(x);
  const unsigned int rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  h.bits = (unsigned short)(x != x ? 0x7fffu : rounded);
#endif
  return h;
}
)"},
    {"to_f8e4m3", kOnce, "f8e4m3", R"(// To nearest even; beyond 448, and infinity, gives 448.
$D f8e4m3 to_f8e4m3(float x) {
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {(unsigned char)pair};
#else
  const float magnitude = fminf(fabsf(x), 448.0f);
  const unsigned int bits = __float_as_uint(magnitude);
  const unsigned int normal = ((bits + 0x7ffffu + (bits >> 20 & 1u)) >> 20) - (120u << 3);
  const unsigned int subnormal = __float_as_uint(__fadd_rn(magnitude, 16384.0f)) - 0x46800000u;
  const unsigned int code = x != x ? 0x7fu : magnitude < 0.015625f ? subnormal : normal;
  return {(unsigned char)(code | (x != x ? 0u : __float_as_uint(x) >> 24 & 0x80u))};
#endif
}
)"},
    {"to_f8e5m2", kOnce, "f8e5m2", R"(// To nearest even; beyond 57344, and infinity, gives 57344.
$D f8e5m2 to_f8e5m2(float x) {
#if __CUDA_ARCH__ >= 890
  unsigned short pair;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {(unsigned char)pair};
#else
  const float magnitude = fminf(fabsf(x), 57344.0f);
  const unsigned int bits = __float_as_uint(magnitude);
  const unsigned int normal = ((bits + 0xfffffu + (bits >> 21 & 1u)) >> 21) - (112u << 2);
  const unsigned int subnormal = __float_as_uint(__fadd_rn(magnitude, 128.0f)) - 0x43000000u;
  const unsigned int code = x != x ? 0x7fu : magnitude < 6.103515625e-05f ? subnormal : normal;
  return {(unsigned char)(code | (x != x ? 0u : __float_as_uint(x) >> 24 & 0x80u))};
#endif
}
)"},
};

}  // namespace

std::span<const Helper> storage_helpers() {
  return kRows;
}

}  // namespace cdsl::cuda
