// layer_norm, made by cuoptc for sm_90a from examples/layer_norm.cdsl:11.
//
//   fn layer_norm(X: bf16[M, N], gain: bf16[N], shift: bf16[N]) -> (Y: bf16[M, N]) {
//     mu[i]   = mean[j](X[i, j]);
//     var[i]  = mean[j](sq(X[i, j] - mu[i]));
//     Y[i, j] = bf16((X[i, j] - mu[i]) * rsqrt(var[i] + 1e-5) * gain[j] + shift[j]);
//   }
//
// Decisions:
// - simplify: layer_norm: declined: no exact rule applies
// - recognize: mu: row reduction: sum of X over j (FLOP/byte 0.5)
// - recognize: var: row reduction: sum of X over j (FLOP/byte 1.5)
// - recognize: Y: row reduction: sum of X over j; pointwise: over i, j, rsqrt, with what the
// reductions give; fused with mu, var (FLOP/byte 3.25)
// - fuse: Y: one kernel, whose intermediates are never stored (statements 3, predicted 20.6676 us)
// - map: Y: a row stays in the registers of a block and is read once, bound by l2 (predicted 20.67
// us, sectors/request 16)
// - vectorize: Y: elements of one memory access (predicted 20.67 us)
// - vectorize: Y: where the tiles of a row begin: at the row's first element, or at the vector in
// which it lies (predicted 20.67 us)
// - launch: Y: blocks are limited by registers (predicted 20.67 us, occupancy 0.44)
// - launch: Y: declined: a block a tile: resident blocks would take as many rounds, and the last
// one is as empty (waves 4.43, tail efficiency 0.89)
// - index: layer_norm: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 25, in 64 bits 0)

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

// Y[i, j] = bf16((f32(X[i, j]) - sum<f32>[j in 0..N](f32(X[i, j])) / f32(N)) * rsqrt(sum<f32>[j in
// 0..N]((f32(X[i, j]) - sum<f32>[j in 0..N](f32(...)) / f32(N)) * (f32(X[i, j]) - sum<f32>[j in
// 0..N](f32(...)) / f32(N))) / f32(N) + 1e-05) * f32(gain[j]) + f32(shift[j]))
extern "C" __global__ void __launch_bounds__(128)
layer_norm_Y(const bf16* __restrict__ X, const bf16* __restrict__ gain,
    const bf16* __restrict__ shift, bf16* Y, int N) {
  constexpr int vector_j = 8;
  constexpr int step_j = 1024;
  bf16 X_i_j[32];
  float t[32];
  bf16 gain_j[32];
  bf16 shift_j[32];
  __shared__ float sum_warps[4];
  __shared__ float sum_2_warps[4];
  bf16 Y_out[8];
#line 14 "examples/layer_norm.cdsl"
  const int j_first = (int)(threadIdx.x / 32) * 256 + (int)(threadIdx.x & 31) * vector_j;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
#line 12 "examples/layer_norm.cdsl"
    if (j_first + jr * step_j < N) {
      load_vector<vector_j>(&X_i_j[jr * 8], &X[(int)blockIdx.x * N + j_first + jr * step_j]);
    } else {
      #pragma unroll 8
      for (int jv = 0; jv < vector_j; ++jv) {
        X_i_j[jr * 8 + jv] = bf16{0x0000};
      }
    }
  }
  float sum_3 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 8
    for (int jr_2 = 0; jr_2 < 8; ++jr_2) {
      sum_3 += j_first + jr * step_j + jr_2 < N ? to_f32(X_i_j[jr * 8 + jr_2]) : 0.0f;
    }
  }
  float sum_4 = sum_3;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, sum_4, 1 << k);
    sum_4 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    sum_warps[(int)(threadIdx.x / 32)] = sum_4;
  }
  __syncthreads();
  float sum_5 = sum_warps[0];
  #pragma unroll 4
  for (int k = 1; k < 4; ++k) {
    sum_5 += sum_warps[k];
  }
  const float sum_6 = sum_5;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 8
    for (int jv = 0; jv < vector_j; ++jv) {
#line 13 "examples/layer_norm.cdsl"
      t[jr * 8 + jv] = to_f32(X_i_j[jr * 8 + jv]) - sum_6 / (float)N;
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 8
    for (int jr_2 = 0; jr_2 < 8; ++jr_2) {
      sum_2_2 += j_first + jr * step_j + jr_2 < N ? t[jr * 8 + jr_2] * t[jr * 8 + jr_2] : 0.0f;
    }
  }
  float sum_2_3 = sum_2_2;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, sum_2_3, 1 << k);
    sum_2_3 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_3;
  }
  __syncthreads();
  float sum_2_4 = sum_2_warps[0];
  #pragma unroll 4
  for (int k = 1; k < 4; ++k) {
    sum_2_4 += sum_2_warps[k];
  }
  const float sum_2_5 = sum_2_4;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
