// row_sum, made by cuoptc for sm_90a from examples/row_sum.cdsl:6.
//
//   fn row_sum(X: f32[M, N]) -> (s: f32[M]) {
//     s[i] = sum[j](X[i, j]);
//   }
//
// Decisions:
// - simplify: row_sum: declined: no exact rule applies
// - recognize: s: row reduction: sum of X over j (FLOP/byte 0.25)
// - map: s: a block walks over each row once, bound by dram (predicted 15.55 us, sectors/request
// 15.55)
// - vectorize: s: elements of one memory access (predicted 15.55 us)
// - vectorize: s: where the tiles of a row begin: at the row's first element, or at the vector in
// which it lies (predicted 15.55 us)
// - reduce: s: blocks that divide one reduction between them (predicted 15.55 us)
// - launch: s: blocks are limited by warps (predicted 15.55 us, occupancy 1)
// - index: s: accesses of a thread under way at once (predicted 15.55 us)
// - index: row_sum: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 17,
// in 64 bits 0)

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

}  // namespace

// s[i] = sum<f32>[j in 0..N](X[i, j])
extern "C" __global__ void __launch_bounds__(256)
row_sum_s(const float* __restrict__ X, float* s, int N) {
  constexpr int vector_j = 4;
  constexpr int step_j = 1024;
  float sum[16];
  float X_i_j[16];
  float X_i_j_2[16];
  __shared__ float sum_2_warps[8];
#line 7 "examples/row_sum.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_j;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jv = 0; jv < vector_j; ++jv) {
      sum[jr * 4 + jv] = 0.0f;
    }
  }
  const int j_whole = N - N % 4096;
  for (int j_first = 0; j_first < j_whole; j_first += 4096) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      load_vector<vector_j>(&X_i_j[jr * 4],
          &X[(int)blockIdx.x * N + j_first + j_first_2 + jr * step_j]);
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[jr * 4 + jv] += X_i_j[jr * 4 + jv];
      }
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      if (j_whole + (j_first_2 + jr * step_j) < N) {
        load_vector<vector_j>(&X_i_j_2[jr * 4],
            &X[(int)blockIdx.x * N + j_whole + j_first_2 + jr * step_j]);
      } else {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          X_i_j_2[jr * 4 + jv] = 0.0f;
        }
      }
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[jr * 4 + jv] += X_i_j_2[jr * 4 + jv];
      }
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jr_2 = 0; jr_2 < 4; ++jr_2) {
      sum_2_2 += sum[jr * 4 + jr_2];
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
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_2_4 += sum_2_warps[k];
  }
  const float sum_2_5 = sum_2_4;
  if (threadIdx.x == 0) {
    s[(int)blockIdx.x] = sum_2_5;
  }
}
#line 122 "row_sum.cu"

// s[i] = sum<f32>[j in 0..N](X[i, j])
extern "C" __global__ void __launch_bounds__(256)
row_sum_s_general(const float* __restrict__ X, float* s, long long N) {
  constexpr int step_j = 256;
  float sum[4];
  float X_i_j[4];
  float X_i_j_2[4];
  __shared__ float sum_2_warps[8];
#line 7 "examples/row_sum.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum[jr] = 0.0f;
  }
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_2 + jr * step_j];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += X_i_j[jr];
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_2[jr] = j_whole + (j_first_2 + jr * step_j) < N
          ? X[blockIdx.x * N + j_whole + j_first_2 + jr * step_j] : 0.0f;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += X_i_j_2[jr];
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
  if (threadIdx.x == 0) {
    s[(int)blockIdx.x] = sum_2_5;
  }
}
#line 185 "row_sum.cu"

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

// Arguments of one call of row_sum. Pointers are to device memory.
struct row_sum_args {
  const float* X;  // f32[M, N]
  float* s;        // f32[M], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long row_sum_workspace_bytes(const row_sum_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_row_sum(const row_sum_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  if (!fits({args.M, 4})) return refuse(why, "s is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"s", args.s, args.M * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.N % 4 == 0 && is_aligned(args.X, 16) && args.M <= 1073741824 && args.N <= 1073741824 &&
      args.M * args.N * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)args.M) {
      row_sum_s<<<blocks, 256, 0, stream>>>(args.X, args.s, (int)args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)args.M) {
      row_sum_s_general<<<blocks, 256, 0, stream>>>(args.X, args.s, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
