// gemm_bias_gelu, made by cuoptc for sm_90a from examples/gemm_bias_gelu.cdsl:13.
//
//   fn gemm_bias_gelu(A: bf16[M, K], B: bf16[K, N], bias: bf16[N]) -> (C: bf16[M, N])
//     where K % 8 == 0, N % 8 == 0
//   {
//     acc[m, n] = sum[k](A[m, k] * B[k, n]);
//     C[m, n]   = bf16(gelu(acc[m, n] + bias[n]));
//   }
//
// Decisions:
// - simplify: gemm_bias_gelu: declined: no exact rule applies
// - recognize: acc: contraction: rows m, columns n, contracted k (FLOP/byte 1020)
// - recognize: C: contraction: rows m, columns n, contracted k, epilogue gelu, with bias; fused
// with acc (FLOP/byte 1370)
// - fuse: C: one kernel, whose intermediates are never stored (statements 2, predicted 5525.63 us)
// - map: C: operands are used by a whole tile of results: staged in shared memory, results in
// registers, bound by fp32 (predicted 5525.63 us, sectors/request 2)
// - tile: C: points that a block holds in shared memory at once (predicted 5525.63 us)
// - pad: C: elements between rows of the tile, so that its columns fall into different banks
// (predicted 5525.63 us, bank degree 1)
// - launch: C: blocks are limited by registers (predicted 5525.63 us, occupancy 0.25)
// - launch: C: tiles are taken in bands of rows, so that blocks that run together share operands in
// the L2 (memory 84.95 MB)
// - index: gemm_bias_gelu: guards bound the sizes, so that no index leaves 32 bits (indices in 32
// bits 41, in 64 bits 0)
// - schedule: C.cluster.m: declined: 2 is impossible: no decision has this key here; `cuoptc
// explain` prints those that there are
// - schedule: C.stages: declined: 4 is impossible: no decision has this key here; `cuoptc explain`
// prints those that there are
// - schedule: C.tile.k: declined: 64 is impossible: no decision has this key here; `cuoptc explain`
// prints those that there are
// - schedule: C.tile.m: declined: 128 is impossible: no decision has this key here; `cuoptc
// explain` prints those that there are
// - schedule: C.tile.n: declined: 256 is impossible: no decision has this key here; `cuoptc
// explain` prints those that there are

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

__device__ __forceinline__ float gelu(float x) { return x * normcdff(x); }

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