#line 14 "examples/layer_norm.cdsl"
    if (j_first + jr * step_j < N) {
      load_vector<vector_j>(&gain_j[jr * 8], &gain[j_first + jr * step_j]);
    } else {
      #pragma unroll 8
      for (int jv = 0; jv < vector_j; ++jv) {
        gain_j[jr * 8 + jv] = bf16{0x0000};
      }
    }
    if (j_first + jr * step_j < N) {
      load_vector<vector_j>(&shift_j[jr * 8], &shift[j_first + jr * step_j]);
    } else {
      #pragma unroll 8
      for (int jv = 0; jv < vector_j; ++jv) {
        shift_j[jr * 8 + jv] = bf16{0x0000};
      }
    }
  }
#line 13 "examples/layer_norm.cdsl"
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
#line 14 "examples/layer_norm.cdsl"
    if (j_first + jr * step_j < N) {
      #pragma unroll 8
      for (int jv = 0; jv < vector_j; ++jv) {
        Y_out[jv] = to_bf16(t[jr * 8 + jv] * rsqrtf(sum_2_5 / (float)N + 1e-05f) *
            to_f32(gain_j[jr * 8 + jv]) + to_f32(shift_j[jr * 8 + jv]));
      }
      store_vector<vector_j>(&Y[(int)blockIdx.x * N + j_first + jr * step_j], &Y_out[0]);
    }
  }
}
#line 195 "layer_norm.cu"

// Y[i, j] = bf16((f32(X[i, j]) - sum<f32>[j in 0..N](f32(X[i, j])) / f32(N)) * rsqrt(sum<f32>[j in
// 0..N]((f32(X[i, j]) - sum<f32>[j in 0..N](f32(...)) / f32(N)) * (f32(X[i, j]) - sum<f32>[j in
// 0..N](f32(...)) / f32(N))) / f32(N) + 1e-05) * f32(gain[j]) + f32(shift[j]))
extern "C" __global__ void __launch_bounds__(256)
layer_norm_Y_general(const bf16* __restrict__ X, const bf16* __restrict__ gain,
    const bf16* __restrict__ shift, bf16* Y, long long N) {
  constexpr int step_j = 256;
  float sum[4];
  bf16 X_i_j[4];
  bf16 X_i_j_2[4];
  float sum_3[4];
  bf16 X_i_j_3[4];
  bf16 X_i_j_4[4];
  bf16 X_i_j_5[4];
  bf16 gain_j[4];
  bf16 shift_j[4];
  bf16 X_i_j_6[4];
  bf16 gain_j_2[4];
  bf16 shift_j_2[4];
  __shared__ float sum_2_warps[8];
  __shared__ float sum_3_0_warps[8];
#line 14 "examples/layer_norm.cdsl"
  const int j_first_4 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
#line 12 "examples/layer_norm.cdsl"
    sum[jr] = 0.0f;
  }
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_4 + jr * step_j];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += to_f32(X_i_j[jr]);
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_2[jr] = j_whole + (j_first_4 + jr * step_j) < N
          ? X[blockIdx.x * N + j_whole + j_first_4 + jr * step_j] : bf16{0x0000};
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += to_f32(X_i_j_2[jr]);
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_2_2 += sum[jr];
  }
  float sum_2_3 = sum_2_2;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, sum_2_3, 1 << k);
    sum_2_3 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_3;
  }
  __syncthreads();
  float sum_2_4 = sum_2_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_2_4 += sum_2_warps[k];
  }
  const float sum_2_5 = sum_2_4;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
