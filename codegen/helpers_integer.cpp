// Integer arithmetic as the language defines it (docs/language.md, 7.1 and 7.2): it wraps, and
// division is total.
#include "codegen/helpers.h"

namespace cdsl::cuda {
namespace {

constexpr Helper kRows[] = {
    {"add_wrap", kSigned, "", R"($D $T add_wrap($T a, $T b) { return ($T)(($U)a + ($U)b); }
)"},
    {"sub_wrap", kSigned, "", R"($D $T sub_wrap($T a, $T b) { return ($T)(($U)a - ($U)b); }
)"},
    {"mul_wrap", kSigned, "", R"($D $T mul_wrap($T a, $T b) { return ($T)(($U)a * ($U)b); }
)"},
    {"neg_wrap", kSigned, "", R"($D $T neg_wrap($T a) { return ($T)(0 - ($U)a); }
)"},
    {"neg_i16", types({ScalarType::I16}), "",
     R"(// In 32 bits: ptxas 13.0 forgets that neg.s16 of the least value wraps.
$D short neg_i16(short a) {
  int r;
  asm("neg.s32 %0, %1;" : "=r"(r) : "r"((int)a));
  return (short)r;
}
)",
     "", R"($D short neg_i16(short a) { return (short)(-a); }
)"},
    {"abs_wrap", kSigned, "neg_wrap", R"($D $T abs_wrap($T a) { return a < 0 ? neg_wrap(a) : a; }
)"},
    {"int_div", kSigned, "neg_wrap", R"(// Toward zero; x / 0 = 0, and the least value / -1 wraps.
$D $T int_div($T a, $T b) {
  if (b == 0) return 0;
  return b == -1 ? neg_wrap(a) : a / b;
}
)"},
    {"int_div", kUnsigned, "", R"(// x / 0 = 0.
$D $T int_div($T a, $T b) { return b == 0 ? 0 : a / b; }
)"},
    {"int_rem", kSigned, "", R"(// The sign of a; x % 0 = x.
$D $T int_rem($T a, $T b) {
  if (b == 0) return a;
  return b == -1 ? 0 : a % b;
}
)"},
    {"int_rem", kUnsigned, "", R"(// x % 0 = x.
$D $T int_rem($T a, $T b) { return b == 0 ? a : a % b; }
)"},
    {"floordiv", kSigned, "neg_wrap", R"(// The quotient rounded down; x / 0 = 0.
$D $T floordiv($T a, $T b) {
  if (b == 0) return 0;
  if (b == -1) return neg_wrap(a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
)"},
    {"floormod", kSigned, "", R"(// What floordiv leaves, with the sign of b; x % 0 = x.
$D $T floormod($T a, $T b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  const $T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
)"},
    {"floordiv_positive", kSigned, "", R"(// The quotient rounded down, for b > 0.
$D $T floordiv_positive($T a, $T b) { return a / b - (a % b < 0); }
)"},
    {"floormod_positive", kSigned, "", R"(// What floordiv leaves, for b > 0: from 0 to b - 1.
$D $T floormod_positive($T a, $T b) {
  const $T r = a % b;
  return r < 0 ? r + b : r;
}
)"},
    {"shift_left", kSigned | kUnsigned, "", R"(// A count outside the width shifts everything out.
$D $T shift_left($T x, long long count) {
  return count >= 0 && count < $W ? ($T)(($U)x << count) : 0;
}
)"},
    {"shift_right", kSigned, "", R"(// A count outside the width leaves the sign.
$D $T shift_right($T x, long long count) {
  return x >> (count >= 0 && count < $W ? count : $W - 1);
}
)"},
    {"shift_right", kUnsigned, "", R"(// A count outside the width shifts everything out.
$D $T shift_right($T x, long long count) {
  return count >= 0 && count < $W ? x >> count : 0;
}
)"},
    {"sign_of", kSigned, "", R"($D $T sign_of($T x) { return (x > 0) - (x < 0); }
)"},
    {"rand_uniform", kOnce, "",
     R"(// Uniform on the multiples of 2^-24 in [0, 1): Philox4x32-10, word i % 4 of block i / 4.
$D float rand_uniform(unsigned long long seed, long long i) {
  const unsigned long long block = (unsigned long long)i >> 2;
  unsigned int c[4] = {(unsigned int)block, (unsigned int)(block >> 32), 0, 0};
  unsigned int key0 = (unsigned int)seed, key1 = (unsigned int)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = 0xD2511F53ull * c[0], p1 = 0xCD9E8D57ull * c[2];
    c[0] = (unsigned int)(p1 >> 32) ^ c[1] ^ key0;
    c[2] = (unsigned int)(p0 >> 32) ^ c[3] ^ key1;
    c[1] = (unsigned int)p1;
    c[3] = (unsigned int)p0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  const int word = (int)(i & 3);
  const unsigned int w = word < 2 ? (word == 0 ? c[0] : c[1]) : (word == 2 ? c[2] : c[3]);
  return (float)(w >> 8) * 5.9604644775390625e-08f;
}
)"},
};

}  // namespace

std::span<const Helper> integer_helpers() {
  return kRows;
}

}  // namespace cdsl::cuda
