// dot, made by cuoptc for sm_90a from examples/dot.cdsl:9.
//
//   fn dot(x: f32[N], y: f32[N]) -> (s: f32) {
//     s = sum[i](x[i] * y[i]);
//   }
//
// Decisions:
// - simplify: dot: declined: no exact rule applies
// - recognize: s: full reduction: sum of x over i; contraction: contracted i (FLOP/byte 0.25)
// - map: s: blocks reduce shares of a row, the last to end combines them in a fixed order, bound by
// dram (predicted 33.62 us, sectors/request 16)
// - vectorize: s: elements of one memory access (predicted 33.62 us)
// - reduce: s: blocks that divide one reduction between them (predicted 33.62 us)
// - launch: s: blocks are limited by registers (predicted 33.62 us, occupancy 0.5)
// - index: s: accesses of a thread under way at once (predicted 33.62 us)
// - index: dot: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 34, in
// 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
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

}  // namespace

// s = sum<f32>[i in 0..N](x[i] * y[i])
extern "C" __global__ void __launch_bounds__(1024)
dot_s(const float* x, const float* y, float* sum_shares, int* s_ended, float* s, int N) {
  constexpr int vector_i = 4;
  constexpr int step_i = 4096;
  __shared__ int is_last[1];
  float sum[16];
  float x_i[16];
  float y_i[16];
  float x_i_2[16];
  float y_i_2[16];
  __shared__ float sum_2_warps[32];
  __shared__ float sum_2_2_warps[32];
#line 10 "examples/dot.cdsl"
  const int i_first_2 = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_i;
  #pragma unroll 4
  for (int ir = 0; ir < 4; ++ir) {
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      sum[ir * 4 + iv] = 0.0f;
    }
  }
  const int i_whole = N - N % 16384;
  for (long long i_first = (long long)blockIdx.x * 16384; i_first < i_whole; i_first += 2162688) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      load_vector<vector_i>(&x_i[ir * 4], &x[add_wrap((int)i_first, i_first_2 + ir * step_i)]);
      load_vector<vector_i>(&y_i[ir * 4], &y[add_wrap((int)i_first, i_first_2 + ir * step_i)]);
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int iv = 0; iv < vector_i; ++iv) {
        sum[ir * 4 + iv] += x_i[ir * 4 + iv] * y_i[ir * 4 + iv];
      }
    }
  }
  if (i_whole < N && blockIdx.x == 131) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      if (i_whole + (i_first_2 + ir * step_i + 3) < N) {
        load_vector<vector_i>(&x_i_2[ir * 4], &x[i_whole + i_first_2 + ir * step_i]);
      } else {
        #pragma unroll 4
        for (int iv = 0; iv < vector_i; ++iv) {
          x_i_2[ir * 4 + iv] = i_whole + (i_first_2 + ir * step_i + iv) < N
              ? x[i_whole + i_first_2 + ir * step_i + iv] : 0.0f;
        }
      }
      if (i_whole + (i_first_2 + ir * step_i + 3) < N) {
        load_vector<vector_i>(&y_i_2[ir * 4], &y[i_whole + i_first_2 + ir * step_i]);
      } else {
        #pragma unroll 4
        for (int iv = 0; iv < vector_i; ++iv) {
          y_i_2[ir * 4 + iv] = i_whole + (i_first_2 + ir * step_i + iv) < N
              ? y[i_whole + i_first_2 + ir * step_i + iv] : 0.0f;
        }
      }
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int iv = 0; iv < vector_i; ++iv) {
        sum[ir * 4 + iv] += i_whole + (i_first_2 + ir * step_i + iv) < N
            ? x_i_2[ir * 4 + iv] * y_i_2[ir * 4 + iv] : 0.0f;
      }
    }
  }
  float sum_2_3 = 0.0f;
  #pragma unroll 4
  for (int ir = 0; ir < 4; ++ir) {
    #pragma unroll 4
    for (int ir_2 = 0; ir_2 < 4; ++ir_2) {
      sum_2_3 += sum[ir * 4 + ir_2];
    }
  }
  float sum_2_4 = sum_2_3;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, sum_2_4, 1 << k);
    sum_2_4 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_4;
  }
  __syncthreads();
  float sum_2_5 = sum_2_warps[0];
  #pragma unroll 32
  for (int k = 1; k < 32; ++k) {
    sum_2_5 += sum_2_warps[k];
  }
  const float sum_2_6 = sum_2_5;
  if (threadIdx.x == 0) {
    sum_shares[(int)blockIdx.x] = sum_2_6;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const int ended = atomicAdd(&s_ended[0], 1);
    __threadfence();
    is_last[0] = ended == 131 ? 1 : 0;
  }
  __syncthreads();
  if (is_last[0] != 0) {
    const int part = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
    const float sum_of_share = part < 132 ? sum_shares[part] : 0.0f;
    float sum_2_2_2 = sum_of_share;
    #pragma unroll 5
    for (int k = 0; k < 5; ++k) {
      const float other = __shfl_xor_sync(0xffffffffu, sum_2_2_2, 1 << k);
      sum_2_2_2 += other;
    }
    if ((threadIdx.x & 31) == 0) {
      sum_2_2_warps[(int)(threadIdx.x / 32)] = sum_2_2_2;
    }
    __syncthreads();
    float sum_2_2_3 = sum_2_2_warps[0];
    #pragma unroll 32
    for (int k = 1; k < 32; ++k) {
      sum_2_2_3 += sum_2_2_warps[k];
    }
    const float sum_2_2_4 = sum_2_2_3;
    if (threadIdx.x == 0) {
      s[0] = sum_2_2_4;
    }
  }
}
#line 169 "dot.cu"

