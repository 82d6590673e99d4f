#include "codegen/reserved.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace cdsl::cuda {
namespace {

constexpr std::string_view kWords =
    // C++20
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do "
    "double dynamic_cast else enum explicit export extern false final float for friend goto if import inline int long main "
    "module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected public register "
    "reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast std struct switch "
    "template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq "
    // CUDA's variables, types and intrinsics without underscores
    "threadIdx blockIdx blockDim gridDim warpSize dim3 half half2 nv_bfloat16 nv_bfloat162 bfloat16 printf malloc free memcpy "
    "memset assert clock clock64 globaltimer trap min max umin umax llmin llmax ullmin ullmax saturate "
    "nanosleep cooperative_groups cuda cub thrust kernel_args stream workspace why args "
    // C's library
    "abs acos acosf acosh acoshf alloca asin asinf asinh asinhf atan atan2 atan2f atanf atanh atanhf atof atoi atol bcmp "
    "bcopy bzero calloc cbrt cbrtf ceil ceilf copysign copysignf cos cosf cosh coshf cospi cospif cyl_bessel_i0 cyl_bessel_i1 "
    "daddr_t div dev_t drem erand48 erf erfc erfcf erfcinv erfcinvf erfcx erfcxf erff erfinv erfinvf exit exp exp10 exp10f "
    "exp2 exp2f expf expm1 expm1f fabs fabsf fdim fdimf fdivide fdividef ffs fileno finite floor floorf fma fmaf fmax fmaxf "
    "fmin fminf fmod fmodf fpclassify frexp frexpf gamma getenv getline hypot hypotf ilogb ilogbf index isascii isfinite "
    "isgreater isinf isless isnan isnormal issubnormal iszero isunordered j0 j0f j1 j1f jn jnf labs ldexp ldexpf ldiv lgamma "
    "lgammaf linux llabs lldiv llmax llmin llrint llround log log10 log10f log1p log1pf log2 log2f logb logbf logf lrint "
    "lround major makedev minor mktemp modf modff nan nanf nearbyint nearbyintf nextafter nextafterf norm norm3d norm4d "
    "normcdf normcdff normcdfinv normcdfinvf normf pipe pow powf pown qsort rand rand_r random rcbrt rcbrtf read remainder "
    "remainderf remove remquo rename rhypot rhypotf rindex rint rintf rnorm round roundf rsqrt rsqrtf scalb scalbln scalbn "
    "select setjmp signbit signgam sin sincos sincosf sincospi sincospif sinf sinh sinhf sinpi sinpif size_t sqrt sqrtf srand "
    "strdupa strndupa stderr stdin stdout system tan tanf tanh tanhf tgamma tgammaf time time_t timezone toascii trunc truncf "
    "unix wait write y0 y0f y1 y1f yn ynf "
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t ptrdiff_t uint ushort ulong "
    "math_errhandling offsetof errno complex I assert_perror be16toh be32toh be64toh htobe16 htobe32 htobe64 htole16 "
    "htole32 htole64 le16toh le32toh le64toh isalnum_l isalpha_l isascii_l isblank_l iscntrl_l isdigit_l isgraph_l "
    "islower_l isprint_l ispunct_l isspace_l isupper_l isxdigit_l toascii_l "
    // Macros
    "AIO_PRIO_DELTA_MAX BIG_ENDIAN BUFSIZ BYTE_ORDER CHAR_BIT CLOCKS_PER_SEC EOF EXIT_FAILURE EXIT_SUCCESS FD_CLR FD_ISSET "
    "FD_SET FD_SETSIZE FD_ZERO FILENAME_MAX FOPEN_MAX INFINITY LITTLE_ENDIAN LONG_BIT L_ctermid L_cuserid L_tmpnam MAXFLOAT "
    "MATH_ERREXCEPT MATH_ERRNO MAX_CANON MAX_INPUT NAN NDEBUG NFDBITS NULL NZERO PDP_ENDIAN PIPE_BUF P_tmpdir RAND_MAX "
    "RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT SNAN SNANF SNANF32 SNANF32X SNANF64 SNANF64X SNANL TIMER_ABSTIME "
    "TIME_UTC TRUE FALSE WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG WNOWAIT WORD_BIT "
    "WSTOPPED WSTOPSIG WTERMSIG CUDART_VERSION CUDART_CB CUDARTAPI CUdeviceptr CUstream CUfunction CUmodule ";

constexpr std::string_view kScalarStems = "char uchar short ushort int uint long ulong longlong ulonglong float double dim half ";

std::unordered_set<std::string_view> split(std::string_view words) {
  std::unordered_set<std::string_view> set;
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    set.insert(words.substr(0, end));
    words.remove_prefix(end + 1);
  }
  return set;
}

}  // namespace

bool is_reserved_word(std::string_view word) {
  static const std::unordered_set<std::string_view> words = split(kWords);
  return words.contains(word);
}

bool is_scalar_stem(std::string_view stem) {
  static const std::unordered_set<std::string_view> stems = split(kScalarStems);
  return stems.contains(stem);
}

}  // namespace cdsl::cuda
