// batched_gemm, made by cuoptc for sm_90a from examples/batched_gemm.cdsl:9.
//
//   fn batched_gemm(A: f32[B, M, K], W: f32[B, K, N]) -> (C: f32[B, M, N]) {
//     C[b, m, n] = sum[k](A[b, m, k] * W[b, k, n]);
//   }
//
// Decisions:
// - simplify: batched_gemm: declined: no exact rule applies
// - recognize: C: contraction: batch b, rows m, columns n, contracted k (FLOP/byte 42.7)
// - map: C: operands are used by a whole tile of results: staged in shared memory, results in
// registers, bound by fp32 (predicted 345.19 us, sectors/request 4.07)
// - tile: C: points that a block holds in shared memory at once (predicted 345.19 us)
// - pad: C: elements between rows of the tile, so that its columns fall into different banks
// (predicted 345.19 us, bank degree 1)
// - launch: C: blocks are limited by registers (predicted 345.19 us, occupancy 0.25)
// - index: batched_gemm: guards bound the sizes, so that no index leaves 32 bits (indices in 32
// bits 35, in 64 bits 0)

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

// C[b, m, n] = sum<f32>[k in 0..K](A[b, m, k] * W[b, k, n])
extern "C" __global__ void __launch_bounds__(256)
batched_gemm_C(const float* __restrict__ A, const float* __restrict__ W, float* C, int M, int N,
    int K) {
  constexpr int tile_n = 128;
  constexpr int tile_m = 128;
  constexpr int vector_n = 4;
  constexpr int step_A_row = 16;
  constexpr int pitch_A = 132;
  constexpr int step_W_column = 32;
  constexpr int step_W_row = 8;
  constexpr int pitch_W = 128;
  constexpr int step_n = 32;
  __shared__ float A_tile[2112];
  __shared__ alignas(16) float W_tile[2048];
  float sum[64];
  float A_value[8];
  float W_value[8];
  float A_now[8];
  float W_now[8];
  float A_value_2[8];
  float W_value_2[8];
  float A_now_2[8];
  float W_now_2[8];
#line 10 "examples/batched_gemm.cdsl"
  const int n_tiles = max((N + 127) / tile_n, 1);
  const int rest = (int)blockIdx.x / n_tiles;
  const int n_block = (int)blockIdx.x % n_tiles * tile_n;
  const int m_tiles = max((M + 127) / tile_m, 1);
  const int rest_2 = rest / m_tiles;
  const int m_block = rest % m_tiles * tile_m;
  const int m_first = (int)(threadIdx.x / 32) / 2 * 32 + (int)(threadIdx.x & 31) / 8 * 8;
  const int n_first = (int)(threadIdx.x / 32) % 2 * 64 + (int)(threadIdx.x & 31) % 8 * vector_n;
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
      #pragma unroll 4
      for (int nv = 0; nv < vector_n; ++nv) {
        sum[(mr * 2 + nr) * 4 + nv] = 0.0f;
      }
    }
  }
  const int k_whole = K - K % 16;
  for (int k_first = 0; k_first < k_whole; k_first += 16) {
    const int A_row_first = (int)(threadIdx.x / 32) * 2 + (int)(threadIdx.x & 31) / 16;
    const int A_column = (int)(threadIdx.x & 31) % 16;
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_value[A_rowr] = m_block + (A_row_first + A_rowr * step_A_row) < M && k_first + A_column < K
          ? A[(rest_2 * M + m_block + A_row_first + A_rowr * step_A_row) * K + k_first + A_column]
          : 0.0f;
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value[A_rowr];
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_value[W_rowr * 4 + W_columnr] = k_first +
            ((int)(threadIdx.x / 32) + W_rowr * step_W_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + W_columnr * step_W_column) < N
            ? W[(rest_2 * K + k_first + (int)(threadIdx.x / 32) + W_rowr * step_W_row) * N +
            n_block + (int)(threadIdx.x & 31) + W_columnr * step_W_column] : 0.0f;
      }
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_tile[((int)(threadIdx.x / 32) + W_rowr * step_W_row) * pitch_W + (int)(threadIdx.x & 31) +
            W_columnr * step_W_column] = W_value[W_rowr * 4 + W_columnr];
      }
    }
    __syncthreads();
    #pragma unroll 16
    for (int k_step = 0; k_step < 16; ++k_step) {
      #pragma unroll 8
      for (int mr = 0; mr < 8; ++mr) {
        A_now[mr] = A_tile[k_step * pitch_A + m_first + mr];
      }
      #pragma unroll 2
      for (int nr = 0; nr < 2; ++nr) {
        load_vector<vector_n>(&W_now[nr * 4], &W_tile[k_step * pitch_W + n_first + nr * step_n]);
      }
      #pragma unroll 8
      for (int mr = 0; mr < 8; ++mr) {
        #pragma unroll 2
        for (int nr = 0; nr < 2; ++nr) {
          #pragma unroll 4
          for (int nv = 0; nv < vector_n; ++nv) {
            sum[(mr * 2 + nr) * 4 + nv] += A_now[mr] * W_now[nr * 4 + nv];
          }
        }
      }
    }
    __syncthreads();
  }
  if (k_whole < K) {
    const int A_row_first = (int)(threadIdx.x / 32) * 2 + (int)(threadIdx.x & 31) / 16;
    const int A_column = (int)(threadIdx.x & 31) % 16;
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_value_2[A_rowr] = m_block + (A_row_first + A_rowr * step_A_row) < M &&
          k_whole + A_column < K ? A[(rest_2 * M + m_block + A_row_first + A_rowr * step_A_row) *
          K + k_whole + A_column] : 0.0f;
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value_2[A_rowr];
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_value_2[W_rowr * 4 + W_columnr] = k_whole +
            ((int)(threadIdx.x / 32) + W_rowr * step_W_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + W_columnr * step_W_column) < N
            ? W[(rest_2 * K + k_whole + (int)(threadIdx.x / 32) + W_rowr * step_W_row) * N +
            n_block + (int)(threadIdx.x & 31) + W_columnr * step_W_column] : 0.0f;
      }
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_tile[((int)(threadIdx.x / 32) + W_rowr * step_W_row) * pitch_W + (int)(threadIdx.x & 31) +
            W_columnr * step_W_column] = W_value_2[W_rowr * 4 + W_columnr];
      }
    }
    __syncthreads();
    for (int k_step = 0; k_step < 16; ++k_step) {
      if (k_whole + k_step < K) {
        #pragma unroll 8
        for (int mr = 0; mr < 8; ++mr) {
          A_now_2[mr] = A_tile[k_step * pitch_A + m_first + mr];
        }
        #pragma unroll 2
        for (int nr = 0; nr < 2; ++nr) {
          load_vector<vector_n>(&W_now_2[nr * 4],
              &W_tile[k_step * pitch_W + n_first + nr * step_n]);
        }
        #pragma unroll 8
        for (int mr = 0; mr < 8; ++mr) {
          #pragma unroll 2
          for (int nr = 0; nr < 2; ++nr) {
            #pragma unroll 4
            for (int nv = 0; nv < vector_n; ++nv) {
              sum[(mr * 2 + nr) * 4 + nv] += A_now_2[mr] * W_now_2[nr * 4 + nv];
            }
          }
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
      if (n_block + (n_first + nr * step_n) < N && m_block + (m_first + mr) < M) {
        store_vector<vector_n>(&C[(rest_2 * M + m_block + m_first + mr) * N + n_block + n_first +
            nr * step_n], &sum[(mr * 2 + nr) * 4]);
      }
    }
  }
}
#line 216 "batched_gemm.cu"