// s = sum<f32>[i in 0..N](x[i] * y[i])
extern "C" __global__ void __launch_bounds__(1024)
dot_s_general(const float* x, const float* y, float* sum_shares, int* s_ended, float* s,
    long long N) {
  constexpr int step_i = 1024;
  __shared__ int is_last[1];
  float sum[4];
  float x_i[4];
  float y_i[4];
  float x_i_2[4];
  float y_i_2[4];
  __shared__ float sum_2_warps[32];
  __shared__ float sum_2_2_warps[32];
#line 10 "examples/dot.cdsl"
  const int i_first_2 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int ir = 0; ir < 4; ++ir) {
    sum[ir] = 0.0f;
  }
  const long long i_whole = N - N % 4096;
  for (long long i_first = (long long)blockIdx.x * 4096; i_first < i_whole; i_first += 1081344) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      x_i[ir] = x[i_first + i_first_2 + ir * step_i];
      y_i[ir] = y[i_first + i_first_2 + ir * step_i];
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      sum[ir] += x_i[ir] * y_i[ir];
    }
  }
  if (i_whole < N && blockIdx.x == 263) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      x_i_2[ir] = i_whole + (i_first_2 + ir * step_i) < N ? x[i_whole + i_first_2 + ir * step_i]
          : 0.0f;
      y_i_2[ir] = i_whole + (i_first_2 + ir * step_i) < N ? y[i_whole + i_first_2 + ir * step_i]
          : 0.0f;
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      sum[ir] += i_whole + (i_first_2 + ir * step_i) < N ? x_i_2[ir] * y_i_2[ir] : 0.0f;
    }
  }
  float sum_2_3 = 0.0f;
  #pragma unroll 4
  for (int ir = 0; ir < 4; ++ir) {
    sum_2_3 += sum[ir];
  }
  float sum_2_4 = sum_2_3;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, sum_2_4, 1 << k);
    sum_2_4 += other;
  }
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_4;
  }
  __syncthreads();
  float sum_2_5 = sum_2_warps[0];
  #pragma unroll 32
  for (int k = 1; k < 32; ++k) {
    sum_2_5 += sum_2_warps[k];
  }
  const float sum_2_6 = sum_2_5;
  if (threadIdx.x == 0) {
    sum_shares[(int)blockIdx.x] = sum_2_6;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const int ended = atomicAdd(&s_ended[0], 1);
    __threadfence();
    is_last[0] = ended == 263 ? 1 : 0;
  }
  __syncthreads();
  if (is_last[0] != 0) {
    const int part = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
    const float sum_of_share = part < 264 ? sum_shares[part] : 0.0f;
    float sum_2_2_2 = sum_of_share;
    #pragma unroll 5
    for (int k = 0; k < 5; ++k) {
      const float other = __shfl_xor_sync(0xffffffffu, sum_2_2_2, 1 << k);
      sum_2_2_2 += other;
    }
    if ((threadIdx.x & 31) == 0) {
      sum_2_2_warps[(int)(threadIdx.x / 32)] = sum_2_2_2;
    }
    __syncthreads();
    float sum_2_2_3 = sum_2_2_warps[0];
    #pragma unroll 32
    for (int k = 1; k < 32; ++k) {
      sum_2_2_3 += sum_2_2_warps[k];
    }
    const float sum_2_2_4 = sum_2_2_3;
    if (threadIdx.x == 0) {
      s[0] = sum_2_2_4;
    }
  }
}
#line 271 "dot.cu"

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

// Pieces of the workspace start at multiples of 256 bytes.
inline long long aligned_256(long long bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

// Arguments of one call of dot. Pointers are to device memory.
struct dot_args {
  const float* x;  // f32[N]
  const float* y;  // f32[N]
  float* s;        // f32[], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long dot_workspace_bytes(const dot_args&) {
  long long bytes = 0, most = 0;
  bytes = 0;  // variant vectors
  bytes += aligned_256(4);  // s_ended
  bytes += aligned_256(528);  // sum_shares_2
  if (bytes > most) most = bytes;
  bytes = 0;  // variant general
  bytes += aligned_256(4);  // s_ended
  bytes += aligned_256(1056);  // sum_shares
  if (bytes > most) most = bytes;
  return most;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has dot_workspace_bytes bytes, aligned to 256.
cudaError_t launch_dot(const dot_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "x is too large");
  const memory_range ranges[] = {
    {"x", args.x, args.N * 4, 4, false},
    {"y", args.y, args.N * 4, 4, false},
    {"s", args.s, 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && dot_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (is_aligned(args.x, 16) && is_aligned(args.y, 16) && args.N <= 1073741824) {
    // Variant vectors.
    char* unused = static_cast<char*>(workspace);
    auto* const s_ended = reinterpret_cast<int*>(unused);
    unused += aligned_256(4);
    auto* const sum_shares_2 = reinterpret_cast<float*>(unused);
    unused += aligned_256(528);
    if (cudaError_t error = cudaMemsetAsync(s_ended, 0, 4, stream)) return error;
    dot_s<<<132, 1024, 0, stream>>>(args.x, args.y, sum_shares_2, s_ended, args.s, (int)args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  } else {
    // Variant general.
    char* unused = static_cast<char*>(workspace);
    auto* const s_ended = reinterpret_cast<int*>(unused);
    unused += aligned_256(4);
    auto* const sum_shares = reinterpret_cast<float*>(unused);
    unused += aligned_256(1056);
    if (cudaError_t error = cudaMemsetAsync(s_ended, 0, 4, stream)) return error;
    dot_s_general<<<264, 1024, 0, stream>>>(args.x, args.y, sum_shares, s_ended, args.s, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
