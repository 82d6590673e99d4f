// Floating-point functions that CUDA lacks or defines otherwise (docs/language.md, 7.4, 7.5
// and 8.3).
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

constexpr uint32_t kF32 = types({ScalarType::F32});
constexpr uint32_t kF64 = types({ScalarType::F64});

constexpr Helper kRows[] = {
    {"inf_f32", kOnce, "", R"($D float inf_f32() { return __int_as_float(0x7f800000); }
)",
     "", R"($D float inf_f32() { return HUGE_VALF; }
)"},
    {"inf_f64", kOnce, "",
     R"($D double inf_f64() { return __longlong_as_double(0x7ff0000000000000LL); }
)",
     "", R"($D double inf_f64() { return HUGE_VAL; }
)"},
    {"nan_f32", kOnce, "", R"($D float nan_f32() { return nanf(""); }
)"},
    {"nan_f64", kOnce, "", R"($D double nan_f64() { return nan(""); }
)"},
    {"min_nan", kF32, "", R"(// The lesser; NaN if either is, and -0 < +0.
$D float min_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  if (a == b) return signbit(a) ? a : b;
  return a < b || a != a ? a : b;
#endif
}
)"},
    {"min_nan", kF64, "", R"(// The lesser; NaN if either is, and -0 < +0.
$D double min_nan(double a, double b) {
  if (a == b) return signbit(a) ? a : b;
  return a < b || a != a ? a : b;
}
)"},
    {"max_nan", kF32, "", R"(// The greater; NaN if either is, and -0 < +0.
$D float max_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  if (a == b) return signbit(a) ? b : a;
  return a > b || a != a ? a : b;
#endif
}
)"},
    {"max_nan", kF64, "", R"(// The greater; NaN if either is, and -0 < +0.
$D double max_nan(double a, double b) {
  if (a == b) return signbit(a) ? b : a;
  return a > b || a != a ? a : b;
}
)"},
    {"exp2_normal", kF32, "", R"(// 2 to the x, where that is no denormal number.
$D float exp2_normal(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return exp2f(x);
#endif
}
)"},
    {"min_number", kReal, "", R"(// The lesser; the other one if one is NaN, and -0 < +0.
$D $T min_number($T a, $T b) {
  if (a == b) return signbit(a) ? a : b;
  return fmin$f(a, b);
}
)"},
    {"max_number", kReal, "", R"(// The greater; the other one if one is NaN, and -0 < +0.
$D $T max_number($T a, $T b) {
  if (a == b) return signbit(a) ? b : a;
  return fmax$f(a, b);
}
)"},
    {"sign_of", kReal, "", R"(// -1, 0 or 1; zeros and NaN stay.
$D $T sign_of($T x) { return x > 0 ? 1.0$f : x < 0 ? -1.0$f : x; }
)"},
    {"sigmoid", kF32, "",
     R"(// 1 / (1 + exp(-x)), of -|x|: denominators from 1 to 2 take the fast division.
$D float sigmoid(float x) {
  const float e = expf(-fabsf(x));
  return __fdividef(x < 0.0f ? e : 1.0f, 1.0f + e);
}
)"},
    {"sigmoid", kF64, "", R"($D double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }
)"},
    {"silu", kF32, "sigmoid", R"($D float silu(float x) { return x * sigmoid(x); }
)"},
    {"silu", kF64, "", R"($D double silu(double x) { return x / (1.0 + exp(-x)); }
)"},
    {"softplus", kReal, "max_nan", R"(// log(1 + exp(x)), without overflow.
$D $T softplus($T x) { return max_nan(x, 0.0$f) + log1p$f(exp$f(-fabs$f(x))); }
)"},
    {"mish", kReal, "softplus", R"($D $T mish($T x) { return x * tanh$f(softplus(x)); }
)"},
    {"gelu", kReal, "", R"($D $T gelu($T x) { return x * normcdf$f(x); }
)"},
    {"gelu_tanh", kF32, "",
     R"(// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), with one exponential.
// Of -|t|: denominators from 1 to 2 take the fast division.
$D float gelu_tanh(float x) {
  const float t = 2.3022082f * (x + 0.044715f * x * x * x);   // over log(2)
  const float e = exp2f(-fabsf(t));
  return x * __fdividef(t < 0.0f ? e : 1.0f, 1.0f + e);
}
)"},
    {"gelu_tanh", kF64, "",
     R"(// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), with one exponential.
$D double gelu_tanh(double x) {
  return x / (1.0 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
}
)"},
};

}  // namespace

std::span<const Helper> float_helpers() {
  return kRows;
}

}  // namespace cdsl::cuda
