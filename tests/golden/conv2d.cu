// conv2d, made by cuoptc for sm_90a from examples/conv2d.cdsl:9.
//
//   fn conv2d<S: size, P: size, D: size>(x: f32[N, C, H, W], k: f32[O, C, KH, KW], bias: f32[O])
//     -> (y: f32[N, O, (H + 2*P - D*(KH - 1) - 1) / S + 1, (W + 2*P - D*(KW - 1) - 1) / S + 1])
//   {
//     y[n, o, h, w] = bias[o]
//       + sum[c, i, j](x[n, c, S*h + D*i - P @zero, S*w + D*j - P @zero] * k[o, c, i, j]);
//   }
//
// Decisions:
// - simplify: conv2d: exact rules applied (constant to the right 1)
// - recognize: y: convolution: rows o, columns n, h, w, contracted c, i, j, window along h (open,
// stride S, step D), w (open, stride S, step D), epilogue +, with bias (FLOP/byte 43700)
// - map: y: lanes along w, bound by l2 (predicted 3.1732e+06 us, sectors/request 2.5)
// - vectorize: y: elements of one memory access (predicted 3.1732e+06 us)
// - reduce: y: blocks that divide one reduction between them (predicted 3.1732e+06 us)
// - launch: y: blocks are limited by warps (predicted 3.1732e+06 us, occupancy 1)
// - predicate: y: blocks whose tile lies inside test nothing (predicted 3.1732e+06 us)
// - launch: y: declined: tiles are taken row by row: bands would save too little (memory 89959.8
// MB)
// - index: conv2d: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 4,
// in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ long long add_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a + (unsigned long long)b);
}

