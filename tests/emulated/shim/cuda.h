// CUDA C++ for g++, as far as emitted text uses it. Read before any unit; what a unit needs of the machine it calls through
// `machine` (api.h). Where CUDA and C++ agree, nothing stands here.
#pragma once

#include <math.h>
#include <string.h>

#include "api.h"

namespace emulated {
extern const Api* machine __attribute__((visibility("hidden")));

/// Not instrumented, and not inlined into what is.
#define EMULATED_OWN __attribute__((noinline, no_sanitize("thread"), no_sanitize("undefined"), unused))
#define EMULATED_HERE __builtin_return_address(0)

template <int Which>
__attribute__((noinline, const, no_sanitize("thread"), no_sanitize("undefined"))) Index3 index() {
  return machine->current[Which];
}

/// Unpacks the arguments of a launch by the parameter types of the kernel.
template <auto Kernel>
struct Trampoline;
template <class... Parameters, void (*Function)(Parameters...)>
struct Trampoline<Function> {
  static constexpr size_t count = sizeof...(Parameters);
  static constexpr size_t sizes[count + 1] = {sizeof(Parameters)..., 0};
  template <size_t... At>
  struct Places {};
  template <size_t Count, size_t... At>
  struct Make : Make<Count - 1, Count - 1, At...> {};
  template <size_t... At>
  struct Make<0, At...> {
    EMULATED_OWN static void run(void* const* arguments) { Function(*(Parameters*)arguments[At]...); }
  };
  static constexpr emulated::Kernel of(const char* name) { return {name, &Make<count>::run, sizes, count}; }
};
}  // namespace emulated

#define __CUDACC_RTC__
#define __global__ __attribute__((noinline))
#define __device__
#define __host__
// Inlined, so that what a function returns is stored by an assignment, which is checked; a call that returns into memory would not be.
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define alignas(bytes) __align__(bytes)  // which may follow `static`
/// All of a unit's in one section, which is copied in and out as blocks take turns; `used`: a barrier may change it.
#define __shared__ static __attribute__((section(EMULATED_SHARED), used))

#define threadIdx (::emulated::index<0>())
#define blockIdx (::emulated::index<1>())
#define blockDim (::emulated::index<2>())
#define gridDim (::emulated::index<3>())
typedef emulated::Index3 dim3;
typedef emulated::Index3 uint3;

// Where threads meet. A site is a place in the text, however often the compiler copies it.
#define __syncthreads() ::emulated::sync_block(__COUNTER__)
#define __syncwarp(...) ::emulated::sync_warp(__COUNTER__ __VA_OPT__(, ) __VA_ARGS__)
#define __shfl_sync(...) ::emulated::shuffle(__COUNTER__, ::emulated::Shuffle::Index, __VA_ARGS__)
#define __shfl_up_sync(...) ::emulated::shuffle(__COUNTER__, ::emulated::Shuffle::Up, __VA_ARGS__)
#define __shfl_down_sync(...) ::emulated::shuffle(__COUNTER__, ::emulated::Shuffle::Down, __VA_ARGS__)
#define __shfl_xor_sync(...) ::emulated::shuffle(__COUNTER__, ::emulated::Shuffle::Xor, __VA_ARGS__)
#define __any_sync(mask, predicate) ((int)::emulated::vote(__COUNTER__, mask, ::emulated::Vote::Any, (predicate) != 0))
#define __all_sync(mask, predicate) ((int)::emulated::vote(__COUNTER__, mask, ::emulated::Vote::All, (predicate) != 0))
#define __ballot_sync(mask, predicate) ::emulated::vote(__COUNTER__, mask, ::emulated::Vote::Ballot, (predicate) != 0)
#define __match_any_sync(mask, value) ((unsigned int)::emulated::match(__COUNTER__, mask, false, value))

