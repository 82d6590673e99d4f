// causal_attention, made by cuoptc for sm_90a from examples/causal_attention.cdsl:10.
//
//   fn causal_attention(Q: bf16[B, H, S, D], K: bf16[B, H, S, D], V: bf16[B, H, S, D])
//     -> (O: bf16[B, H, S, D])
//   {
//     tmp s: f32[B, H, S, S];
//     s[b, h, i, j in 0..=i] = sum[d](Q[b, h, i, d] * K[b, h, j, d]) / sqrt(f32(D));
//     top[b, h, i]  = max[j in 0..=i](s[b, h, i, j]);
//     let weight = exp(s[b, h, i, j] - top[b, h, i]);
//     den[b, h, i]  = sum[j in 0..=i](weight);
//     O[b, h, i, d] = bf16(sum[j in 0..=i](weight * V[b, h, j, d]) / den[b, h, i]);
//   }
//
// Decisions:
// - simplify: causal_attention: declined: no exact rule applies
// - recognize: s: contraction: batch b, h, rows i, columns j, contracted d, epilogue sqrt
// (FLOP/byte 10.8)
// - recognize: top: row reduction: max of s over j, whose range hangs on an index (FLOP/byte 0.242)
// - recognize: den: row reduction: sum of s over j, whose range hangs on an index (FLOP/byte 0.706)
// - recognize: O: contraction: batch b, h, rows i, columns d, contracted j, prologue exp, epilogue
// /, with den (FLOP/byte 15.9)
// - map: O: declined: the range of a reduction hangs on another index or on data
// - map: den: declined: the range of a reduction hangs on another index or on data
// - map: top: declined: the range of a reduction hangs on another index or on data
// - map: s: declined: a range hangs on another index or on data
// - lower: s: no point reads an element that another point overwrites (kernels 1)
// - lower: top: no point reads an element that another point overwrites (kernels 1)
// - lower: den: no point reads an element that another point overwrites (kernels 1)
// - lower: O: no point reads an element that another point overwrites (kernels 1)
// - index: causal_attention: declined: sizes are open, so that an index may need 64 bits (indices
// in 32 bits 0, in 64 bits 13)

struct bf16 {
  unsigned short bits;
};

namespace {

__device__ __forceinline__ float to_f32(bf16 h) {
  return __uint_as_float((unsigned int)h.bits << 16);
}

// To nearest even; overflow gives infinity.
__device__ __forceinline__ bf16 to_bf16(float x) {
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

__device__ __forceinline__ float inf_f32() { return __int_as_float(0x7f800000); }

// The greater; NaN if either is, and -0 < +0.
__device__ __forceinline__ float max_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  if (a == b) return signbit(a) ? b : a;
  return a > b || a != a ? a : b;
#endif
}

}  // namespace

// s[b, h, i, j] = sum<f32>[d in 0..D](f32(Q[b, h, i, d]) * f32(K[b, h, j, d])) / sqrt(f32(D))
extern "C" __global__ void __launch_bounds__(256)
causal_attention_s(const bf16* __restrict__ Q, const bf16* __restrict__ K, float* __restrict__ s,
    long long B, long long H, long long S, long long D) {
#line 14 "examples/causal_attention.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < B * H * S * S;
      point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / S;
    const long long rest_2 = rest / S;
    const long long i = rest % S;
    const long long j = point % S;
    if (j < i + 1) {
      float sum = 0.0f;
      for (long long d = 0; d < D; ++d) {
        sum += to_f32(Q[rest * D + d]) * to_f32(K[(rest_2 * S + j) * D + d]);
      }
      s[point] = sum / sqrtf((float)D);
    }
  }
}
#line 94 "causal_attention.cu"

// top[b, h, i] = max<f32>[j in 0..i + 1](s[b, h, i, j])
extern "C" __global__ void __launch_bounds__(256)
causal_attention_top(const float* __restrict__ s, float* __restrict__ top, long long B, long long H,
    long long S) {
#line 15 "examples/causal_attention.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < B * H * S;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point % S;
    float greatest = -inf_f32();
    for (long long j = 0; j < i + 1; ++j) {
      greatest = max_nan(greatest, s[point * S + j]);
    }
    top[point] = greatest;
  }
}
#line 112 "causal_attention.cu"

// den[b, h, i] = sum<f32>[j in 0..i + 1](exp(s[b, h, i, j] - top[b, h, i]))
extern "C" __global__ void __launch_bounds__(256)
causal_attention_den(const float* __restrict__ s, const float* __restrict__ top,
    float* __restrict__ den, long long B, long long H, long long S) {
#line 17 "examples/causal_attention.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < B * H * S;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point % S;
    float sum = 0.0f;
    for (long long j = 0; j < i + 1; ++j) {
      sum += expf(s[point * S + j] - top[point]);
    }
    den[point] = sum;
  }
}
#line 130 "causal_attention.cu"

