// conv1d, made by cuoptc for sm_90a from examples/conv1d.cdsl:9.
//
//   fn conv1d<S: size, D: size>(x: f32[N, C, L], w: f32[O, C, K])
//     -> (y: f32[N, O, (L - D*(K - 1) - 1) / S + 1])
//   {
//     y[n, o, l] = sum[c, k](x[n, c, S*l + D*k] * w[o, c, k]);
//   }
//
// Decisions:
// - simplify: conv1d: exact rules applied (constant to the right 4)
// - recognize: y: convolution: rows o, columns n, l, contracted c, k, window along l (open, stride
// S, step D) (FLOP/byte 10900)
// - map: y: lanes along l, bound by dram (predicted 1.08519e+06 us, sectors/request 2.5)
// - vectorize: y: elements of one memory access (predicted 1.08519e+06 us)
// - reduce: y: blocks that divide one reduction between them (predicted 1.08519e+06 us)
// - launch: y: blocks are limited by warps (predicted 1.08519e+06 us, occupancy 1)
// - predicate: y: blocks whose tile lies inside test nothing (predicted 1.08519e+06 us)
// - launch: y: declined: tiles are taken row by row: bands would save too little (memory 13645.6
// MB)
// - index: conv1d: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 3,
// in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ long long add_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a + (unsigned long long)b);
}

__device__ __forceinline__ long long sub_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a - (unsigned long long)b);
}

__device__ __forceinline__ int mul_wrap(int a, int b) {
  return (int)((unsigned int)a * (unsigned int)b);
}

__device__ __forceinline__ long long mul_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a * (unsigned long long)b);
}

__host__ __device__ __forceinline__ long long neg_wrap(long long a) {
  return (long long)(0 - (unsigned long long)a);
}

