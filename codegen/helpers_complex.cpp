// Complex arithmetic (docs/language.md, 7.9), as operators on the structs.
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

constexpr uint32_t kC64 = types({ScalarType::C64});
constexpr uint32_t kC128 = types({ScalarType::C128});

constexpr Helper kRows[] = {
    {"c_add", kComplex, "", R"($D $T operator+($T a, $T b) { return {a.re + b.re, a.im + b.im}; }
)"},
    {"c_add_assign", kComplex, "c_add", R"($D void operator+=($T& a, $T b) { a = a + b; }
)"},
    {"c_sub", kComplex, "", R"($D $T operator-($T a, $T b) { return {a.re - b.re, a.im - b.im}; }
)"},
    {"c_neg", kComplex, "", R"($D $T operator-($T a) { return {-a.re, -a.im}; }
)"},
    {"c_mul", kC64, "", R"($D c64 operator*(c64 a, c64 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
)",
     R"($D c64 operator*(c64 a, c64 b) {
  return {__fmul_rn(a.re, b.re) - __fmul_rn(a.im, b.im), __fmul_rn(a.re, b.im) + __fmul_rn(a.im, b.re)};
}
)"},
    {"c_mul", kC128, "", R"($D c128 operator*(c128 a, c128 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
)",
     R"($D c128 operator*(c128 a, c128 b) {
  return {__dmul_rn(a.re, b.re) - __dmul_rn(a.im, b.im), __dmul_rn(a.re, b.im) + __dmul_rn(a.im, b.re)};
}
)"},
    {"c_div", kC64, "", R"(// Both scaled by 1 / (|b.re| + |b.im|), so that squares do not overflow.
$D c64 operator/(c64 a, c64 b) {
  const float t = 1.0f / (fabsf(b.re) + fabsf(b.im));
  a = {a.re * t, a.im * t};
  b = {b.re * t, b.im * t};
  const float r = 1.0f / (b.re * b.re + b.im * b.im);
  return {(a.re * b.re + a.im * b.im) * r, (a.im * b.re - a.re * b.im) * r};
}
)",
     R"(// Both scaled by 1 / (|b.re| + |b.im|), so that squares do not overflow.
$D c64 operator/(c64 a, c64 b) {
  const float t = 1.0f / (fabsf(b.re) + fabsf(b.im));
  a = {a.re * t, a.im * t};
  b = {b.re * t, b.im * t};
  const float r = 1.0f / (__fmul_rn(b.re, b.re) + __fmul_rn(b.im, b.im));
  return {(__fmul_rn(a.re, b.re) + __fmul_rn(a.im, b.im)) * r,
          (__fmul_rn(a.im, b.re) - __fmul_rn(a.re, b.im)) * r};
}
)"},
    {"c_div", kC128, "",
     R"(// Both scaled by 1 / (|b.re| + |b.im|), so that squares do not overflow.
$D c128 operator/(c128 a, c128 b) {
  const double t = 1.0 / (fabs(b.re) + fabs(b.im));
  a = {a.re * t, a.im * t};
  b = {b.re * t, b.im * t};
  const double r = 1.0 / (b.re * b.re + b.im * b.im);
  return {(a.re * b.re + a.im * b.im) * r, (a.im * b.re - a.re * b.im) * r};
}
)",
     R"(// Both scaled by 1 / (|b.re| + |b.im|), so that squares do not overflow.
$D c128 operator/(c128 a, c128 b) {
  const double t = 1.0 / (fabs(b.re) + fabs(b.im));
  a = {a.re * t, a.im * t};
  b = {b.re * t, b.im * t};
  const double r = 1.0 / (__dmul_rn(b.re, b.re) + __dmul_rn(b.im, b.im));
  return {(__dmul_rn(a.re, b.re) + __dmul_rn(a.im, b.im)) * r,
          (__dmul_rn(a.im, b.re) - __dmul_rn(a.re, b.im)) * r};
}
)"},
    {"c_eq", kComplex, "",
     R"($D bool operator==($T a, $T b) { return a.re == b.re && a.im == b.im; }
)"},
    {"c_ne", kComplex, "c_eq", R"($D bool operator!=($T a, $T b) { return !(a == b); }
)"},
    {"c_abs", kComplex, "", R"($D $C c_abs($T a) { return hypot$f(a.re, a.im); }
)"},
    {"conj", kComplex, "", R"($D $T conj($T a) { return {a.re, -a.im}; }
)"},
    {"is_nonzero", kComplex, "", R"($D bool is_nonzero($T a) { return a.re != 0 || a.im != 0; }
)"},
    {"to_c64", types({ScalarType::C128}), "c64:bool",
     R"($D c64 to_c64(c128 a) { return {(float)a.re, (float)a.im}; }
)"},
    {"to_c128", types({ScalarType::C64}), "c128:bool",
     R"($D c128 to_c128(c64 a) { return {a.re, a.im}; }
)"},
};

}  // namespace

std::span<const Helper> complex_helpers() {
  return kRows;
}

}  // namespace cdsl::cuda