// C[m, n] = bf16(gelu(sum<f32>[k in 0..K](f32(A[m, k]) * f32(B[k, n])) + f32(bias[n])))
extern "C" __global__ void __launch_bounds__(256)
gemm_bias_gelu_C(const bf16* __restrict__ A, const bf16* __restrict__ B,
    const bf16* __restrict__ bias, bf16* C, int M, int N, int K) {
  constexpr int tile_m = 128;
  constexpr int tile_n = 128;
  constexpr int raster = 8;
  constexpr int vector_n = 4;
  constexpr int step_A_row = 16;
  constexpr int pitch_A = 132;
  constexpr int step_B_column = 32;
  constexpr int step_B_row = 8;
  constexpr int pitch_B = 128;
  constexpr int step_n = 32;
  __shared__ bf16 A_tile[2112];
  __shared__ alignas(16) bf16 B_tile[2048];
  float sum[64];
  bf16 A_value[8];
  bf16 B_value[8];
  bf16 A_now[8];
  bf16 B_now[8];
  bf16 A_value_2[8];
  bf16 B_value_2[8];
  bf16 A_now_2[8];
  bf16 B_now_2[8];
  bf16 bias_n[8];
  bf16 C_out[4];
#line 17 "examples/gemm_bias_gelu.cdsl"
  const int m_tiles = max((M + 127) / tile_m, 1);
  const int n_tiles = max((N + 127) / tile_n, 1);
  const int band_rows = min(raster, m_tiles);
  const int band_tiles = max(band_rows * n_tiles, 1);
  const int band_row = (int)blockIdx.x / band_tiles * band_rows;
  const int in_band = (int)blockIdx.x % band_tiles;
  const int height = max(min(band_rows, m_tiles - band_row), 1);
  const int m_block = (band_row + in_band % height) * tile_m;
  const int n_block = in_band / height * tile_n;
  const int m_first = (int)(threadIdx.x / 32) / 2 * 32 + (int)(threadIdx.x & 31) / 8 * 8;
  const int n_first = (int)(threadIdx.x / 32) % 2 * 64 + (int)(threadIdx.x & 31) % 8 * vector_n;
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
      #pragma unroll 4
      for (int nv = 0; nv < vector_n; ++nv) {
#line 16 "examples/gemm_bias_gelu.cdsl"
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
          ? A[(m_block + A_row_first + A_rowr * step_A_row) * K + k_first + A_column]
          : bf16{0x0000};
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value[A_rowr];
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_value[B_rowr * 4 + B_columnr] = k_first +
            ((int)(threadIdx.x / 32) + B_rowr * step_B_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + B_columnr * step_B_column) < N
            ? B[(k_first + (int)(threadIdx.x / 32) + B_rowr * step_B_row) * N + n_block +
            (int)(threadIdx.x & 31) + B_columnr * step_B_column] : bf16{0x0000};
      }
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_tile[((int)(threadIdx.x / 32) + B_rowr * step_B_row) * pitch_B + (int)(threadIdx.x & 31) +
            B_columnr * step_B_column] = B_value[B_rowr * 4 + B_columnr];
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
        load_vector<vector_n>(&B_now[nr * 4], &B_tile[k_step * pitch_B + n_first + nr * step_n]);
      }
      #pragma unroll 8
      for (int mr = 0; mr < 8; ++mr) {
        #pragma unroll 2
        for (int nr = 0; nr < 2; ++nr) {
          #pragma unroll 4
          for (int nv = 0; nv < vector_n; ++nv) {
            sum[(mr * 2 + nr) * 4 + nv] += to_f32(A_now[mr]) * to_f32(B_now[nr * 4 + nv]);
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
          k_whole + A_column < K ? A[(m_block + A_row_first + A_rowr * step_A_row) * K + k_whole +
          A_column] : bf16{0x0000};
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value_2[A_rowr];
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_value_2[B_rowr * 4 + B_columnr] = k_whole +
            ((int)(threadIdx.x / 32) + B_rowr * step_B_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + B_columnr * step_B_column) < N
            ? B[(k_whole + (int)(threadIdx.x / 32) + B_rowr * step_B_row) * N + n_block +
            (int)(threadIdx.x & 31) + B_columnr * step_B_column] : bf16{0x0000};
      }
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_tile[((int)(threadIdx.x / 32) + B_rowr * step_B_row) * pitch_B + (int)(threadIdx.x & 31) +
            B_columnr * step_B_column] = B_value_2[B_rowr * 4 + B_columnr];
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
          load_vector<vector_n>(&B_now_2[nr * 4],
              &B_tile[k_step * pitch_B + n_first + nr * step_n]);
        }
        #pragma unroll 8
        for (int mr = 0; mr < 8; ++mr) {
          #pragma unroll 2
          for (int nr = 0; nr < 2; ++nr) {
            #pragma unroll 4
            for (int nv = 0; nv < vector_n; ++nv) {
              sum[(mr * 2 + nr) * 4 + nv] += to_f32(A_now_2[mr]) * to_f32(B_now_2[nr * 4 + nv]);
            }
          }
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll 2
  for (int nr = 0; nr < 2; ++nr) {
#line 17 "examples/gemm_bias_gelu.cdsl"
    if (n_block + (n_first + nr * step_n) < N) {
      load_vector<vector_n>(&bias_n[nr * 4], &bias[n_block + n_first + nr * step_n]);
    } else {
      #pragma unroll 4
      for (int nv = 0; nv < vector_n; ++nv) {
        bias_n[nr * 4 + nv] = bf16{0x0000};
      }
    }
  }
#line 16 "examples/gemm_bias_gelu.cdsl"
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
#line 17 "examples/gemm_bias_gelu.cdsl"
      if (n_block + (n_first + nr * step_n) < N && m_block + (m_first + mr) < M) {
        #pragma unroll 4
        for (int nv = 0; nv < vector_n; ++nv) {
          C_out[nv] = to_bf16(gelu(sum[(mr * 2 + nr) * 4 + nv] + to_f32(bias_n[nr * 4 + nv])));
        }
        store_vector<vector_n>(&C[(m_block + m_first + mr) * N + n_block + n_first + nr * step_n],
            &C_out[0]);
      }
    }
  }
}
#line 282 "gemm_bias_gelu.cu"

