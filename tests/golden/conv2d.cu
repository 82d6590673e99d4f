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
// - lower: y: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

namespace {

__device__ __forceinline__ long long sub_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a - (unsigned long long)b);
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

}  // namespace

// y[n, o, h, w] = bias[o] + sum<f32>[c in 0..C, i in 0..KH, j in 0..KW](x[n, c, S * h + D * i - P
// @zero, S * w + D * j - P @zero] * k[o, c, i, j])
extern "C" __global__ void __launch_bounds__(256)
conv2d_y(const float* __restrict__ bias, const float* __restrict__ x, const float* __restrict__ k,
    float* __restrict__ y, long long KH, long long D, long long KW, long long P, long long H,
    long long S, long long W, long long N, long long O, long long C) {
#line 12 "examples/conv2d.cdsl"
  const long long t = P * 2;
  const long long h_count = max(floordiv(sub_wrap(sub_wrap(H + t, mul_wrap(D, KH - 1)), 1LL), S) +
      1, 0LL);
  const long long w_count = max(floordiv(sub_wrap(sub_wrap(W + t, mul_wrap(D, KW - 1)), 1LL), S) +
      1, 0LL);
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x;
      point < N * O * h_count * w_count; point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / w_count;
    const long long rest_2 = rest / h_count;
    const long long n = rest_2 / O;
    const long long o = rest_2 % O;
    const long long h = rest % h_count;
    const long long w = point % w_count;
    float sum = 0.0f;
#line 13 "examples/conv2d.cdsl"
    for (long long c = 0; c < C; ++c) {
      for (long long i = 0; i < KH; ++i) {
        for (long long j = 0; j < KW; ++j) {
          const long long t_2 = S * h + D * i - P;
          const long long t_3 = S * w + D * j - P;
          sum += (t_2 >= 0 && t_2 < H && t_3 >= 0 && t_3 < W ? x[((n * C + c) * H + t_2) * W + t_3]
              : 0.0f) * k[((o * C + c) * KH + i) * KW + j];
        }
      }
    }
#line 12 "examples/conv2d.cdsl"
    y[point] = bias[o] + sum;
  }
}
#line 76 "conv2d.cu"

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

// How many blocks of a kernel the device holds at once. Where that cannot be asked, a launch fails too,
// and says why.
template <class Kernel>
long long resident_blocks(Kernel* kernel, int threads) {
  int device = 0, processors = 0, per_processor = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 1;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, 0);
  const long long blocks = static_cast<long long>(processors) * per_processor;
  return blocks > 0 ? blocks : 1;
}

// Blocks for `items` elements, one a thread at first: no more than `most`, since threads take turns.
inline unsigned int grid_for(long long items, int threads, long long most) {
  if (items <= 0) return 0;
  const long long blocks = (items - 1) / threads + 1;
  return static_cast<unsigned int>(blocks < most ? blocks : most);
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
  const long long most_conv2d_y = resident_blocks(conv2d_y, 256);
  if (const unsigned int blocks = grid_for(args.N * args.O *
      (floordiv(args.H + args.P * 2 - args.D * (args.KH - 1) - 1, args.S) + 1) *
      (floordiv(args.W + args.P * 2 - args.D * (args.KW - 1) - 1, args.S) + 1), 256,
      most_conv2d_y)) {
    conv2d_y<<<blocks, 256, 0, stream>>>(args.bias, args.x, args.k, args.y, args.KH, args.D,
        args.KW, args.P, args.H, args.S, args.W, args.N, args.O, args.C);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
