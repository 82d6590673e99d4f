// softmax, made by cuoptc for sm_90a from examples/softmax.cdsl:10.
//
//   fn softmax(X: f32[M, N]) -> (Y: f32[M, N]) {
//     top[i]  = max[j](X[i, j]);
//     den[i]  = sum[j](exp(X[i, j] - top[i]));
//     Y[i, j] = exp(X[i, j] - top[i]) / den[i];
//   }
//
// Decisions:
// - simplify: softmax: declined: no exact rule applies
// - recognize: top: row reduction: max of X over j (FLOP/byte 0.25)
// - recognize: den: row reduction: sum of X over j (FLOP/byte 0.75)
// - recognize: Y: row reduction: max of X over j; row reduction: sum of X over j; pointwise: over
// i, j, exp, with what the reductions give; fused with top, den (FLOP/byte 0.875)
// - fuse: Y: one kernel, whose intermediates are never stored (statements 3, predicted 31.719 us)
// - map: Y: a row stays in the registers of a block and is read once, bound by dram (predicted
// 31.72 us, sectors/request 16)
// - vectorize: Y: elements of one memory access (predicted 31.72 us)
// - vectorize: Y: where the tiles of a row begin: at the row's first element, or at the vector in
// which it lies (predicted 31.72 us)
// - launch: Y: blocks are limited by registers (predicted 31.72 us, occupancy 0.63)
// - launch: Y: declined: a block a tile: resident blocks would take as many rounds, and the last
// one is as empty (waves 6.21, tail efficiency 0.89)
// - index: softmax: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 17,
// in 64 bits 0)

namespace {

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

// 2 to the x, where that is no denormal number.
__device__ __forceinline__ float exp2_normal(float x) {
#ifdef __CUDA_ARCH__
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
#else
  return exp2f(x);
#endif
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

// Neighbours in memory to registers, in one access.
template <int Count, class T>
__device__ __forceinline__ void load_vector(T* to, const T* from) {
  const vector_of<T, Count> all = *(const vector_of<T, Count>*)from;
#pragma unroll
  for (int k = 0; k < Count; ++k) to[k] = all.at[k];
}

// Registers to neighbours in memory, in one access.
template <int Count, class T>
__device__ __forceinline__ void store_vector(T* to, const T* from) {
  vector_of<T, Count> all;
#pragma unroll
  for (int k = 0; k < Count; ++k) all.at[k] = from[k];
  *(vector_of<T, Count>*)to = all;
}

}  // namespace

// Y[i, j] = exp(X[i, j] - max<f32>[j in 0..N](X[i, j])) / sum<f32>[j in 0..N](exp(X[i, j] -
// max<f32>[j in 0..N](X[i, j])))
extern "C" __global__ void __launch_bounds__(256)
softmax_Y(const float* __restrict__ X, float* Y, int N) {
  constexpr int vector_j = 4;
  constexpr int step_j = 1024;
  float X_i_j[16];
  float exp_of[16];
  __shared__ float greatest_warps[8];
  __shared__ float sum_warps[8];
  float Y_out[4];
#line 13 "examples/softmax.cdsl"
  const int j_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_j;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
#line 11 "examples/softmax.cdsl"
    if (j_first + jr * step_j < N) {
      load_vector<vector_j>(&X_i_j[jr * 4], &X[(int)blockIdx.x * N + j_first + jr * step_j]);
    } else {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        X_i_j[jr * 4 + jv] = 0.0f;
      }
    }
  }
  float greatest_2 = -inf_f32();
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jr_2 = 0; jr_2 < 4; ++jr_2) {
      greatest_2 = max_nan(greatest_2, j_first + jr * step_j + jr_2 < N ? X_i_j[jr * 4 + jr_2]
          : -inf_f32());
    }
  }
  float greatest_3 = greatest_2;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, greatest_3, 1 << k);
    greatest_3 = max_nan(greatest_3, other);
  }
  if ((threadIdx.x & 31) == 0) {
    greatest_warps[(int)(threadIdx.x / 32)] = greatest_3;
  }
  __syncthreads();
  float greatest_4 = greatest_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    greatest_4 = max_nan(greatest_4, greatest_warps[k]);
  }
  const float greatest_5 = greatest_4;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jv = 0; jv < vector_j; ++jv) {
#line 12 "examples/softmax.cdsl"
      exp_of[jr * 4 + jv] = expf(X_i_j[jr * 4 + jv] - greatest_5);
    }
  }
  float sum_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jr_2 = 0; jr_2 < 4; ++jr_2) {
      sum_2 += j_first + jr * step_j + jr_2 < N ? exp_of[jr * 4 + jr_2] : 0.0f;
    }
  }
  float sum_3 = sum_2;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, sum_3, 1 << k);
    sum_3 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    sum_warps[(int)(threadIdx.x / 32)] = sum_3;
  }
  __syncthreads();
  float sum_4 = sum_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_4 += sum_warps[k];
  }
  const float sum_5 = sum_4;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
#line 13 "examples/softmax.cdsl"
    if (j_first + jr * step_j < N) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        Y_out[jv] = exp_of[jr * 4 + jv] / sum_5;
      }
      store_vector<vector_j>(&Y[(int)blockIdx.x * N + j_first + jr * step_j], &Y_out[0]);
    }
  }
}
#line 174 "softmax.cu"