// C[m, n] = bf16(gelu(sum<f32>[k in 0..K](f32(A[m, k]) * f32(B[k, n])) + f32(bias[n])))
extern "C" __global__ void __launch_bounds__(256)
gemm_bias_gelu_C_general(const bf16* __restrict__ A, const bf16* __restrict__ B,
    const bf16* __restrict__ bias, bf16* C, long long M, long long N, long long K) {
  constexpr int tile_m = 128;
  constexpr int tile_n = 128;
  constexpr int raster = 8;
  constexpr int vector_n = 4;
  constexpr int step_A_row = 16;
  constexpr int pitch_A = 132;
  constexpr int step_B_column = 32;
  constexpr int step_B_row = 8;
  constexpr int pitch_B = 128;
  constexpr int step_n = 32;
  __shared__ bf16 A_tile[2112];
  __shared__ alignas(16) bf16 B_tile[2048];
  float sum[64];
  bf16 A_value[8];
  bf16 B_value[8];
  bf16 A_now[8];
  bf16 B_now[8];
  bf16 A_value_2[8];
  bf16 B_value_2[8];
  bf16 A_now_2[8];
  bf16 B_now_2[8];
  bf16 bias_n[8];
#line 17 "examples/gemm_bias_gelu.cdsl"
  const int m_tiles = (int)max((M + 127) / tile_m, 1LL);
  const int n_tiles = (int)max((N + 127) / tile_n, 1LL);
  const int band_rows = min(raster, m_tiles);
  const int band_tiles = (int)max((long long)band_rows * n_tiles, 1LL);
  const int band_row = (int)blockIdx.x / band_tiles * band_rows;
  const int in_band = (int)blockIdx.x % band_tiles;
  const int height = max(min(band_rows, m_tiles - band_row), 1);
  const long long m_block = ((long long)band_row + in_band % height) * tile_m;
  const long long n_block = (long long)(in_band / height) * tile_n;
  const int m_first = (int)(threadIdx.x / 32) / 2 * 32 + (int)(threadIdx.x & 31) / 8 * 8;
  const int n_first = (int)(threadIdx.x / 32) % 2 * 64 + (int)(threadIdx.x & 31) % 8 * vector_n;
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
      #pragma unroll 4
      for (int nv = 0; nv < vector_n; ++nv) {
#line 16 "examples/gemm_bias_gelu.cdsl"
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
          ? A[(m_block + A_row_first + A_rowr * step_A_row) * K + k_first + A_column]
          : bf16{0x0000};
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value[A_rowr];
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_value[B_rowr * 4 + B_columnr] = k_first +
            ((int)(threadIdx.x / 32) + B_rowr * step_B_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + B_columnr * step_B_column) < N
            ? B[(k_first + (int)(threadIdx.x / 32) + B_rowr * step_B_row) * N + n_block +
            (int)(threadIdx.x & 31) + B_columnr * step_B_column] : bf16{0x0000};
      }
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_tile[((int)(threadIdx.x / 32) + B_rowr * step_B_row) * pitch_B + (int)(threadIdx.x & 31) +
            B_columnr * step_B_column] = B_value[B_rowr * 4 + B_columnr];
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
        load_vector<vector_n>(&B_now[nr * 4], &B_tile[k_step * pitch_B + n_first + nr * step_n]);
      }
      #pragma unroll 8
      for (int mr = 0; mr < 8; ++mr) {
        #pragma unroll 2
        for (int nr = 0; nr < 2; ++nr) {
          #pragma unroll 4
          for (int nv = 0; nv < vector_n; ++nv) {
            sum[(mr * 2 + nr) * 4 + nv] += to_f32(A_now[mr]) * to_f32(B_now[nr * 4 + nv]);
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
          k_whole + A_column < K ? A[(m_block + A_row_first + A_rowr * step_A_row) * K + k_whole +
          A_column] : bf16{0x0000};
    }
    #pragma unroll 8
    for (int A_rowr = 0; A_rowr < 8; ++A_rowr) {
      A_tile[A_column * pitch_A + A_row_first + A_rowr * step_A_row] = A_value_2[A_rowr];
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_value_2[B_rowr * 4 + B_columnr] = k_whole +
            ((int)(threadIdx.x / 32) + B_rowr * step_B_row) < K &&
            n_block + ((int)(threadIdx.x & 31) + B_columnr * step_B_column) < N
            ? B[(k_whole + (int)(threadIdx.x / 32) + B_rowr * step_B_row) * N + n_block +
            (int)(threadIdx.x & 31) + B_columnr * step_B_column] : bf16{0x0000};
      }
    }
    #pragma unroll 2
    for (int B_rowr = 0; B_rowr < 2; ++B_rowr) {
      #pragma unroll 4
      for (int B_columnr = 0; B_columnr < 4; ++B_columnr) {
        B_tile[((int)(threadIdx.x / 32) + B_rowr * step_B_row) * pitch_B + (int)(threadIdx.x & 31) +
            B_columnr * step_B_column] = B_value_2[B_rowr * 4 + B_columnr];
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
          load_vector<vector_n>(&B_now_2[nr * 4],
              &B_tile[k_step * pitch_B + n_first + nr * step_n]);
        }
        #pragma unroll 8
        for (int mr = 0; mr < 8; ++mr) {
          #pragma unroll 2
          for (int nr = 0; nr < 2; ++nr) {
            #pragma unroll 4
            for (int nv = 0; nv < vector_n; ++nv) {
              sum[(mr * 2 + nr) * 4 + nv] += to_f32(A_now_2[mr]) * to_f32(B_now_2[nr * 4 + nv]);
            }
          }
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll 2
  for (int nr = 0; nr < 2; ++nr) {
    #pragma unroll 4
    for (int nv = 0; nv < vector_n; ++nv) {
#line 17 "examples/gemm_bias_gelu.cdsl"
      bias_n[nr * 4 + nv] = n_block + (n_first + nr * step_n + nv) < N
          ? bias[n_block + n_first + nr * step_n + nv] : bf16{0x0000};
    }
  }
#line 16 "examples/gemm_bias_gelu.cdsl"
  #pragma unroll 8
  for (int mr = 0; mr < 8; ++mr) {
    #pragma unroll 2
    for (int nr = 0; nr < 2; ++nr) {
      #pragma unroll 4
      for (int nv = 0; nv < vector_n; ++nv) {
#line 17 "examples/gemm_bias_gelu.cdsl"
        if (n_block + (n_first + nr * step_n + nv) < N && m_block + (m_first + mr) < M) {
          C[(m_block + m_first + mr) * N + n_block + n_first + nr * step_n + nv] =
              to_bf16(gelu(sum[(mr * 2 + nr) * 4 + nv] + to_f32(bias_n[nr * 4 + nv])));
        }
      }
    }
  }
}
#line 473 "gemm_bias_gelu.cu"

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

// Arguments of one call of gemm_bias_gelu. Pointers are to device memory.
struct gemm_bias_gelu_args {
  const bf16* A;     // bf16[M, K]
  const bf16* B;     // bf16[K, N]
  const bf16* bias;  // bf16[N]
  bf16* C;           // bf16[M, N], written
  long long M;
  long long K;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long gemm_bias_gelu_workspace_bytes(const gemm_bias_gelu_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_gemm_bias_gelu(const gemm_bias_gelu_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.K < 0) return refuse(why, "size K is negative: %lld", args.K);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.K, 2})) return refuse(why, "A is too large");
  if (!fits({args.K, args.N, 2})) return refuse(why, "B is too large");
  if (!fits({args.N, 2})) return refuse(why, "bias is too large");
  if (!fits({args.M, args.N, 2})) return refuse(why, "C is too large");
  const memory_range ranges[] = {
    {"A", args.A, args.M * args.K * 2, 2, false},
    {"B", args.B, args.K * args.N * 2, 2, false},
    {"bias", args.bias, args.N * 2, 2, false},
    {"C", args.C, args.M * args.N * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.N % 4 == 0 && is_aligned(args.B, 16) && is_aligned(args.bias, 16) &&
      is_aligned(args.C, 16) && args.M <= 1073741824 && args.K <= 1073741824 &&
      args.N <= 1073741824 && args.M * args.K * 2 <= 4294967294LL &&
      args.K * args.N * 2 <= 4294967294LL && args.M * args.N * 2 <= 4294967294LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.M + 127) / 128 * ((args.N + 127) / 128))) {
      gemm_bias_gelu_C<<<blocks, 256, 0, stream>>>(args.A, args.B, args.bias, args.C, (int)args.M,
          (int)args.N, (int)args.K);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.M + 127) / 128 * ((args.N + 127) / 128))) {
      gemm_bias_gelu_C_general<<<blocks, 256, 0, stream>>>(args.A, args.B, args.bias, args.C,
          args.M, args.N, args.K);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