namespace emulated {
EMULATED_OWN static void sync_block(unsigned int site) { machine->sync_block(site, EMULATED_HERE); }
EMULATED_OWN static void sync_cluster(unsigned int site) { machine->sync_cluster(site, EMULATED_HERE); }

EMULATED_OWN static void sync_warp(unsigned int site, unsigned int mask = 0xffffffffu) {
  machine->sync_warp(site, mask, EMULATED_HERE);
}

template <class T>
EMULATED_OWN T shuffle(unsigned int site, Shuffle kind, unsigned int mask, T value, int operand, int width = 32) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 64 bits");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = machine->shuffle(site, mask, kind, bits, operand, width, EMULATED_HERE);
  memcpy(&value, &bits, sizeof(T));
  return value;
}

EMULATED_OWN static unsigned int vote(unsigned int site, unsigned int mask, Vote kind, bool predicate) {
  return machine->vote(site, mask, kind, predicate, EMULATED_HERE);
}

template <class T>
EMULATED_OWN uint64_t match(unsigned int site, unsigned int mask, bool all, T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return machine->match(site, mask, all, bits, EMULATED_HERE);
}

// What the twins of helpers call (twins.cpp).
EMULATED_OWN static float to_float(unsigned int bits, int mantissa) { return machine->to_float(bits, mantissa); }
EMULATED_OWN static unsigned int from_float(float x, int mantissa) { return machine->from_float(x, mantissa); }
EMULATED_OWN static void* dynamic_shared() { return machine->dynamic_shared(); }
EMULATED_OWN static int cluster_rank() { return machine->cluster_rank(); }
EMULATED_OWN static void* at_rank(void* place, int rank) { return machine->at_rank(place, rank, EMULATED_HERE); }
EMULATED_OWN static void sync_some(int barrier, int threads, bool wait) { machine->sync_some(barrier, threads, wait, EMULATED_HERE); }
EMULATED_OWN static void copy_async(void* to, const void* from, int bytes, bool reads) { machine->copy_async(to, from, bytes, reads, EMULATED_HERE); }
EMULATED_OWN static void commit_async() { machine->commit_async(); }
EMULATED_OWN static void wait_async(int pending) { machine->wait_async(pending); }
EMULATED_OWN static bool elect_one(unsigned int site) {
  machine->sync_warp(site, 0xffffffffu, EMULATED_HERE);
  const Index3 at = machine->current[0], shape = machine->current[2];
  return (((at.z * shape.y + at.y) * shape.x + at.x) & 31) == 0;
}
/// min.NaN and max.NaN: NaN if either is, and -0 < +0.
template <class T>
inline T lesser(T a, T b) {
  if (a == b) return signbit(a) ? a : b;
  return a < b || a != a ? a : b;
}
template <class T>
inline T greater(T a, T b) {
  if (a == b) return signbit(a) ? b : a;
  return a > b || a != a ? a : b;
}

/// One thread runs at a time, and others only where it lets them: before the update.
template <class T, class Update>
EMULATED_OWN T update(T* address, Update after, const void* pc) {
  machine->atomic((uintptr_t)address, sizeof(T), pc);
  const T before = *address;
  *address = after(before);
  return before;
}
template <class T>
struct Same {
  typedef T type;
};
}  // namespace emulated

inline size_t __cvta_generic_to_shared(const void* place) { return (size_t)place; }

EMULATED_OWN static void __threadfence_block() { emulated::machine->fence(emulated::Fence::Block); }
EMULATED_OWN static void __threadfence() { emulated::machine->fence(emulated::Fence::Device); }
EMULATED_OWN static void __threadfence_system() { emulated::machine->fence(emulated::Fence::Device); }

#define EMULATED_ATOMIC(name, expression)                                                                            \
  template <class T>                                                                                                 \
  EMULATED_OWN T name(T* address, typename emulated::Same<T>::type value) {                                          \
    return emulated::update(address, [value] [[gnu::no_sanitize("thread", "undefined")]] (T before) -> T { (void)before; return expression; }, EMULATED_HERE); \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  EMULATED_OWN T name##_block(T* address, typename emulated::Same<T>::type value) {                                  \
    return emulated::update(address, [value] [[gnu::no_sanitize("thread", "undefined")]] (T before) -> T { (void)before; return expression; }, EMULATED_HERE); \
  }                                                                                                                  \
  template <class T>                                                                                                 \
  EMULATED_OWN T name##_system(T* address, typename emulated::Same<T>::type value) {                                 \
    return emulated::update(address, [value] [[gnu::no_sanitize("thread", "undefined")]] (T before) -> T { (void)before; return expression; }, EMULATED_HERE); \
  }