// C[b, m, n] = sum<f32>[k in 0..K](A[b, m, k] * W[b, k, n])
extern "C" __global__ void __launch_bounds__(256)
batched_gemm_C_general(const float* __restrict__ A, const float* __restrict__ W, float* C,
    long long M, long long N, long long K) {
  constexpr int tile_n = 128;
  constexpr int tile_m = 128;
  constexpr int vector_n = 4;
  constexpr int step_A_row = 16;
  constexpr int pitch_A = 132;
  constexpr int step_W_column = 32;
  constexpr int step_W_row = 8;
  constexpr int pitch_W = 128;
  constexpr int step_n = 32;
  __shared__ float A_tile[2112];
  __shared__ alignas(16) float W_tile[2048];
  float sum[64];
  float A_value[8];
  float W_value[8];
  float A_now[8];
  float W_now[8];
  float A_value_2[8];
  float W_value_2[8];
  float A_now_2[8];
  float W_now_2[8];
#line 10 "examples/batched_gemm.cdsl"
  const int n_tiles = (int)max((N + 127) / tile_n, 1LL);
  const int rest = (int)blockIdx.x / n_tiles;
  const long long n_block = (long long)((int)blockIdx.x % n_tiles) * tile_n;
  const int m_tiles = (int)max((M + 127) / tile_m, 1LL);
  const int rest_2 = rest / m_tiles;
  const long long m_block = (long long)(rest % m_tiles) * tile_m;
  const int m_first = (int)(threadIdx.x / 32) / 2 * 32 + (int)(threadIdx.x & 31) / 8 * 8;
  const int n_first = (int)(threadIdx.x / 32) % 2 * 64 + (int)(threadIdx.x & 31) % 8 * vector_n;
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
      #pragma unroll 4
      for (int nv = 0; nv < vector_n; ++nv) {
        sum[(mr * 2 + nr) * 4 + nv] = 0.0f;
      }
    }
  }
  const long long k_whole = K - K % 16;
  for (long long k_first = 0; k_first < k_whole; k_first += 16) {
    const int A_row_first = (int)(threadIdx.x / 32) * 2 + (int)(threadIdx.x & 31) / 16;
    const int A_column = (int)(threadIdx.x & 31) % 16;
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_value[A_rowr] = m_block + (A_row_first + A_rowr * step_A_row) < M && k_first + A_column < K
          ? A[(rest_2 * M + m_block + A_row_first + A_rowr * step_A_row) * K + k_first + A_column]
          : 0.0f;
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value[A_rowr];
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_value[W_rowr * 4 + W_columnr] = k_first +
            ((int)(threadIdx.x / 32) + W_rowr * step_W_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + W_columnr * step_W_column) < N
            ? W[(rest_2 * K + k_first + (int)(threadIdx.x / 32) + W_rowr * step_W_row) * N +
            n_block + (int)(threadIdx.x & 31) + W_columnr * step_W_column] : 0.0f;
      }
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_tile[((int)(threadIdx.x / 32) + W_rowr * step_W_row) * pitch_W + (int)(threadIdx.x & 31) +
            W_columnr * step_W_column] = W_value[W_rowr * 4 + W_columnr];
      }
    }
    __syncthreads();
    #pragma unroll 16
    for (int k_step = 0; k_step < 16; ++k_step) {
      #pragma unroll 8
      for (int mr = 0; mr < 8; ++mr) {
        A_now[mr] = A_tile[k_step * pitch_A + m_first + mr];
      }
      #pragma unroll 2
      for (int nr = 0; nr < 2; ++nr) {
        load_vector<vector_n>(&W_now[nr * 4], &W_tile[k_step * pitch_W + n_first + nr * step_n]);
      }
      #pragma unroll 8
      for (int mr = 0; mr < 8; ++mr) {
        #pragma unroll 2
        for (int nr = 0; nr < 2; ++nr) {
          #pragma unroll 4
          for (int nv = 0; nv < vector_n; ++nv) {
            sum[(mr * 2 + nr) * 4 + nv] += A_now[mr] * W_now[nr * 4 + nv];
          }
        }
      }
    }
    __syncthreads();
  }
  if (k_whole < K) {
    const int A_row_first = (int)(threadIdx.x / 32) * 2 + (int)(threadIdx.x & 31) / 16;
    const int A_column = (int)(threadIdx.x & 31) % 16;
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_value_2[A_rowr] = m_block + (A_row_first + A_rowr * step_A_row) < M &&
          k_whole + A_column < K ? A[(rest_2 * M + m_block + A_row_first + A_rowr * step_A_row) *
          K + k_whole + A_column] : 0.0f;
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value_2[A_rowr];
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_value_2[W_rowr * 4 + W_columnr] = k_whole +
            ((int)(threadIdx.x / 32) + W_rowr * step_W_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + W_columnr * step_W_column) < N
            ? W[(rest_2 * K + k_whole + (int)(threadIdx.x / 32) + W_rowr * step_W_row) * N +
            n_block + (int)(threadIdx.x & 31) + W_columnr * step_W_column] : 0.0f;
      }
    }
    #pragma unroll 2
    for (int W_rowr = 0; W_rowr < 2; ++W_rowr) {
      #pragma unroll 4
      for (int W_columnr = 0; W_columnr < 4; ++W_columnr) {
        W_tile[((int)(threadIdx.x / 32) + W_rowr * step_W_row) * pitch_W + (int)(threadIdx.x & 31) +
            W_columnr * step_W_column] = W_value_2[W_rowr * 4 + W_columnr];
      }
    }
    __syncthreads();
    for (int k_step = 0; k_step < 16; ++k_step) {
      if (k_whole + k_step < K) {
        #pragma unroll 8
        for (int mr = 0; mr < 8; ++mr) {
          A_now_2[mr] = A_tile[k_step * pitch_A + m_first + mr];
        }
        #pragma unroll 2
        for (int nr = 0; nr < 2; ++nr) {
          load_vector<vector_n>(&W_now_2[nr * 4],
              &W_tile[k_step * pitch_W + n_first + nr * step_n]);
        }
        #pragma unroll 8
        for (int mr = 0; mr < 8; ++mr) {
          #pragma unroll 2
          for (int nr = 0; nr < 2; ++nr) {
            #pragma unroll 4
            for (int nv = 0; nv < vector_n; ++nv) {
              sum[(mr * 2 + nr) * 4 + nv] += A_now_2[mr] * W_now_2[nr * 4 + nv];
            }
          }
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
      #pragma unroll 4
      for (int nv = 0; nv < vector_n; ++nv) {
        if (n_block + (n_first + nr * step_n + nv) < N && m_block + (m_first + mr) < M) {
          C[(rest_2 * M + m_block + m_first + mr) * N + n_block + n_first + nr * step_n + nv] =
              sum[(mr * 2 + nr) * 4 + nv];
        }
      }
    }
  }
}
#line 390 "batched_gemm.cu"

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

