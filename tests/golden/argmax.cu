// row_argmax, made by cuoptc for sm_90a from examples/argmax.cdsl:9.
//
//   fn row_argmax(X: f32[M, N]) -> (v: f32[M], at: i32[M]) {
//     (v[i], at[i]) = argmax[j](X[i, j]);
//   }
//
// Decisions:
// - simplify: row_argmax: declined: no exact rule applies
// - recognize: at: row reduction: argmax of X over j (FLOP/byte 0.25)
// - map: at: a block walks over each row once, bound by dram (predicted 15.56 us, sectors/request
// 15.12)
// - vectorize: at: elements of one memory access (predicted 15.56 us)
// - vectorize: at: where the tiles of a row begin: at the row's first element, or at the vector in
// which it lies (predicted 15.56 us)
// - reduce: at: blocks that divide one reduction between them (predicted 15.56 us)
// - launch: at: blocks are limited by warps (predicted 15.56 us, occupancy 1)
// - index: at: accesses of a thread under way at once (predicted 15.56 us)
// - index: row_argmax: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 25, in 64 bits 0)

// Run-time reports of one site in the source: how many, and the value of the first.
struct cdsl_report {
  unsigned long long count;
  long long value;
};

namespace {

__device__ __forceinline__ float inf_f32() { return __int_as_float(0x7f800000); }

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

// Counts a report of a site; the value of the first one is kept.
__device__ __forceinline__ void report_at(cdsl_report* reports, int site, long long value) {
  if (reports == nullptr) return;
  if (atomicAdd(&reports[site].count, 1ull) == 0) reports[site].value = value;
}

}  // namespace

// at[i] = i32(argmax<f32>[j in 0..N](X[i, j]).1)
extern "C" __global__ void __launch_bounds__(256)
row_argmax_at(const float* __restrict__ X, float* v, int* at, int N, cdsl_report* reports) {
  constexpr int vector_j = 4;
  constexpr int step_j = 1024;
  float best[16];
  long long best_at[16];
  float X_i_j[16];
  float X_i_j_2[16];
  __shared__ float best_2_0_warps[8];
  __shared__ long long best_2_0_warps_2[8];
#line 10 "examples/argmax.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_j;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jv = 0; jv < vector_j; ++jv) {
      best[jr * 4 + jv] = -inf_f32();
      best_at[jr * 4 + jv] = -1;
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
        const float term = X_i_j[jr * 4 + jv];
        const bool better = best_at[jr * 4 + jv] < 0 ||
            (!isnan(best[jr * 4 + jv]) && !(term <= best[jr * 4 + jv]));
        const float next = better ? term : best[jr * 4 + jv];
        const long long next_2 = better ? j_first + (j_first_2 + jr * step_j + jv)
            : best_at[jr * 4 + jv];
        best[jr * 4 + jv] = next;
        best_at[jr * 4 + jv] = next_2;
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
        const float term = j_whole + (j_first_2 + jr * step_j + jv) < N ? X_i_j_2[jr * 4 + jv]
            : -inf_f32();
        const bool better = best_at[jr * 4 + jv] < 0 ||
            (!isnan(best[jr * 4 + jv]) && !(term <= best[jr * 4 + jv]));
        const float next = better ? term : best[jr * 4 + jv];
        const long long next_2 = better
            ? (j_whole + (j_first_2 + jr * step_j + jv) < N
            ? j_whole + (j_first_2 + jr * step_j + jv) : -1) : best_at[jr * 4 + jv];
        best[jr * 4 + jv] = next;
        best_at[jr * 4 + jv] = next_2;
      }
    }
  }
  float best_2_0_2 = -inf_f32();
  long long best_2_0_3 = -1;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jr_2 = 0; jr_2 < 4; ++jr_2) {
      const float right = best[jr * 4 + jr_2];
      const long long right_2 = best_at[jr * 4 + jr_2];
      const bool better = (isnan(right) &&
          (!isnan(best_2_0_2) || (unsigned long long)right_2 < (unsigned long long)best_2_0_3)) ||
          (!isnan(best_2_0_2) && (right > best_2_0_2 ||
          (right == best_2_0_2 && (unsigned long long)right_2 < (unsigned long long)best_2_0_3)));
      const float both = better ? right : best_2_0_2;
      const long long both_2 = better ? right_2 : best_2_0_3;
      best_2_0_2 = both;
      best_2_0_3 = both_2;
    }
  }
  float best_2_0_4 = best_2_0_2;
  long long best_2_0_5 = best_2_0_3;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, best_2_0_4, 1 << k);
    const long long other_2 = __shfl_xor_sync(0xffffffffu, best_2_0_5, 1 << k);
    const bool better = (isnan(other) &&
        (!isnan(best_2_0_4) || (unsigned long long)other_2 < (unsigned long long)best_2_0_5)) ||
        (!isnan(best_2_0_4) && (other > best_2_0_4 ||
        (other == best_2_0_4 && (unsigned long long)other_2 < (unsigned long long)best_2_0_5)));
    const float both = better ? other : best_2_0_4;
    const long long both_2 = better ? other_2 : best_2_0_5;
    best_2_0_4 = both;
    best_2_0_5 = both_2;
  }
  if ((threadIdx.x & 31) == 0) {
    best_2_0_warps[(int)(threadIdx.x / 32)] = best_2_0_4;
    best_2_0_warps_2[(int)(threadIdx.x / 32)] = best_2_0_5;
  }
  __syncthreads();
  const float best_2_0_6 = best_2_0_warps[(int)(threadIdx.x & 31) % 8];
  const long long best_2_0_7 = best_2_0_warps_2[(int)(threadIdx.x & 31) % 8];
  float best_2_0_8 = best_2_0_6;
  long long best_2_0_9 = best_2_0_7;
  #pragma unroll 3
  for (int k = 0; k < 3; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, best_2_0_8, 1 << k);
    const long long other_2 = __shfl_xor_sync(0xffffffffu, best_2_0_9, 1 << k);
    const bool better = (isnan(other) &&
        (!isnan(best_2_0_8) || (unsigned long long)other_2 < (unsigned long long)best_2_0_9)) ||
        (!isnan(best_2_0_8) && (other > best_2_0_8 ||
        (other == best_2_0_8 && (unsigned long long)other_2 < (unsigned long long)best_2_0_9)));
    const float both = better ? other : best_2_0_8;
    const long long both_2 = better ? other_2 : best_2_0_9;
    best_2_0_8 = both;
    best_2_0_9 = both_2;
  }
  const float best_2_0_10 = best_2_0_8;
  const long long best_2_1_2 = best_2_0_9;
  if (best_2_1_2 < 0) {
    if (threadIdx.x == 0) {
      report_at(reports, 0, -1);
    }
  }
  if (threadIdx.x == 0) {
    v[(int)blockIdx.x] = best_2_0_10;
  }
  if (threadIdx.x == 0) {
    at[(int)blockIdx.x] = (int)best_2_1_2;
  }
}
#line 196 "row_argmax.cu"