// Y[i, j] = exp(X[i, j] - max<f32>[j in 0..N](X[i, j])) / sum<f32>[j in 0..N](exp(X[i, j] -
// max<f32>[j in 0..N](X[i, j])))
extern "C" __global__ void __launch_bounds__(256)
softmax_Y_general(const float* __restrict__ X, float* Y, long long N) {
  float X_i_j[4];
  float X_i_j_2[4];
  float X_i_j_3[4];
  float X_i_j_4[4];
  __shared__ float top_2_warps[8];
  __shared__ float total_warps[8];
#line 13 "examples/softmax.cdsl"
  const int j_thread = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  float greatest = -inf_f32();
  float sum = 0.0f;
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + jr * 256 + j_thread];
    }
    float greatest_here = -inf_f32();
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      greatest_here = max_nan(greatest_here, X_i_j[jr]);
    }
    const float greatest_here_2 = greatest_here;
    const float next = max_nan(greatest, greatest_here_2);
    const float shift_2 = next == -inf_f32() ? 0.0f : next;
    float sum_here = 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum_here += exp2_normal(max_nan((X_i_j[jr] - shift_2) * 1.442695f, -126.0f));
    }
    const float sum_here_2 = sum_here;
    sum = sum * exp2_normal(max_nan((greatest - shift_2) * 1.442695f, -126.0f)) + sum_here_2;
    greatest = next;
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_2[jr] = j_whole + (jr * 256 + j_thread) < N
          ? X[blockIdx.x * N + j_whole + jr * 256 + j_thread] : -inf_f32();
    }
    float greatest_here = -inf_f32();
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      greatest_here = max_nan(greatest_here, X_i_j_2[jr]);
    }
    const float greatest_here_2 = greatest_here;
    const float next = max_nan(greatest, greatest_here_2);
    const float shift_2 = next == -inf_f32() ? 0.0f : next;
    float sum_here = 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum_here += exp2_normal(max_nan((X_i_j_2[jr] - shift_2) * 1.442695f, -126.0f));
    }
    const float sum_here_2 = sum_here;
    sum = sum * exp2_normal(max_nan((greatest - shift_2) * 1.442695f, -126.0f)) + sum_here_2;
    greatest = next;
  }
  float top_2_2 = greatest;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, top_2_2, 1 << k);
    top_2_2 = max_nan(top_2_2, other);
  }
  if ((threadIdx.x & 31) == 0) {
    top_2_warps[(int)(threadIdx.x / 32)] = top_2_2;
  }
  __syncthreads();
  float top_2_3 = top_2_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    top_2_3 = max_nan(top_2_3, top_2_warps[k]);
  }
  const float top_2_4 = top_2_3;
  const float shift = top_2_4 == -inf_f32() ? 0.0f : top_2_4;
  float total_3 = sum * exp2_normal(max_nan((greatest - shift) * 1.442695f, -126.0f));
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, total_3, 1 << k);
    total_3 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    total_warps[(int)(threadIdx.x / 32)] = total_3;
  }
  __syncthreads();
  float total_4 = total_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    total_4 += total_warps[k];
  }
  const float total_5 = total_4;
  const float total_2 = top_2_4 == -inf_f32() && 0 < N
      ? exp2_normal(max_nan((top_2_4 - top_2_4) * 1.442695f, -126.0f)) : total_5;
  const long long j_whole_2 = N - N % 1024;
  for (long long j_first_2 = 0; j_first_2 < j_whole_2; j_first_2 += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_3[jr] = X[blockIdx.x * N + j_first_2 + jr * 256 + j_thread];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float exp_of = expf(X_i_j_3[jr] - top_2_4);
      Y[blockIdx.x * N + j_first_2 + jr * 256 + j_thread] = exp_of / total_2;
    }
  }
  if (j_whole_2 < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_4[jr] = j_whole_2 + (jr * 256 + j_thread) < N
          ? X[blockIdx.x * N + j_whole_2 + jr * 256 + j_thread] : 0.0f;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float exp_of = expf(X_i_j_4[jr] - top_2_4);
      if (j_whole_2 + (jr * 256 + j_thread) < N) {
        Y[blockIdx.x * N + j_whole_2 + jr * 256 + j_thread] = exp_of / total_2;
      }
    }
  }
}
#line 298 "softmax.cu"

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

// Does memory start at a multiple of `bytes`?
inline bool is_aligned(const void* memory, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0;
}

}  // namespace

// Arguments of one call of softmax. Pointers are to device memory.
struct softmax_args {
  const float* X;  // f32[M, N]
  float* Y;        // f32[M, N], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long softmax_workspace_bytes(const softmax_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_softmax(const softmax_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"Y", args.Y, args.M * args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.N % 4 == 0 && args.N <= 4096 && is_aligned(args.X, 16) && is_aligned(args.Y, 16) &&
      args.M <= 1073741824 && args.N <= 1073741824 && args.M * args.N * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)args.M) {
      softmax_Y<<<blocks, 256, 0, stream>>>(args.X, args.Y, (int)args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)args.M) {
      softmax_Y_general<<<blocks, 256, 0, stream>>>(args.X, args.Y, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