// Arguments of one call of batched_gemm. Pointers are to device memory.
struct batched_gemm_args {
  const float* A;  // f32[B, M, K]
  const float* W;  // f32[B, K, N]
  float* C;        // f32[B, M, N], written
  long long B;
  long long M;
  long long K;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long batched_gemm_workspace_bytes(const batched_gemm_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_batched_gemm(const batched_gemm_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.B < 0) return refuse(why, "size B is negative: %lld", args.B);
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.K < 0) return refuse(why, "size K is negative: %lld", args.K);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.B, args.M, args.K, 4})) return refuse(why, "A is too large");
  if (!fits({args.B, args.K, args.N, 4})) return refuse(why, "W is too large");
  if (!fits({args.B, args.M, args.N, 4})) return refuse(why, "C is too large");
  const memory_range ranges[] = {
    {"A", args.A, args.B * args.M * args.K * 4, 4, false},
    {"W", args.W, args.B * args.K * args.N * 4, 4, false},
    {"C", args.C, args.B * args.M * args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.N % 4 == 0 && is_aligned(args.W, 16) && is_aligned(args.C, 16) && args.B <= 1073741824 &&
      args.M <= 1073741824 && args.K <= 1073741824 && args.N <= 1073741824 &&
      args.B * args.M * args.K * 4 <= 8589934588LL &&
      args.B * args.K * args.N * 4 <= 8589934588LL &&
      args.B * args.M * args.N * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)(args.B * ((args.M + 127) / 128) *
        ((args.N + 127) / 128))) {
      batched_gemm_C<<<blocks, 256, 0, stream>>>(args.A, args.W, args.C, (int)args.M, (int)args.N,
          (int)args.K);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)(args.B * ((args.M + 127) / 128) *
        ((args.N + 127) / 128))) {
      batched_gemm_C_general<<<blocks, 256, 0, stream>>>(args.A, args.W, args.C, args.M, args.N,
          args.K);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