// at[i] = i32(argmax<f32>[j in 0..N](X[i, j]).1)
extern "C" __global__ void __launch_bounds__(256)
row_argmax_at_general(const float* __restrict__ X, float* v, int* at, long long N,
    cdsl_report* reports) {
  constexpr int step_j = 256;
  float best[4];
  long long best_at[4];
  float X_i_j[4];
  float X_i_j_2[4];
  __shared__ float best_2_0_warps[8];
  __shared__ long long best_2_0_warps_2[8];
#line 10 "examples/argmax.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    best[jr] = -inf_f32();
    best_at[jr] = -1;
  }
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_2 + jr * step_j];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float term = X_i_j[jr];
      const bool better = best_at[jr] < 0 || (!isnan(best[jr]) && !(term <= best[jr]));
      const float next = better ? term : best[jr];
      const long long next_2 = better ? j_first + (j_first_2 + jr * step_j) : best_at[jr];
      best[jr] = next;
      best_at[jr] = next_2;
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
      const float term = j_whole + (j_first_2 + jr * step_j) < N ? X_i_j_2[jr] : -inf_f32();
      const bool better = best_at[jr] < 0 || (!isnan(best[jr]) && !(term <= best[jr]));
      const float next = better ? term : best[jr];
      const long long next_2 = better
          ? (j_whole + (j_first_2 + jr * step_j) < N ? j_whole + (j_first_2 + jr * step_j) : -1)
          : best_at[jr];
      best[jr] = next;
      best_at[jr] = next_2;
    }
  }
  float best_2_0_2 = -inf_f32();
  long long best_2_0_3 = -1;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    const float right = best[jr];
    const long long right_2 = best_at[jr];
    const bool better = (isnan(right) &&
        (!isnan(best_2_0_2) || (unsigned long long)right_2 < (unsigned long long)best_2_0_3)) ||
        (!isnan(best_2_0_2) && (right > best_2_0_2 ||
        (right == best_2_0_2 && (unsigned long long)right_2 < (unsigned long long)best_2_0_3)));
    const float both = better ? right : best_2_0_2;
    const long long both_2 = better ? right_2 : best_2_0_3;
    best_2_0_2 = both;
    best_2_0_3 = both_2;
  }
  float best_2_0_4 = best_2_0_2;
  long long best_2_0_5 = best_2_0_3;
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, best_2_0_4, 1 << k);
    const long long other_2 = __shfl_xor_sync(0xffffffffu, best_2_0_5, 1 << k);
    const bool better = (isnan(other) &&
        (!isnan(best_2_0_4) || (unsigned long long)other_2 < (unsigned long long)best_2_0_5)) ||
        (!isnan(best_2_0_4) && (other > best_2_0_4 ||
        (other == best_2_0_4 && (unsigned long long)other_2 < (unsigned long long)best_2_0_5)));
    const float both = better ? other : best_2_0_4;
    const long long both_2 = better ? other_2 : best_2_0_5;
    best_2_0_4 = both;
    best_2_0_5 = both_2;
  }
  if ((threadIdx.x & 31) == 0) {
    best_2_0_warps[(int)(threadIdx.x / 32)] = best_2_0_4;
    best_2_0_warps_2[(int)(threadIdx.x / 32)] = best_2_0_5;
  }
  __syncthreads();
  const float best_2_0_6 = best_2_0_warps[(int)(threadIdx.x & 31) % 8];
  const long long best_2_0_7 = best_2_0_warps_2[(int)(threadIdx.x & 31) % 8];
  float best_2_0_8 = best_2_0_6;
  long long best_2_0_9 = best_2_0_7;
  #pragma unroll 3
  for (int k = 0; k < 3; ++k) {
    const float other = __shfl_xor_sync(0xffffffffu, best_2_0_8, 1 << k);
    const long long other_2 = __shfl_xor_sync(0xffffffffu, best_2_0_9, 1 << k);
    const bool better = (isnan(other) &&
        (!isnan(best_2_0_8) || (unsigned long long)other_2 < (unsigned long long)best_2_0_9)) ||
        (!isnan(best_2_0_8) && (other > best_2_0_8 ||
        (other == best_2_0_8 && (unsigned long long)other_2 < (unsigned long long)best_2_0_9)));
    const float both = better ? other : best_2_0_8;
    const long long both_2 = better ? other_2 : best_2_0_9;
    best_2_0_8 = both;
    best_2_0_9 = both_2;
  }
  const float best_2_0_10 = best_2_0_8;
  const long long best_2_1_2 = best_2_0_9;
  if (best_2_1_2 < 0) {
    if (threadIdx.x == 0) {
      report_at(reports, 1, -1);
    }
  }
  if (threadIdx.x == 0) {
    v[(int)blockIdx.x] = best_2_0_10;
  }
  if (threadIdx.x == 0) {
    at[(int)blockIdx.x] = (int)best_2_1_2;
  }
}
#line 316 "row_argmax.cu"

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