// O[b, h, i, d] = bf16(sum<f32>[j in 0..i + 1](exp(s[b, h, i, j] - top[b, h, i]) * f32(V[b, h, j,
// d])) / den[b, h, i])
extern "C" __global__ void __launch_bounds__(256)
causal_attention_O(const float* __restrict__ den, const float* __restrict__ s,
    const float* __restrict__ top, const bf16* __restrict__ V, bf16* __restrict__ O, long long B,
    long long H, long long S, long long D) {
#line 18 "examples/causal_attention.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < B * H * S * D;
      point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / D;
    const long long rest_2 = rest / S;
    const long long i = rest % S;
    const long long d = point % D;
    float sum = 0.0f;
    for (long long j = 0; j < i + 1; ++j) {
      sum += expf(s[rest * S + j] - top[rest]) * to_f32(V[(rest_2 * S + j) * D + d]);
    }
    O[point] = to_bf16(sum / den[rest]);
  }
}
#line 153 "causal_attention.cu"

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

// Pieces of the workspace start at multiples of 256 bytes.
inline long long aligned_256(long long bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

// Arguments of one call of causal_attention. Pointers are to device memory.
struct causal_attention_args {
  const bf16* Q;  // bf16[B, H, S, D]
  const bf16* K;  // bf16[B, H, S, D]
  const bf16* V;  // bf16[B, H, S, D]
  bf16* O;        // bf16[B, H, S, D], written
  long long B;
  long long H;
  long long S;
  long long D;
};

// Bytes of device memory that a call needs besides its arguments.
long long causal_attention_workspace_bytes(const causal_attention_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.B * args.H * args.S * args.S * 4);  // s
  bytes += aligned_256(args.B * args.H * args.S * 4);  // top
  bytes += aligned_256(args.B * args.H * args.S * 4);  // den
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has causal_attention_workspace_bytes bytes, aligned to 256.
cudaError_t launch_causal_attention(const causal_attention_args& args, void* workspace,
    cudaStream_t stream, const char** why = nullptr) {
  if (args.B < 0) return refuse(why, "size B is negative: %lld", args.B);
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.S < 0) return refuse(why, "size S is negative: %lld", args.S);
  if (args.D < 0) return refuse(why, "size D is negative: %lld", args.D);
  if (!fits({args.B, args.H, args.S, args.D, 2})) return refuse(why, "Q is too large");
  if (!fits({args.B, args.H, args.S, args.S, 4})) return refuse(why, "s is too large");
  if (!fits({args.B, args.H, args.S, 4})) return refuse(why, "top is too large");
  const memory_range ranges[] = {
    {"Q", args.Q, args.B * args.H * args.S * args.D * 2, 2, false},
    {"K", args.K, args.B * args.H * args.S * args.D * 2, 2, false},
    {"V", args.V, args.B * args.H * args.S * args.D * 2, 2, false},
    {"O", args.O, args.B * args.H * args.S * args.D * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && causal_attention_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  char* unused = static_cast<char*>(workspace);
  auto* const s = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.B * args.H * args.S * args.S * 4);
  auto* const top = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.B * args.H * args.S * 4);
  auto* const den = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.B * args.H * args.S * 4);
  const long long most_causal_attention_s = resident_blocks(causal_attention_s, 256);
  const long long most_causal_attention_top = resident_blocks(causal_attention_top, 256);
  const long long most_causal_attention_den = resident_blocks(causal_attention_den, 256);
  const long long most_causal_attention_O = resident_blocks(causal_attention_O, 256);
  if (cudaError_t error = cudaMemsetAsync(s, 0, args.B * args.H * args.S * args.S * 4, stream)) {
    return error;
  }
  if (const unsigned int blocks = grid_for(args.B * args.H * args.S * args.S, 256,
      most_causal_attention_s)) {
    causal_attention_s<<<blocks, 256, 0, stream>>>(args.Q, args.K, s, args.B, args.H, args.S,
        args.D);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.B * args.H * args.S, 256,
      most_causal_attention_top)) {
    causal_attention_top<<<blocks, 256, 0, stream>>>(s, top, args.B, args.H, args.S);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.B * args.H * args.S, 256,
      most_causal_attention_den)) {
    causal_attention_den<<<blocks, 256, 0, stream>>>(s, top, den, args.B, args.H, args.S);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.B * args.H * args.S * args.D, 256,
      most_causal_attention_O)) {
    causal_attention_O<<<blocks, 256, 0, stream>>>(den, s, top, args.V, args.O, args.B, args.H,
        args.S, args.D);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