namespace emulated {
template <class T>
EMULATED_OWN T sum(T a, T b) { return a + b; }
template <>
EMULATED_OWN int sum(int a, int b) { return (int)((unsigned int)a + (unsigned int)b); }
}  // namespace emulated
EMULATED_ATOMIC(atomicAdd, emulated::sum(before, value))
EMULATED_ATOMIC(atomicMin, value < before ? value : before)
EMULATED_ATOMIC(atomicMax, before < value ? value : before)
EMULATED_ATOMIC(atomicAnd, before & value)
EMULATED_ATOMIC(atomicOr, before | value)
EMULATED_ATOMIC(atomicXor, before ^ value)
EMULATED_ATOMIC(atomicExch, value)

template <class T>
EMULATED_OWN T atomicCAS(T* address, typename emulated::Same<T>::type expected, typename emulated::Same<T>::type value) {
  emulated::machine->atomic((uintptr_t)address, sizeof(T), EMULATED_HERE);
  const T before = *address;
  if (before == expected) *address = value;
  return before;
}

// Arithmetic.
#define EMULATED_LESSER(T)                                       \
  inline T min(T a, T b) { return b < a ? b : a; }               \
  inline T max(T a, T b) { return a < b ? b : a; }
EMULATED_LESSER(int)
EMULATED_LESSER(unsigned int)
EMULATED_LESSER(long long)
EMULATED_LESSER(unsigned long long)
inline unsigned int min(int a, unsigned int b) { return min((unsigned int)a, b); }
inline unsigned int min(unsigned int a, int b) { return min(a, (unsigned int)b); }
inline unsigned int max(int a, unsigned int b) { return max((unsigned int)a, b); }
inline unsigned int max(unsigned int a, int b) { return max(a, (unsigned int)b); }

inline int __popc(unsigned int x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }

#define EMULATED_BITS(name, To, From)    \
  inline To name(From from) {            \
    To to;                               \
    memcpy(&to, &from, sizeof to);       \
    return to;                           \
  }
EMULATED_BITS(__float_as_uint, unsigned int, float)
EMULATED_BITS(__float_as_int, int, float)
EMULATED_BITS(__uint_as_float, float, unsigned int)
EMULATED_BITS(__int_as_float, float, int)
EMULATED_BITS(__longlong_as_double, double, long long)
EMULATED_BITS(__double_as_longlong, long long, double)

inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdividef(float a, float b) { return a / b; }   // within 2 ulp on the device, where b lies between 2^-126 and 2^126
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }

/// Toward zero; what does not fit gives the nearest value, NaN what `nan` says.
namespace emulated {
template <class To, class From>
EMULATED_OWN To toward_zero(From x, From least, From beyond, To lowest, To greatest, To nan) {
  if (x != x) return nan;
  if (x >= beyond) return greatest;
  return x <= least ? lowest : (To)x;
}
}  // namespace emulated
#define EMULATED_INTEGER(To, From, name, least, beyond, lowest, greatest, nan) \
  inline To name(From x) { return emulated::toward_zero<To, From>(x, (From)least, (From)beyond, lowest, greatest, nan); }
#define EMULATED_I32(From, name, nan) EMULATED_INTEGER(int, From, name, -2147483648.0, 2147483648.0, -2147483647 - 1, 2147483647, nan)
#define EMULATED_U32(From, name, nan) EMULATED_INTEGER(unsigned int, From, name, 0.0, 4294967296.0, 0u, 4294967295u, nan)
#define EMULATED_I64(From, name) \
  EMULATED_INTEGER(long long, From, name, -9223372036854775808.0, 9223372036854775808.0, -9223372036854775807LL - 1, 9223372036854775807LL, -9223372036854775807LL - 1)