#line 13 "examples/layer_norm.cdsl"
    sum_3[jr] = 0.0f;
  }
  const long long j_whole_2 = N - N % 1024;
  for (long long j_first_2 = 0; j_first_2 < j_whole_2; j_first_2 += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_3[jr] = X[blockIdx.x * N + j_first_2 + j_first_4 + jr * step_j];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = to_f32(X_i_j_3[jr]) - sum_2_5 / (float)N;
      sum_3[jr] += t * t;
    }
  }
  if (j_whole_2 < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_4[jr] = j_whole_2 + (j_first_4 + jr * step_j) < N
          ? X[blockIdx.x * N + j_whole_2 + j_first_4 + jr * step_j] : bf16{0x0000};
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = to_f32(X_i_j_4[jr]) - sum_2_5 / (float)N;
      sum_3[jr] += j_whole_2 + (j_first_4 + jr * step_j) < N ? t * t : 0.0f;
    }
  }
  float sum_3_0_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_3_0_2 += sum_3[jr];
  }
  float sum_3_0_3 = sum_3_0_2;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, sum_3_0_3, 1 << k);
    sum_3_0_3 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    sum_3_0_warps[(int)(threadIdx.x / 32)] = sum_3_0_3;
  }
  __syncthreads();
  float sum_3_0_4 = sum_3_0_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_3_0_4 += sum_3_0_warps[k];
  }
  const float sum_3_0_5 = sum_3_0_4;
#line 14 "examples/layer_norm.cdsl"
  const long long j_whole_3 = N - N % 1024;
  for (long long j_first_3 = 0; j_first_3 < j_whole_3; j_first_3 += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      gain_j[jr] = gain[j_first_3 + j_first_4 + jr * step_j];
      shift_j[jr] = shift[j_first_3 + j_first_4 + jr * step_j];
      X_i_j_5[jr] = X[blockIdx.x * N + j_first_3 + j_first_4 + jr * step_j];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = to_f32(X_i_j_5[jr]) - sum_2_5 / (float)N;
      Y[blockIdx.x * N + j_first_3 + j_first_4 + jr * step_j] =
          to_bf16(t * rsqrtf(sum_3_0_5 / (float)N + 1e-05f) * to_f32(gain_j[jr]) +
          to_f32(shift_j[jr]));
    }
  }
  if (j_whole_3 < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      gain_j_2[jr] = j_whole_3 + (j_first_4 + jr * step_j) < N
          ? gain[j_whole_3 + j_first_4 + jr * step_j] : bf16{0x0000};
      shift_j_2[jr] = j_whole_3 + (j_first_4 + jr * step_j) < N
          ? shift[j_whole_3 + j_first_4 + jr * step_j] : bf16{0x0000};
      X_i_j_6[jr] = j_whole_3 + (j_first_4 + jr * step_j) < N
          ? X[blockIdx.x * N + j_whole_3 + j_first_4 + jr * step_j] : bf16{0x0000};
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = to_f32(X_i_j_6[jr]) - sum_2_5 / (float)N;
      if (j_whole_3 + (j_first_4 + jr * step_j) < N) {
        Y[blockIdx.x * N + j_whole_3 + j_first_4 + jr * step_j] =
            to_bf16(t * rsqrtf(sum_3_0_5 / (float)N + 1e-05f) * to_f32(gain_j_2[jr]) +
            to_f32(shift_j_2[jr]));
      }
    }
  }
}
#line 356 "layer_norm.cu"

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

// Arguments of one call of layer_norm. Pointers are to device memory.
struct layer_norm_args {
  const bf16* X;      // bf16[M, N]
  const bf16* gain;   // bf16[N]
  const bf16* shift;  // bf16[N]
  bf16* Y;            // bf16[M, N], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long layer_norm_workspace_bytes(const layer_norm_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_layer_norm(const layer_norm_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 2})) return refuse(why, "X is too large");
  if (!fits({args.N, 2})) return refuse(why, "gain is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 2, 2, false},
    {"gain", args.gain, args.N * 2, 2, false},
    {"shift", args.shift, args.N * 2, 2, false},
    {"Y", args.Y, args.M * args.N * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.N % 8 == 0 && args.N <= 4096 && is_aligned(args.X, 16) && is_aligned(args.gain, 16) &&
      is_aligned(args.shift, 16) && is_aligned(args.Y, 16) && args.M <= 1073741824 &&
      args.N <= 1073741824 && args.M * args.N * 2 <= 4294967294LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)args.M) {
      layer_norm_Y<<<blocks, 128, 0, stream>>>(args.X, args.gain, args.shift, args.Y, (int)args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)args.M) {
      layer_norm_Y_general<<<blocks, 256, 0, stream>>>(args.X, args.gain, args.shift, args.Y,
          args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