__device__ __forceinline__ int sub_wrap(int a, int b) {
  return (int)((unsigned int)a - (unsigned int)b);
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

// y[n, o, h, w] = bias[o] + sum<f32>[c in 0..C, i in 0..KH, j in 0..KW](x[n, c, S * h + D * i - P
// @zero, S * w + D * j - P @zero] * k[o, c, i, j])
extern "C" __global__ void __launch_bounds__(256, 3)
conv2d_y(const float* __restrict__ x, const float* __restrict__ k, const float* __restrict__ bias,
    float* __restrict__ y, int O, int KH, int D, int P, int H, int S, int KW, int W, int C) {
  constexpr int tile_w = 32;
  constexpr int tile_h = 8;
#line 12 "examples/conv2d.cdsl"
  const long long t = (long long)P * 2;
  const int w_tiles = (int)max(floordiv_positive(add_wrap(max(add_wrap(floordiv(sub_wrap(W + t -
      (long long)D * (KW - 1), 1LL), (long long)S), 1LL), 0LL), 31LL), (long long)tile_w), 1LL);
  const int rest = (int)blockIdx.x / w_tiles;
  const long long w_block = (long long)((int)blockIdx.x % w_tiles) * tile_w;
  const int h_tiles = (int)max(floordiv_positive(add_wrap(max(add_wrap(floordiv(sub_wrap(H + t -
      (long long)D * (KH - 1), 1LL), (long long)S), 1LL), 0LL), 7LL), (long long)tile_h), 1LL);
  const int rest_2 = rest / h_tiles;
  const long long h_block = (long long)(rest % h_tiles) * tile_h;
  const int o_tiles = max(O, 1);
  const int rest_3 = rest_2 / o_tiles;
  const int o_block = rest_2 % o_tiles;
#line 13 "examples/conv2d.cdsl"
  float sum = 0.0f;
  for (int c = 0; c < C; ++c) {
    for (int i = 0; i < KH; ++i) {
      for (int j = 0; j < KW; ++j) {
        const float x_n_c_at = add_wrap(h_block, (long long)(threadIdx.x / 32)) <
            add_wrap(floordiv(sub_wrap(H + t - (long long)D * (KH - 1), 1LL), (long long)S), 1LL) &&
            add_wrap(w_block, (long long)(threadIdx.x & 31)) <
            add_wrap(floordiv(sub_wrap(W + t - (long long)D * (KW - 1), 1LL), (long long)S), 1LL) &&
            sub_wrap(add_wrap(mul_wrap((long long)S,
            add_wrap(h_block, (long long)(threadIdx.x / 32))), (long long)D * i), (long long)P) >=
            0 && sub_wrap(add_wrap(mul_wrap((long long)S,
            add_wrap(h_block, (long long)(threadIdx.x / 32))), (long long)D * i), (long long)P) <
            H && sub_wrap(add_wrap(mul_wrap((long long)S,
            add_wrap(w_block, (long long)(threadIdx.x & 31))), (long long)D * j), (long long)P) >=
            0 && sub_wrap(add_wrap(mul_wrap((long long)S,
            add_wrap(w_block, (long long)(threadIdx.x & 31))), (long long)D * j), (long long)P) < W
            ? x[add_wrap(mul_wrap(add_wrap((rest_3 * C + c) * H,
            sub_wrap(add_wrap(mul_wrap(S, add_wrap((int)h_block, (int)(threadIdx.x / 32))), D * i),
            P)), W), sub_wrap(add_wrap(mul_wrap(S, add_wrap((int)w_block, (int)(threadIdx.x & 31))),
            D * j), P))] : 0.0f;
        const float k_o_c_i_j = k[((o_block * C + c) * KH + i) * KW + j];
        sum += x_n_c_at * k_o_c_i_j;
      }
    }
  }
#line 12 "examples/conv2d.cdsl"
  const float bias_o = bias[o_block];
  if (add_wrap(w_block, (long long)(threadIdx.x & 31)) <
      add_wrap(floordiv(sub_wrap(W + t - (long long)D * (KW - 1), 1LL), (long long)S), 1LL) &&
      add_wrap(h_block, (long long)(threadIdx.x / 32)) <
      add_wrap(floordiv(sub_wrap(H + t - (long long)D * (KH - 1), 1LL), (long long)S), 1LL)) {
    y[add_wrap(mul_wrap(add_wrap(mul_wrap(rest_3 * O + o_block,
        add_wrap((int)floordiv(sub_wrap(H + t - (long long)D * (KH - 1), 1LL), (long long)S), 1)),
        add_wrap((int)h_block, (int)(threadIdx.x / 32))),
        add_wrap((int)floordiv(sub_wrap(W + t - (long long)D * (KW - 1), 1LL), (long long)S), 1)),
        add_wrap((int)w_block, (int)(threadIdx.x & 31)))] = bias_o + sum;
  }
}
#line 128 "conv2d.cu"

// y[n, o, h, w] = bias[o] + sum<f32>[c in 0..C, i in 0..KH, j in 0..KW](x[n, c, S * h + D * i - P
// @zero, S * w + D * j - P @zero] * k[o, c, i, j])
extern "C" __global__ void __launch_bounds__(256, 3)
conv2d_y_general(const float* __restrict__ x, const float* __restrict__ k,
    const float* __restrict__ bias, float* __restrict__ y, long long O, long long KH, long long D,
    long long P, long long H, long long S, long long KW, long long W, long long C) {
  constexpr int tile_w = 32;
  constexpr int tile_h = 8;
#line 12 "examples/conv2d.cdsl"
  const long long t = P * 2;
  const int w_tiles =
      (int)max(floordiv_positive(add_wrap(max(add_wrap(floordiv(sub_wrap(sub_wrap(W + t,
      mul_wrap(D, KW - 1)), 1LL), S), 1LL), 0LL), 31LL), (long long)tile_w), 1LL);
  const int rest = (int)blockIdx.x / w_tiles;
  const long long w_block = (long long)((int)blockIdx.x % w_tiles) * tile_w;
  const int h_tiles =
      (int)max(floordiv_positive(add_wrap(max(add_wrap(floordiv(sub_wrap(sub_wrap(H + t,
      mul_wrap(D, KH - 1)), 1LL), S), 1LL), 0LL), 7LL), (long long)tile_h), 1LL);
  const int rest_2 = rest / h_tiles;
  const long long h_block = (long long)(rest % h_tiles) * tile_h;
  const int o_tiles = (int)max(O, 1LL);
  const int rest_3 = rest_2 / o_tiles;
  const int o_block = rest_2 % o_tiles;
#line 13 "examples/conv2d.cdsl"
  float sum = 0.0f;
  for (long long c = 0; c < C; ++c) {
    for (long long i = 0; i < KH; ++i) {
      for (long long j = 0; j < KW; ++j) {
        const float x_n_c_at = add_wrap(h_block, (long long)(threadIdx.x / 32)) <
            add_wrap(floordiv(sub_wrap(sub_wrap(H + t, mul_wrap(D, KH - 1)), 1LL), S), 1LL) &&
            add_wrap(w_block, (long long)(threadIdx.x & 31)) <
            add_wrap(floordiv(sub_wrap(sub_wrap(W + t, mul_wrap(D, KW - 1)), 1LL), S), 1LL) &&
            sub_wrap(add_wrap(mul_wrap(S, add_wrap(h_block, (long long)(threadIdx.x / 32))),
            mul_wrap(D, i)), P) >= 0 && sub_wrap(add_wrap(mul_wrap(S,
            add_wrap(h_block, (long long)(threadIdx.x / 32))), mul_wrap(D, i)), P) < H &&
            sub_wrap(add_wrap(mul_wrap(S, add_wrap(w_block, (long long)(threadIdx.x & 31))),
            mul_wrap(D, j)), P) >= 0 && sub_wrap(add_wrap(mul_wrap(S,
            add_wrap(w_block, (long long)(threadIdx.x & 31))), mul_wrap(D, j)), P) < W
            ? x[((rest_3 * C + c) * H + S * (h_block + (threadIdx.x / 32)) + D * i - P) * W + S *
            (w_block + (threadIdx.x & 31)) + D * j - P] : 0.0f;
        const float k_o_c_i_j = k[((o_block * C + c) * KH + i) * KW + j];
        sum += x_n_c_at * k_o_c_i_j;
      }
    }
  }
#line 12 "examples/conv2d.cdsl"
  const float bias_o = bias[o_block];
  if (add_wrap(w_block, (long long)(threadIdx.x & 31)) <
      add_wrap(floordiv(sub_wrap(sub_wrap(W + t, mul_wrap(D, KW - 1)), 1LL), S), 1LL) &&
      add_wrap(h_block, (long long)(threadIdx.x / 32)) <
      add_wrap(floordiv(sub_wrap(sub_wrap(H + t, mul_wrap(D, KH - 1)), 1LL), S), 1LL)) {
    y[((rest_3 * O + o_block) * (floordiv(sub_wrap(sub_wrap(H + t, mul_wrap(D, KH - 1)), 1LL), S) +
        1) + h_block + (threadIdx.x / 32)) *
        (floordiv(sub_wrap(sub_wrap(W + t, mul_wrap(D, KW - 1)), 1LL), S) + 1) + w_block +
        (threadIdx.x & 31)] = bias_o + sum;
  }
}
#line 187 "conv2d.cu"

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

// Arguments of one call of conv2d. Pointers are to device memory.
struct conv2d_args {
  const float* x;     // f32[N, C, H, W]
  const float* k;     // f32[O, C, KH, KW]
  const float* bias;  // f32[O]
  // f32[N, O, floordiv(H + P * 2 - D * (KH - 1) - 1, S) + 1, floordiv(W + P * 2 - D * (KW - 1) - 1,
  // S) + 1], written
  float* y;
  long long S;
  long long P;
  long long D;
  long long N;
  long long C;
  long long H;
  long long W;
  long long O;
  long long KH;
  long long KW;
};

// Bytes of device memory that a call needs besides its arguments.
long long conv2d_workspace_bytes(const conv2d_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_conv2d(const conv2d_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.S < 0) return refuse(why, "size S is negative: %lld", args.S);
  if (args.P < 0) return refuse(why, "size P is negative: %lld", args.P);
  if (args.D < 0) return refuse(why, "size D is negative: %lld", args.D);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (args.C < 0) return refuse(why, "size C is negative: %lld", args.C);
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (args.O < 0) return refuse(why, "size O is negative: %lld", args.O);
  if (args.KH < 0) return refuse(why, "size KH is negative: %lld", args.KH);
  if (args.KW < 0) return refuse(why, "size KW is negative: %lld", args.KW);
  if (floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) + 1 < 0) {
    return refuse(why, "extent 2 of y is negative: %lld",
        floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) + 1);
  }
  if (floordiv(args.W + args.P * 2 - args.D * (args.KW - 1) - 1, args.S) + 1 < 0) {
    return refuse(why, "extent 3 of y is negative: %lld",
        floordiv(args.W + args.P * 2 - args.D * (args.KW - 1) - 1, args.S) + 1);
  }
  if (!fits({args.N, args.C, args.H, args.W, 4})) return refuse(why, "x is too large");
  if (!fits({args.O, args.C, args.KH, args.KW, 4})) return refuse(why, "k is too large");
  if (!fits({args.O, 4})) return refuse(why, "bias is too large");
  if (!fits({args.N, args.O, floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) +
      1, floordiv(args.W + args.P * 2 - args.D * (args.KW - 1) - 1, args.S) + 1, 4})) {
    return refuse(why, "y is too large");
  }
  const memory_range ranges[] = {
    {"x", args.x, args.N * args.C * args.H * args.W * 4, 4, false},
    {"k", args.k, args.O * args.C * args.KH * args.KW * 4, 4, false},
    {"bias", args.bias, args.O * 4, 4, false},
    {"y", args.y, args.N * args.O *
        (floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) + 1) *
        (floordiv(args.W + args.P * 2 - args.D * (args.KW - 1) - 1, args.S) + 1) * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.S <= 1073741824 && args.P <= 1073741824 && args.D <= 1073741824 &&
      args.N <= 1073741824 && args.C <= 1073741824 && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.O <= 1073741824 && args.KH <= 1073741824 &&
      args.KW <= 1073741824 && args.N * args.C * args.H * args.W * 4 <= 8589934588LL &&
      args.O * args.C * args.KH * args.KW * 4 <= 8589934588LL &&
      args.N * args.O * (floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) + 1) *
      (floordiv(args.W + args.P * 2 - args.D * (args.KW - 1) - 1, args.S) + 1) * 4 <=
      8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)(args.N * args.O *
        floordiv_positive(max(floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) +
        1, 0LL) + 7, 8LL) * floordiv_positive(max(floordiv(args.W + args.P * 2 - args.D *
        (args.KW - 1) - 1, args.S) + 1, 0LL) + 31, 32LL))) {
      conv2d_y<<<blocks, 256, 0, stream>>>(args.x, args.k, args.bias, args.y, (int)args.O,
          (int)args.KH, (int)args.D, (int)args.P, (int)args.H, (int)args.S, (int)args.KW,
          (int)args.W, (int)args.C);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)(args.N * args.O *
        floordiv_positive(max(floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) +
        1, 0LL) + 7, 8LL) * floordiv_positive(max(floordiv(args.W + args.P * 2 - args.D *
        (args.KW - 1) - 1, args.S) + 1, 0LL) + 31, 32LL))) {
      conv2d_y_general<<<blocks, 256, 0, stream>>>(args.x, args.k, args.bias, args.y, args.O,
          args.KH, args.D, args.P, args.H, args.S, args.KW, args.W, args.C);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