#define EMULATED_U64(From, name) EMULATED_INTEGER(unsigned long long, From, name, 0.0, 18446744073709551616.0, 0ull, 18446744073709551615ull, 1ull << 63)
EMULATED_I32(float, __float2int_rz, 0)
EMULATED_U32(float, __float2uint_rz, 0u)
EMULATED_I64(float, __float2ll_rz)
EMULATED_U64(float, __float2ull_rz)
EMULATED_I32(double, __double2int_rz, -2147483647 - 1)
EMULATED_U32(double, __double2uint_rz, 1u << 31)
EMULATED_I64(double, __double2ll_rz)
EMULATED_U64(double, __double2ull_rz)

// Functions. C's have these names too, and stay unused.
#define EMULATED_MATH(name, Operator, count) EMULATED_MATH_##count(name, Operator)
#define EMULATED_MATH_1(name, Operator)                                                                                             \
  EMULATED_OWN static double emulated_##name(double x) { return emulated::machine->math(emulated::Math::Operator, x, 0, false); }   \
  EMULATED_OWN static float emulated_##name##f(float x) { return (float)emulated::machine->math(emulated::Math::Operator, x, 0, true); }
#define EMULATED_MATH_2(name, Operator)                                                                                                       \
  EMULATED_OWN static double emulated_##name(double x, double y) { return emulated::machine->math(emulated::Math::Operator, x, y, false); }   \
  EMULATED_OWN static float emulated_##name##f(float x, float y) { return (float)emulated::machine->math(emulated::Math::Operator, x, y, true); }
EMULATED_FUNCTIONS(EMULATED_MATH)
#define rsqrt emulated_rsqrt
#define rsqrtf emulated_rsqrtf
#define cbrt emulated_cbrt
#define cbrtf emulated_cbrtf
#define rcbrt emulated_rcbrt
#define rcbrtf emulated_rcbrtf
#define exp emulated_exp
#define expf emulated_expf
#define exp2 emulated_exp2
#define exp2f emulated_exp2f
#define exp10 emulated_exp10
#define exp10f emulated_exp10f
#define expm1 emulated_expm1
#define expm1f emulated_expm1f
#define log emulated_log
#define logf emulated_logf
#define log2 emulated_log2
#define log2f emulated_log2f
#define log10 emulated_log10
#define log10f emulated_log10f
#define log1p emulated_log1p
#define log1pf emulated_log1pf
#define sin emulated_sin
#define sinf emulated_sinf
#define cos emulated_cos
#define cosf emulated_cosf
#define tan emulated_tan
#define tanf emulated_tanf
#define sinpi emulated_sinpi
#define sinpif emulated_sinpif
#define cospi emulated_cospi
#define cospif emulated_cospif
#define asin emulated_asin
#define asinf emulated_asinf
#define acos emulated_acos
#define acosf emulated_acosf
#define atan emulated_atan
#define atanf emulated_atanf
#define sinh emulated_sinh
#define sinhf emulated_sinhf
#define cosh emulated_cosh
#define coshf emulated_coshf
#define tanh emulated_tanh
#define tanhf emulated_tanhf
#define asinh emulated_asinh
#define asinhf emulated_asinhf
#define acosh emulated_acosh
#define acoshf emulated_acoshf
#define atanh emulated_atanh
#define atanhf emulated_atanhf
#define erf emulated_erf
#define erff emulated_erff
#define erfc emulated_erfc
#define erfcf emulated_erfcf
#define erfinv emulated_erfinv
#define erfinvf emulated_erfinvf
#define erfcinv emulated_erfcinv
#define erfcinvf emulated_erfcinvf
#define normcdf emulated_normcdf
#define normcdff emulated_normcdff
#define lgamma emulated_lgamma
#define lgammaf emulated_lgammaf
#define tgamma emulated_tgamma
#define tgammaf emulated_tgammaf
#define hypot emulated_hypot
#define hypotf emulated_hypotf
#define atan2 emulated_atan2
#define atan2f emulated_atan2f
#define pow emulated_pow
#define powf emulated_powf

// Cached and streaming loads and stores are plain ones.
#define EMULATED_LOAD(name) \
  template <class T>        \
  inline T name(const T* address) { return *address; }
EMULATED_LOAD(__ldg)
EMULATED_LOAD(__ldcs)
EMULATED_LOAD(__ldcg)
