// column_sum, made by cuoptc for sm_90a from examples/column_sum.cdsl:7.
//
//   fn column_sum(X: f32[M, N]) -> (s: f32[N]) {
//     s[j] = sum[i](X[i, j]);
//   }
//
// Decisions:
// - simplify: column_sum: declined: no exact rule applies
// - recognize: s: column reduction: sum of X over i (FLOP/byte 0.25)
// - map: s: lanes along j, warps along i, blocks reduce shares of it and the last to end combines
// them in a fixed order, bound by dram (predicted 18.13 us, sectors/request 16)
// - vectorize: s: elements of one memory access (predicted 18.13 us)
// - reduce: s: blocks that divide one reduction between them (predicted 18.13 us)
// - launch: s: blocks are limited by warps (predicted 18.13 us, occupancy 1)
// - index: s: accesses of a thread under way at once (predicted 18.13 us)
// - predicate: s: blocks whose tile lies inside test nothing (predicted 18.13 us)
// - index: column_sum: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 33, in 64 bits 0)

namespace {

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

// s[j] = sum<f32>[i in 0..M](X[i, j])
extern "C" __global__ void __launch_bounds__(512)
column_sum_s(const float* X, float* sum_shares, int* s_ended, float* s, int N, int M) {
  constexpr int tile_j = 128;
  constexpr int vector_j = 4;
  constexpr int step_i = 16;
  __shared__ int is_last[1];
  float sum[32];
  float X_i_j[32];
  float X_i_j_2[32];
  float sum_2[4];
  float sum_of_share[4];
  float sum_2_2[4];
  __shared__ float sum_2_warps[2048];
  __shared__ float sum_2_2_warps[2048];
#line 8 "examples/column_sum.cdsl"
  const int share = (int)blockIdx.x % 8;
  const int tile = (int)blockIdx.x / 8;
  const int j_block = tile * tile_j;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  #pragma unroll 8
  for (int ir = 0; ir < 8; ++ir) {
    #pragma unroll 4
    for (int jv = 0; jv < vector_j; ++jv) {
      sum[ir * 4 + jv] = 0.0f;
    }
  }
  const int i_whole = M - M % 128;
  for (int i_first = share * 128; i_first < i_whole; i_first += 1024) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < N) {
        load_vector<vector_j>(&X_i_j[ir * 4],
            &X[(i_first + (int)(threadIdx.x / 32) + ir * step_i) * N + j_block + j_first]);
      } else {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          X_i_j[ir * 4 + jv] = 0.0f;
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] += X_i_j[ir * 4 + jv];
      }
    }
  }
  if (i_whole < M && share == 7) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < N && i_whole + ((int)(threadIdx.x / 32) + ir * step_i) < M) {
        load_vector<vector_j>(&X_i_j_2[ir * 4],
            &X[(i_whole + (int)(threadIdx.x / 32) + ir * step_i) * N + j_block + j_first]);
      } else {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          X_i_j_2[ir * 4 + jv] = 0.0f;
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] += X_i_j_2[ir * 4 + jv];
      }
    }
  }
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    float sum_2_3 = 0.0f;
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2_3 += sum[ir * 4 + jr];
    }
    sum_2_warps[(int)(threadIdx.x / 32) * 128 + jr * 32 + (int)(threadIdx.x & 31)] = sum_2_3;
  }
  __syncthreads();
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    const int parts = jr * 32 + (int)(threadIdx.x & 31);
    float sum_2_3 = sum_2_warps[parts];
    #pragma unroll 16
    for (int k = 1; k < 16; ++k) {
      sum_2_3 += sum_2_warps[k * 128 + parts];
    }
    sum_2[jr] = sum_2_3;
  }
  if ((threadIdx.x / 32) == 0) {
    if (j_block + j_first < N) {
      store_vector<vector_j>(&sum_shares[share * N + j_block + j_first], &sum_2[0]);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const int ended = atomicAdd(&s_ended[tile], 1);
    __threadfence();
    is_last[0] = ended == 7 ? 1 : 0;
  }
  __syncthreads();
  if (is_last[0] != 0) {
    if ((threadIdx.x / 32) < 8 && j_block + j_first < N) {
      load_vector<vector_j>(&sum_of_share[0],
          &sum_shares[(int)(threadIdx.x / 32) * N + j_block + j_first]);
    } else {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum_of_share[jv] = 0.0f;
      }
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum_2_2_warps[(int)(threadIdx.x / 32) * 128 + jr * 32 + (int)(threadIdx.x & 31)] =
          sum_of_share[jr];
    }
    __syncthreads();
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const int parts = jr * 32 + (int)(threadIdx.x & 31);
      float sum_2_2_2 = sum_2_2_warps[parts];
      #pragma unroll 16
      for (int k = 1; k < 16; ++k) {
        sum_2_2_2 += sum_2_2_warps[k * 128 + parts];
      }
      sum_2_2[jr] = sum_2_2_2;
    }
    if ((threadIdx.x / 32) == 0) {
      if (j_block + j_first < N) {
        store_vector<vector_j>(&s[j_block + j_first], &sum_2_2[0]);
      }
    }
  }
}
#line 184 "column_sum.cu"