// What the reports of a call mean, by record.
inline constexpr const char* row_argmax_sites[] = {
  "examples/argmax.cdsl:10: row_argmax_at: argmax over nothing",
  "examples/argmax.cdsl:10: row_argmax_at_general: argmax over nothing",
};

// Arguments of one call of row_argmax. Pointers are to device memory.
struct row_argmax_args {
  const float* X;                  // f32[M, N]
  float* v;                        // f32[M], written
  int* at;                         // i32[M], written
  long long M;
  long long N;
  cdsl_report* reports = nullptr;  // 2 records, zeroed, or null
};

// Bytes of device memory that a call needs besides its arguments.
long long row_argmax_workspace_bytes(const row_argmax_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_row_argmax(const row_argmax_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  if (!fits({args.M, 4})) return refuse(why, "v is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"v", args.v, args.M * 4, 4, true},
    {"at", args.at, args.M * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (!(args.N <= 2147483647)) {
    return refuse(why, "a count or position up to %lld does not fit i32", (long long)args.N);
  }
  if (args.N % 4 == 0 && is_aligned(args.X, 16) && args.M <= 1073741824 && args.N <= 1073741824 &&
      args.M * args.N * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)args.M) {
      row_argmax_at<<<blocks, 256, 0, stream>>>(args.X, args.v, args.at, (int)args.N, args.reports);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)args.M) {
      row_argmax_at_general<<<blocks, 256, 0, stream>>>(args.X, args.v, args.at, args.N,
          args.reports);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