// The quotient rounded down; x / 0 = 0.
__host__ __device__ __forceinline__ long long floordiv(long long a, long long b) {
  if (b == 0) return 0;
  if (b == -1) return neg_wrap(a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// The quotient rounded down, for b > 0.
__host__ __device__ __forceinline__ long long floordiv_positive(long long a, long long b) {
  return a / b - (a % b < 0);
}

}  // namespace

// y[n, o, l] = sum<f32>[c in 0..C, k in 0..K](x[n, c, S * l + D * k] * w[o, c, k])
extern "C" __global__ void __launch_bounds__(256, 1)
conv1d_y(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int O,
    int K, int D, int L, int S, int C) {
  constexpr int tile_l = 32;
  constexpr int tile_o = 8;
#line 12 "examples/conv1d.cdsl"
  const int l_tiles = (int)max(floordiv_positive(add_wrap(max(add_wrap(floordiv(sub_wrap(L -
      (long long)D * (K - 1), 1LL), (long long)S), 1LL), 0LL), 31LL), (long long)tile_l), 1LL);
  const int rest = (int)blockIdx.x / l_tiles;
  const long long l_block = (long long)((int)blockIdx.x % l_tiles) * tile_l;
  const int o_tiles = max((O + 7) / tile_o, 1);
  const int rest_2 = rest / o_tiles;
  const int o_block = rest % o_tiles * tile_o;
  float sum = 0.0f;
  for (int c = 0; c < C; ++c) {
    for (int k = 0; k < K; ++k) {
      const float x_n_c_at = add_wrap(l_block, (long long)(threadIdx.x & 31)) <
          add_wrap(floordiv(sub_wrap(L - (long long)D * (K - 1), 1LL), (long long)S), 1LL)
          ? x[add_wrap((rest_2 * C + c) * L,
          add_wrap(mul_wrap(S, add_wrap((int)l_block, (int)(threadIdx.x & 31))), D * k))] : 0.0f;
      const float w_o_c_k = o_block + (int)(threadIdx.x / 32) < O
          ? w[((o_block + (int)(threadIdx.x / 32)) * C + c) * K + k] : 0.0f;
      sum += x_n_c_at * w_o_c_k;
    }
  }
  if (add_wrap(l_block, (long long)(threadIdx.x & 31)) <
      add_wrap(floordiv(sub_wrap(L - (long long)D * (K - 1), 1LL), (long long)S), 1LL) &&
      o_block + (int)(threadIdx.x / 32) < O) {
    y[add_wrap(mul_wrap(rest_2 * O + (o_block + (int)(threadIdx.x / 32)),
        add_wrap((int)floordiv(sub_wrap(L - (long long)D * (K - 1), 1LL), (long long)S), 1)),
        add_wrap((int)l_block, (int)(threadIdx.x & 31)))] = sum;
  }
}
#line 98 "conv1d.cu"

// y[n, o, l] = sum<f32>[c in 0..C, k in 0..K](x[n, c, S * l + D * k] * w[o, c, k])
extern "C" __global__ void __launch_bounds__(256, 1)
conv1d_y_general(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y,
    long long O, long long K, long long D, long long L, long long S, long long C) {
  constexpr int tile_l = 32;
  constexpr int tile_o = 8;
#line 12 "examples/conv1d.cdsl"
  const int l_tiles = (int)max(floordiv_positive(add_wrap(max(add_wrap(floordiv(sub_wrap(sub_wrap(L,
      mul_wrap(D, K - 1)), 1LL), S), 1LL), 0LL), 31LL), (long long)tile_l), 1LL);
  const int rest = (int)blockIdx.x / l_tiles;
  const long long l_block = (long long)((int)blockIdx.x % l_tiles) * tile_l;
  const int o_tiles = (int)max((O + 7) / tile_o, 1LL);
  const int rest_2 = rest / o_tiles;
  const long long o_block = (long long)(rest % o_tiles) * tile_o;
  float sum = 0.0f;
  for (long long c = 0; c < C; ++c) {
    for (long long k = 0; k < K; ++k) {
      const float x_n_c_at = add_wrap(l_block, (long long)(threadIdx.x & 31)) <
          add_wrap(floordiv(sub_wrap(sub_wrap(L, mul_wrap(D, K - 1)), 1LL), S), 1LL)
          ? x[(rest_2 * C + c) * L + S * (l_block + (threadIdx.x & 31)) + D * k] : 0.0f;
      const float w_o_c_k = o_block + (threadIdx.x / 32) < O
          ? w[((o_block + (threadIdx.x / 32)) * C + c) * K + k] : 0.0f;
      sum += x_n_c_at * w_o_c_k;
    }
  }
  if (add_wrap(l_block, (long long)(threadIdx.x & 31)) <
      add_wrap(floordiv(sub_wrap(sub_wrap(L, mul_wrap(D, K - 1)), 1LL), S), 1LL) &&
      o_block + (threadIdx.x / 32) < O) {
    y[(rest_2 * O + o_block + (threadIdx.x / 32)) *
        (floordiv(sub_wrap(sub_wrap(L, mul_wrap(D, K - 1)), 1LL), S) + 1) + l_block +
        (threadIdx.x & 31)] = sum;
  }
}
#line 133 "conv1d.cu"

#ifndef __CUDACC_RTC__
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace {

// Says why a call is refused.
inline cudaError_t refuse(const char** why, const char* reason) {
  if (why != nullptr) *why = reason;
  return cudaErrorInvalidValue;
}

// Says why a call is refused, with values. The text is kept for the calling thread until its next
// refusal.
template <class... Values>
cudaError_t refuse(const char** why, const char* format, Values... values) {
  static thread_local char text[256];
  std::snprintf(text, sizeof text, format, values...);
  if (why != nullptr) *why = text;
  return cudaErrorInvalidValue;
}

// Is the product of factors at most 2^56, more than which no device addresses, and no factor negative?
template <int Count>
bool fits(const long long (&factors)[Count]) {
  long long product = 1;
  for (const long long factor : factors) {
    if (factor < 0) return false;
    if (factor == 0) product = 0;
  }
  for (const long long factor : factors) {
    if (product > 0 && factor > (1ll << 56) / product) return false;
    product *= factor;
  }
  return true;
}

// Memory that a call uses.
struct memory_range {
  const char* name;
  const void* first;
  long long bytes;
  unsigned int alignment;
  bool written;
};

// Every range is there, aligned, and apart from the ranges that are written.
template <int Count>
cudaError_t check_ranges(const memory_range (&ranges)[Count], bool all_apart, const char** why) {
  for (int a = 0; a < Count; ++a) {
    const memory_range& r = ranges[a];
    const auto first = reinterpret_cast<std::uintptr_t>(r.first);
    if (r.bytes < 0) return refuse(why, "%s is too large", r.name);
    if (r.bytes > 0 && r.first == nullptr) return refuse(why, "%s is null", r.name);
    if (first % r.alignment != 0) {
      return refuse(why, "%s is not aligned to %u bytes", r.name, r.alignment);
    }
    for (int b = 0; b < a; ++b) {
      const memory_range& s = ranges[b];
      const auto other = reinterpret_cast<std::uintptr_t>(s.first);
      const bool empty = r.bytes <= 0 || s.bytes <= 0;
      const bool apart = empty || first + r.bytes <= other || other + s.bytes <= first;
      if (!apart && (all_apart || r.written || s.written)) {
        return refuse(why, "%s and %s overlap", s.name, r.name);
      }
    }
  }
  return cudaSuccess;
}

}  // namespace

// Arguments of one call of conv1d. Pointers are to device memory.
struct conv1d_args {
  const float* x;  // f32[N, C, L]
  const float* w;  // f32[O, C, K]
  float* y;        // f32[N, O, floordiv(L - D * (K - 1) - 1, S) + 1], written
  long long S;
  long long D;
  long long N;
  long long C;
  long long L;
  long long O;
  long long K;
};

// Bytes of device memory that a call needs besides its arguments.
long long conv1d_workspace_bytes(const conv1d_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_conv1d(const conv1d_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.S < 0) return refuse(why, "size S is negative: %lld", args.S);
  if (args.D < 0) return refuse(why, "size D is negative: %lld", args.D);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (args.C < 0) return refuse(why, "size C is negative: %lld", args.C);
  if (args.L < 0) return refuse(why, "size L is negative: %lld", args.L);
  if (args.O < 0) return refuse(why, "size O is negative: %lld", args.O);
  if (args.K < 0) return refuse(why, "size K is negative: %lld", args.K);
  if (floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1 < 0) {
    return refuse(why, "extent 2 of y is negative: %lld",
        floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1);
  }
  if (!fits({args.N, args.C, args.L, 4})) return refuse(why, "x is too large");
  if (!fits({args.O, args.C, args.K, 4})) return refuse(why, "w is too large");
  if (!fits({args.N, args.O, floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1, 4})) {
    return refuse(why, "y is too large");
  }
  const memory_range ranges[] = {
    {"x", args.x, args.N * args.C * args.L * 4, 4, false},
    {"w", args.w, args.O * args.C * args.K * 4, 4, false},
    {"y", args.y, args.N * args.O * (floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1) *
        4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (!(args.K <= 0 || args.C <= 0 ||
      floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1 <= 0 || args.O <= 0 || args.N <= 0 ||
      (min(args.S * floordiv(args.L - args.D * (args.K - 1) - 1, args.S), 0LL) +
      min(args.D * (args.K - 1), 0LL) >= 0 &&
      max(args.S * floordiv(args.L - args.D * (args.K - 1) - 1, args.S), 0LL) +
      max(args.D * (args.K - 1), 0LL) < args.L))) {
    return refuse(why,
        "read of 'x' is outside: subscript S * l + D * k runs from %lld to %lld on axis 2 of extent %lld",
        (long long)(min(args.S * floordiv(args.L - args.D * (args.K - 1) - 1, args.S), 0LL) +
        min(args.D * (args.K - 1), 0LL)),
        (long long)(max(args.S * floordiv(args.L - args.D * (args.K - 1) - 1, args.S), 0LL) +
        max(args.D * (args.K - 1), 0LL)), (long long)args.L);
  }
  if (args.S <= 1073741824 && args.D <= 1073741824 && args.N <= 1073741824 &&
      args.C <= 1073741824 && args.L <= 1073741824 && args.O <= 1073741824 &&
      args.K <= 1073741824 && args.N * args.C * args.L * 4 <= 8589934588LL &&
      args.O * args.C * args.K * 4 <= 8589934588LL &&
      args.N * args.O * (floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1) * 4 <=
      8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)(args.N * ((args.O + 7) / 8) *
        floordiv_positive(max(floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1, 0LL) + 31,
        32LL))) {
      conv1d_y<<<blocks, 256, 0, stream>>>(args.x, args.w, args.y, (int)args.O, (int)args.K,
          (int)args.D, (int)args.L, (int)args.S, (int)args.C);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)(args.N * ((args.O + 7) / 8) *
        floordiv_positive(max(floordiv(args.L - args.D * (args.K - 1) - 1, args.S) + 1, 0LL) + 31,
        32LL))) {
      conv1d_y_general<<<blocks, 256, 0, stream>>>(args.x, args.w, args.y, args.O, args.K, args.D,
          args.L, args.S, args.C);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