// s[j] = sum<f32>[i in 0..M](X[i, j])
extern "C" __global__ void __launch_bounds__(512)
column_sum_s_general(const float* __restrict__ X, float* s, long long N, long long M) {
  constexpr int tile_j = 32;
  constexpr int step_i = 16;
  float sum[8];
  float X_i_j[8];
  float X_i_j_2[8];
  __shared__ float sum_2_warps[512];
#line 8 "examples/column_sum.cdsl"
  const long long j_block = (long long)blockIdx.x * tile_j;
  #pragma unroll 8
  for (int ir = 0; ir < 8; ++ir) {
    sum[ir] = 0.0f;
  }
  const long long i_whole = M - M % 128;
  for (long long i_first = 0; i_first < i_whole; i_first += 128) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      X_i_j[ir] = j_block + (threadIdx.x & 31) < N
          ? X[(i_first + (int)(threadIdx.x / 32) + ir * step_i) * N + j_block + (threadIdx.x & 31)]
          : 0.0f;
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] += X_i_j[ir];
    }
  }
  if (i_whole < M) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      X_i_j_2[ir] = j_block + (threadIdx.x & 31) < N &&
          i_whole + ((int)(threadIdx.x / 32) + ir * step_i) < M
          ? X[(i_whole + (int)(threadIdx.x / 32) + ir * step_i) * N + j_block + (threadIdx.x & 31)]
          : 0.0f;
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] += X_i_j_2[ir];
    }
  }
  float sum_2 = 0.0f;
  #pragma unroll 8
  for (int ir = 0; ir < 8; ++ir) {
    sum_2 += sum[ir];
  }
  sum_2_warps[(int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31)] = sum_2;
  __syncthreads();
  float sum_2_2 = sum_2_warps[(int)(threadIdx.x & 31)];
  #pragma unroll 16
  for (int k = 1; k < 16; ++k) {
    sum_2_2 += sum_2_warps[k * 32 + (int)(threadIdx.x & 31)];
  }
  const float sum_2_3 = sum_2_2;
  if (j_block + (threadIdx.x & 31) < N) {
    if ((threadIdx.x / 32) == 0) {
      s[j_block + (threadIdx.x & 31)] = sum_2_3;
    }
  }
}
#line 246 "column_sum.cu"

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

// Arguments of one call of column_sum. Pointers are to device memory.
struct column_sum_args {
  const float* X;  // f32[M, N]
  float* s;        // f32[N], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long column_sum_workspace_bytes(const column_sum_args& args) {
  long long bytes = 0, most = 0;
  bytes = 0;  // variant vectors
  bytes += aligned_256((args.N + 127) / 128 * 8 / 8 * 4);  // s_ended
  bytes += aligned_256(max(args.N, 0LL) * 8 * 4);  // sum_shares
  if (bytes > most) most = bytes;
  bytes = 0;  // variant general
  if (bytes > most) most = bytes;
  return most;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has column_sum_workspace_bytes bytes, aligned to 256.
cudaError_t launch_column_sum(const column_sum_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  if (!fits({args.N, 4})) return refuse(why, "s is too large");
  if (!fits({(args.N + 127) / 128 * 8 / 8, 4})) return refuse(why, "s_ended is too large");
  if (!fits({max(args.N, 0LL), 32})) return refuse(why, "sum_shares is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"s", args.s, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && column_sum_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (args.N % 4 == 0 && args.M >= 64 && is_aligned(args.X, 16) && is_aligned(args.s, 16) &&
      args.M <= 1073741824 && args.N <= 1073741824 && args.M * args.N * 4 <= 8589934588LL &&
      max(args.N, 0LL) * 8 * 4 <= 8589934588LL) {
    // Variant vectors.
    char* unused = static_cast<char*>(workspace);
    auto* const s_ended = reinterpret_cast<int*>(unused);
    unused += aligned_256((args.N + 127) / 128 * 8 / 8 * 4);
    auto* const sum_shares = reinterpret_cast<float*>(unused);
    unused += aligned_256(max(args.N, 0LL) * 8 * 4);
    if (cudaError_t error = cudaMemsetAsync(s_ended, 0, (args.N + 127) / 128 * 8 / 8 * 4, stream)) {
      return error;
    }
    if (const unsigned int blocks = (unsigned int)((args.N + 127) / 128 * 8)) {
      column_sum_s<<<blocks, 512, 0, stream>>>(args.X, sum_shares, s_ended, args.s, (int)args.N,
          (int)args.M);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 31) / 32)) {
      column_sum_s_general<<<blocks, 512, 0, stream>>>(args.X, args.s, args.N, args.M);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
