#include "codegen/reserved.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace cdsl::cuda {
namespace {

constexpr std::string_view kWords =
    // C++20
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue "
    "decltype default delete do "
    "double dynamic_cast else enum explicit export extern false final float for friend goto if "
    "import inline int long main "
    "module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private "
    "protected public register "
    "reinterpret_cast requires restrict return short signed sizeof static static_assert "
    "static_cast std struct switch "
    "template this thread_local throw true try typedef typeid typename typeof union unsigned using "
    "virtual void volatile "
    "wchar_t while xor xor_eq "
    // CUDA's variables and types
    "threadIdx blockIdx blockDim gridDim warpSize dim3 half half2 nv_bfloat16 nv_bfloat162 uint "
    "ushort ulong uchar "
    // Functions that generated code calls
    "min max memcpy acos acosf acosh acoshf asin asinf asinh asinhf atan atan2 atan2f atanf atanh "
    "atanhf cbrt cbrtf ceil "
    "ceilf copysign copysignf cos cosf cosh coshf cospi cospif erf erfc erfcf erfcinv erfcinvf "
    "erff erfinv erfinvf exp exp10 "
    "exp10f exp2 exp2f expf expm1 expm1f fabs fabsf fdim fdimf floor floorf fma fmaf fmax fmaxf "
    "fmin fminf fmod fmodf hypot "
    "hypotf ilogb ilogbf isfinite isinf isnan ldexp ldexpf lgamma lgammaf log log10 log10f log1p "
    "log1pf log2 log2f logb logbf "
    "logf nan nanf nextafter nextafterf normcdf normcdff pow powf rcbrt rcbrtf remainder "
    "remainderf rint rintf round roundf "
    "rsqrt rsqrtf signbit sin sinf sinh sinhf sinpi sinpif sqrt sqrtf tan tanf tanh tanhf tgamma "
    "tgammaf trunc truncf "
    // Macros
    "alloca assert assert_perror be16toh be32toh be64toh errno htobe16 htobe32 htobe64 htole16 "
    "htole32 htole64 isalnum_l "
    "isalpha_l isascii isascii_l isblank_l iscntrl_l isdigit_l isgraph_l islower_l isprint_l "
    "ispunct_l isspace_l issubnormal "
    "isupper_l isxdigit_l le16toh le32toh le64toh linux math_errhandling offsetof stderr stdin "
    "stdout strdupa strndupa toascii "
    "toascii_l unix "
    "AIO_PRIO_DELTA_MAX BIG_ENDIAN BUFSIZ BYTE_ORDER CHAR_BIT CLOCKS_PER_SEC EOF EXIT_FAILURE "
    "EXIT_SUCCESS FD_CLR FD_ISSET "
    "FD_SET FD_SETSIZE FD_ZERO FILENAME_MAX FOPEN_MAX INFINITY LITTLE_ENDIAN LONG_BIT L_ctermid "
    "L_cuserid L_tmpnam MAXFLOAT "
    "MATH_ERREXCEPT MATH_ERRNO MAX_CANON MAX_INPUT NAN NDEBUG NFDBITS NULL NZERO PDP_ENDIAN "
    "PIPE_BUF P_tmpdir RAND_MAX "
    "RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT SNAN SNANF SNANF32 SNANF32X SNANF64 SNANF64X "
    "SNANL TIMER_ABSTIME "
    "TIME_UTC TRUE FALSE WCONTINUED WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED "
    "WIFSTOPPED WNOHANG WNOWAIT WORD_BIT "
    "WSTOPPED WSTOPSIG WTERMSIG CUdeviceptr CUstream CUfunction CUmodule ";

// Names that the headers declare at file scope; inside a function they may be hidden.
constexpr std::string_view kFileScope =
    "abort abs accept access acct alarm atof atoi atol bcmp bcopy brk bsearch bzero calloc chdir "
    "chmod chown chroot clearenv "
    "clock clock64 close confstr cooperative_groups creat crypt ctermid ctime cub cuda "
    "cyl_bessel_i0 cyl_bessel_i1 daddr_t "
    "daylight dev_t difftime div dprintf drand48 drem dup dup2 erand48 erfcx erfcxf execl execv "
    "exit fclose fcntl fdatasync "
    "fdivide fdividef fdopen feof ferror fflush ffs ffsl ffsll fgetc fgets fileno finite fopen "
    "fork fpathconf fprintf fputc "
    "fputs fread free frexp frexpf fscanf fseek fsync ftell ftruncate fwrite gamma getc getchar "
    "getenv getline getopt getpid "
    "gets getsubopt getw globaltimer gmtime index initstate int16_t int32_t int64_t int8_t "
    "intptr_t ioctl isalnum isalpha "
    "isatty isblank iscntrl isdigit isgraph isgreater isless islower isnormal isprint ispunct "
    "isspace isunordered isupper "
    "isxdigit iszero j0 j0f j1 j1f jn jnf kill labs ldiv link listen llabs lldiv llmax llmin "
    "llrint llround localtime "
    "lockf lrand48 lrint lround lseek major makedev malloc mblen memccpy memchr memcmp memfrob "
    "memmem memmove memset minor "
    "mkdir mkdtemp mkstemp mktemp mktime modf modff mrand48 nanosleep nearbyint nearbyintf nice "
    "norm norm3d norm4d normcdfinv "
    "normcdfinvf normf nrand48 open optarg opterr optind optopt pathconf pause pclose perror pipe "
    "popen pow10 pread printf "
    "profil ptrdiff_t putc putchar putenv puts putw pwrite qsort rand rand_r random read readlink "
    "realloc realpath remove "
    "remquo rename revoke rewind rhypot rhypotf rindex rmdir rnorm rpmatch sbrk scalb scalbln "
    "scalbn scanf seed48 select "
    "setenv setjmp setstate significand signgam sincos sincosf sincospi sincospif size_t sleep "
    "snprintf sprintf srand srandom "
    "sscanf ssize_t stime stpcpy strcat strchr strcmp strcoll strcpy strdup strerror strfry "
    "strftime strlen strsep strsignal "
    "strstr strtod strtok strtol symlink sync sysconf system tempnam thrust time time_t timegm "
    "timelocal times timezone "
    "tmpfile tmpnam trap truncate tzname tzset uint16_t uint32_t uint64_t uint8_t uintptr_t ullmax "
    "ullmin umask umax umin "
    "ungetc unlink unsetenv usleep valloc vfork wait wctomb write y0 y0f y1 y1f yn ynf ";

constexpr std::string_view kScalarStems =
    "char uchar short ushort int uint long ulong longlong ulonglong float double dim half ";

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

bool is_file_scope_name(std::string_view word) {
  static const std::unordered_set<std::string_view> words = split(kFileScope);
  return words.contains(word);
}

bool is_scalar_stem(std::string_view stem) {
  static const std::unordered_set<std::string_view> stems = split(kScalarStems);
  return stems.contains(stem);
}

}  // namespace cdsl::cuda
