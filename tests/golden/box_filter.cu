// box_clamp, made by cuoptc for sm_90a from examples/box_filter.cdsl:16.
//
//   fn box_clamp(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.clamp[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_clamp: declined: no exact rule applies
// - recognize: v: sliding window: sum of u, window along i (5), j (5) (window 25, FLOP/byte 3.25)
// - map: v: lanes along j, 8 points of a thread along i, which share what they read, bound by fp32
// (predicted 32.06 us, sectors/request 16)
// - vectorize: v: elements of one memory access (predicted 32.06 us)
// - reduce: v: blocks that divide one reduction between them (predicted 32.06 us)
// - launch: v: blocks are limited by registers (predicted 32.06 us, occupancy 0.5)
// - index: v: accesses of a thread under way at once (predicted 32.06 us)
// - predicate: v: blocks whose tile lies inside test nothing (predicted 32.06 us)
// - launch: v: declined: tiles are taken row by row: bands would save too little (memory 72.82 MB)
// - index: box_clamp: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 32, in 64 bits 0)

// box_wrap, made by cuoptc for sm_90a from examples/box_filter.cdsl:20.
//
//   fn box_wrap(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.wrap[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_wrap: declined: no exact rule applies
// - recognize: v: sliding window: sum of u, window along i (5), j (5) (window 25, FLOP/byte 3.25)
// - map: v: lanes along j, 8 points of a thread along i, which share what they read, bound by fp32
// (predicted 32.06 us, sectors/request 16)
// - vectorize: v: elements of one memory access (predicted 32.06 us)
// - reduce: v: blocks that divide one reduction between them (predicted 32.06 us)
// - launch: v: blocks are limited by registers (predicted 32.06 us, occupancy 0.5)
// - index: v: accesses of a thread under way at once (predicted 32.06 us)
// - predicate: v: blocks whose tile lies inside test nothing (predicted 32.06 us)
// - launch: v: declined: tiles are taken row by row: bands would save too little (memory 72.82 MB)
// - index: box_wrap: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 32, in 64 bits 0)

// box_reflect, made by cuoptc for sm_90a from examples/box_filter.cdsl:24.
//
//   fn box_reflect(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.reflect[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_reflect: declined: no exact rule applies
// - recognize: v: sliding window: sum of u, window along i (5), j (5) (window 25, FLOP/byte 3.25)
// - map: v: lanes along j, 8 points of a thread along i, which share what they read, bound by fp32
// (predicted 32.06 us, sectors/request 16)
// - vectorize: v: elements of one memory access (predicted 32.06 us)
// - reduce: v: blocks that divide one reduction between them (predicted 32.06 us)
// - launch: v: blocks are limited by registers (predicted 32.06 us, occupancy 0.5)
// - index: v: accesses of a thread under way at once (predicted 32.06 us)
// - predicate: v: blocks whose tile lies inside test nothing (predicted 32.06 us)
// - launch: v: declined: tiles are taken row by row: bands would save too little (memory 72.82 MB)
// - index: box_reflect: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 32, in 64 bits 0)

// box_symmetric, made by cuoptc for sm_90a from examples/box_filter.cdsl:28.
//
//   fn box_symmetric(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.symmetric[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_symmetric: declined: no exact rule applies
// - recognize: v: sliding window: sum of u, window along i (5), j (5) (window 25, FLOP/byte 3.25)
// - map: v: lanes along j, 8 points of a thread along i, which share what they read, bound by fp32
// (predicted 32.06 us, sectors/request 16)
// - vectorize: v: elements of one memory access (predicted 32.06 us)
// - reduce: v: blocks that divide one reduction between them (predicted 32.06 us)
// - launch: v: blocks are limited by registers (predicted 32.06 us, occupancy 0.5)
// - index: v: accesses of a thread under way at once (predicted 32.06 us)
// - predicate: v: blocks whose tile lies inside test nothing (predicted 32.06 us)
// - launch: v: declined: tiles are taken row by row: bands would save too little (memory 72.82 MB)
// - index: box_symmetric: guards bound the sizes, so that no index leaves 32 bits (indices in 32
// bits 32, in 64 bits 0)

// box_zero, made by cuoptc for sm_90a from examples/box_filter.cdsl:32.
//
//   fn box_zero(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.zero[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_zero: declined: no exact rule applies
// - recognize: v: sliding window: sum of u, window along i (5), j (5) (window 25, FLOP/byte 3.25)
// - map: v: lanes along j, 8 points of a thread along i, which share what they read, bound by fp32
// (predicted 32.06 us, sectors/request 16)
// - vectorize: v: elements of one memory access (predicted 32.06 us)
// - reduce: v: blocks that divide one reduction between them (predicted 32.06 us)
// - launch: v: blocks are limited by registers (predicted 32.06 us, occupancy 0.5)
// - index: v: accesses of a thread under way at once (predicted 32.06 us)
// - predicate: v: blocks whose tile lies inside test nothing (predicted 32.06 us)
// - launch: v: declined: tiles are taken row by row: bands would save too little (memory 72.82 MB)
// - index: box_zero: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 32, in 64 bits 0)

// box_fill, made by cuoptc for sm_90a from examples/box_filter.cdsl:36.
//
//   fn box_fill(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.fill(128)[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_fill: declined: no exact rule applies
// - recognize: v: sliding window: sum of u, window along i (5), j (5) (window 25, FLOP/byte 3.25)
// - map: v: lanes along j, 8 points of a thread along i, which share what they read, bound by fp32
// (predicted 32.06 us, sectors/request 16)
// - vectorize: v: elements of one memory access (predicted 32.06 us)
// - reduce: v: blocks that divide one reduction between them (predicted 32.06 us)
// - launch: v: blocks are limited by registers (predicted 32.06 us, occupancy 0.5)
// - index: v: accesses of a thread under way at once (predicted 32.06 us)
// - predicate: v: blocks whose tile lies inside test nothing (predicted 32.06 us)
// - launch: v: declined: tiles are taken row by row: bands would save too little (memory 72.82 MB)
// - index: box_fill: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 30, in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ int mul_wrap(int a, int b) {
  return (int)((unsigned int)a * (unsigned int)b);
}

// What floordiv leaves, with the sign of b; x % 0 = x.
__device__ __forceinline__ long long floormod(long long a, long long b) {
  if (b == 0) return a;
  if (b == -1) return 0;
  const long long r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// What floordiv leaves, for b > 0: from 0 to b - 1.
__device__ __forceinline__ int floormod_positive(int a, int b) {
  const int r = a % b;
  return r < 0 ? r + b : r;
}

// What floordiv leaves, for b > 0: from 0 to b - 1.
__device__ __forceinline__ long long floormod_positive(long long a, long long b) {
  const long long r = a % b;
  return r < 0 ? r + b : r;
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

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @clamp, j + b @clamp]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_clamp_v(const float* __restrict__ u, float* __restrict__ v, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 32;
  constexpr int vector_j = 4;
  float sum[32];
  float sum_2[32];
  float u_at[32];
  float u_row[64];
  float v_out[4];
  float v_out_2[4];
#line 17 "examples/box_filter.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 130 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] = 0.0f;
      }
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        load_vector<2>(&u_row[ir * 8],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first - 2]);
        load_vector<vector_j>(&u_row[ir * 8 + 2],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first]);
        load_vector<2>(&u_row[ir * 8 + 6],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first + 4]);
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] += u_row[ir * 8 + jv];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 1];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 2];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 3];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 4];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        v_out[jv] = sum[ir * 4 + jv] / 25.0f;
      }
      store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out[0]);
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum_2[ir * 4 + jv] = 0.0f;
      }
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            u_at[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? u[min(max(i_block + i_first + ir + a, 0), H - 1) * W +
                min(max(j_block + j_first + jv + b, 0), W - 1)] : 0.0f;
          }
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2[ir * 4 + jv] += u_at[ir * 4 + jv];
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          v_out_2[jv] = sum_2[ir * 4 + jv] / 25.0f;
        }
        store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out_2[0]);
      }
    }
  }
}
#line 275 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @clamp, j + b @clamp]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_clamp_v_general(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  float sum[8];
  float u_at[8];
  float sum_2[8];
  float u_at_2[8];
#line 17 "examples/box_filter.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 34 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = 0.0f;
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 5
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at[ir] = u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] += u_at[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum[ir] / 25.0f;
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2[ir] = 0.0f;
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
              ? u[min(max(i_block + i_first + ir + a, 0LL), H - 1) * W +
              min(max(j_block + (threadIdx.x & 31) + b, 0LL), W - 1)] : 0.0f;
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] += u_at_2[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum_2[ir] / 25.0f;
      }
    }
  }
}
#line 342 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @wrap, j + b @wrap]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_wrap_v(const float* __restrict__ u, float* __restrict__ v, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 32;
  constexpr int vector_j = 4;
  float sum[32];
  float sum_2[32];
  float u_at[32];
  float u_row[64];
  float v_out[4];
  float v_out_2[4];
#line 21 "examples/box_filter.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 130 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] = 0.0f;
      }
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        load_vector<2>(&u_row[ir * 8],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first - 2]);
        load_vector<vector_j>(&u_row[ir * 8 + 2],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first]);
        load_vector<2>(&u_row[ir * 8 + 6],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first + 4]);
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] += u_row[ir * 8 + jv];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 1];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 2];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 3];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 4];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        v_out[jv] = sum[ir * 4 + jv] / 25.0f;
      }
      store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out[0]);
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum_2[ir * 4 + jv] = 0.0f;
      }
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            u_at[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? u[add_wrap(mul_wrap((int)floormod((long long)(i_block + (i_first + ir) + a),
                (long long)H), W), (int)floormod((long long)(j_block + (j_first + jv) + b),
                (long long)W))] : 0.0f;
          }
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2[ir * 4 + jv] += u_at[ir * 4 + jv];
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          v_out_2[jv] = sum_2[ir * 4 + jv] / 25.0f;
        }
        store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out_2[0]);
      }
    }
  }
}
#line 443 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @wrap, j + b @wrap]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_wrap_v_general(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  float sum[8];
  float u_at[8];
  float sum_2[8];
  float u_at_2[8];
#line 21 "examples/box_filter.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 34 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = 0.0f;
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 5
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at[ir] = u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] += u_at[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum[ir] / 25.0f;
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2[ir] = 0.0f;
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
              ? u[floormod(i_block + (i_first + ir) + a, H) * W +
              floormod(j_block + (threadIdx.x & 31) + b, W)] : 0.0f;
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] += u_at_2[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum_2[ir] / 25.0f;
      }
    }
  }
}
#line 510 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @reflect, j + b @reflect]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_reflect_v(const float* __restrict__ u, float* __restrict__ v, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 32;
  constexpr int vector_j = 4;
  float sum[32];
  float sum_2[32];
  float u_at[32];
  float u_row[64];
  float v_out[4];
  float v_out_2[4];
#line 25 "examples/box_filter.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 130 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] = 0.0f;
      }
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        load_vector<2>(&u_row[ir * 8],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first - 2]);
        load_vector<vector_j>(&u_row[ir * 8 + 2],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first]);
        load_vector<2>(&u_row[ir * 8 + 6],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first + 4]);
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] += u_row[ir * 8 + jv];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 1];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 2];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 3];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 4];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        v_out[jv] = sum[ir * 4 + jv] / 25.0f;
      }
      store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out[0]);
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum_2[ir * 4 + jv] = 0.0f;
      }
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            u_at[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? u[(H - 1 - abs(H - 1 - floormod_positive(i_block + (i_first + ir) + a,
                max(2 * (H - 1), 1)))) * W + W - 1 -
                abs(W - 1 - floormod_positive(j_block + (j_first + jv) + b, max(2 * (W - 1), 1)))]
                : 0.0f;
          }
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2[ir * 4 + jv] += u_at[ir * 4 + jv];
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          v_out_2[jv] = sum_2[ir * 4 + jv] / 25.0f;
        }
        store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out_2[0]);
      }
    }
  }
}
#line 612 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @reflect, j + b @reflect]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_reflect_v_general(const float* __restrict__ u, float* __restrict__ v, long long H,
    long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  float sum[8];
  float u_at[8];
  float sum_2[8];
  float u_at_2[8];
#line 25 "examples/box_filter.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 34 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = 0.0f;
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 5
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at[ir] = u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] += u_at[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum[ir] / 25.0f;
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2[ir] = 0.0f;
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
              ? u[(H - 1 - abs(H - 1 - floormod_positive(i_block + (i_first + ir) + a,
              max(2 * (H - 1), 1LL)))) * W + W - 1 -
              abs(W - 1 - floormod_positive(j_block + (threadIdx.x & 31) + b,
              max(2 * (W - 1), 1LL)))] : 0.0f;
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] += u_at_2[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum_2[ir] / 25.0f;
      }
    }
  }
}
#line 682 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @symmetric, j + b @symmetric]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_symmetric_v(const float* __restrict__ u, float* __restrict__ v, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 32;
  constexpr int vector_j = 4;
  float sum[32];
  float sum_2[32];
  float u_at[32];
  float u_row[64];
  float v_out[4];
  float v_out_2[4];
#line 29 "examples/box_filter.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 130 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] = 0.0f;
      }
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        load_vector<2>(&u_row[ir * 8],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first - 2]);
        load_vector<vector_j>(&u_row[ir * 8 + 2],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first]);
        load_vector<2>(&u_row[ir * 8 + 6],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first + 4]);
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] += u_row[ir * 8 + jv];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 1];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 2];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 3];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 4];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        v_out[jv] = sum[ir * 4 + jv] / 25.0f;
      }
      store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out[0]);
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum_2[ir * 4 + jv] = 0.0f;
      }
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            u_at[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? u[add_wrap(mul_wrap((int)min(floormod((long long)(i_block + (i_first + ir) + a),
                2LL * H), 2LL * H - 1 - floormod((long long)(i_block + (i_first + ir) + a), 2LL *
                H)), W), (int)min(floormod((long long)(j_block + (j_first + jv) + b), 2LL * W),
                2LL * W - 1 - floormod((long long)(j_block + (j_first + jv) + b), 2LL * W)))]
                : 0.0f;
          }
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2[ir * 4 + jv] += u_at[ir * 4 + jv];
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          v_out_2[jv] = sum_2[ir * 4 + jv] / 25.0f;
        }
        store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out_2[0]);
      }
    }
  }
}
#line 785 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @symmetric, j + b @symmetric]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_symmetric_v_general(const float* __restrict__ u, float* __restrict__ v, long long H,
    long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  float sum[8];
  float u_at[8];
  float sum_2[8];
  float u_at_2[8];
#line 29 "examples/box_filter.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 34 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = 0.0f;
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 5
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at[ir] = u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] += u_at[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum[ir] / 25.0f;
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2[ir] = 0.0f;
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
              ? u[min(floormod(i_block + (i_first + ir) + a, 2 * H), 2 * H - 1 -
              floormod(i_block + (i_first + ir) + a, 2 * H)) * W +
              min(floormod(j_block + (threadIdx.x & 31) + b, 2 * W), 2 * W - 1 -
              floormod(j_block + (threadIdx.x & 31) + b, 2 * W))] : 0.0f;
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] += u_at_2[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum_2[ir] / 25.0f;
      }
    }
  }
}
#line 855 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @zero, j + b @zero]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_zero_v(const float* __restrict__ u, float* __restrict__ v, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 32;
  constexpr int vector_j = 4;
  float sum[32];
  float sum_2[32];
  float u_at[32];
  float u_row[64];
  float v_out[4];
  float v_out_2[4];
#line 33 "examples/box_filter.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 130 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] = 0.0f;
      }
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        load_vector<2>(&u_row[ir * 8],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first - 2]);
        load_vector<vector_j>(&u_row[ir * 8 + 2],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first]);
        load_vector<2>(&u_row[ir * 8 + 6],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first + 4]);
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] += u_row[ir * 8 + jv];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 1];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 2];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 3];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 4];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        v_out[jv] = sum[ir * 4 + jv] / 25.0f;
      }
      store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out[0]);
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum_2[ir * 4 + jv] = 0.0f;
      }
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            u_at[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W &&
                i_block + (i_first + ir) + a >= 0 && i_block + (i_first + ir) + a < H &&
                j_block + (j_first + jv) + b >= 0 && j_block + (j_first + jv) + b < W
                ? u[(i_block + i_first + ir + a) * W + j_block + j_first + jv + b] : 0.0f;
          }
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2[ir * 4 + jv] += u_at[ir * 4 + jv];
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          v_out_2[jv] = sum_2[ir * 4 + jv] / 25.0f;
        }
        store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out_2[0]);
      }
    }
  }
}
#line 956 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @zero, j + b @zero]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_zero_v_general(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  float sum[8];
  float u_at[8];
  float sum_2[8];
  float u_at_2[8];
#line 33 "examples/box_filter.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 34 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = 0.0f;
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 5
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at[ir] = u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] += u_at[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum[ir] / 25.0f;
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2[ir] = 0.0f;
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W &&
              i_block + (i_first + ir) + a >= 0 && i_block + (i_first + ir) + a < H &&
              j_block + (threadIdx.x & 31) + b >= 0 && j_block + (threadIdx.x & 31) + b < W
              ? u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b] : 0.0f;
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] += u_at_2[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum_2[ir] / 25.0f;
      }
    }
  }
}
#line 1024 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @fill(128.0), j + b @fill(128.0)]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_fill_v(const float* __restrict__ u, float* __restrict__ v, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 32;
  constexpr int vector_j = 4;
  float sum[32];
  float sum_2[32];
  float u_row[64];
  float v_out[4];
  float v_out_2[4];
#line 37 "examples/box_filter.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 130 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[ir * 4 + jv] = 0.0f;
      }
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        load_vector<2>(&u_row[ir * 8],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first - 2]);
        load_vector<vector_j>(&u_row[ir * 8 + 2],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first]);
        load_vector<2>(&u_row[ir * 8 + 6],
            &u[(i_block + i_first + ir + a) * W + j_block + j_first + 4]);
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] += u_row[ir * 8 + jv];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 1];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 2];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 3];
          sum[ir * 4 + jv] += u_row[ir * 8 + jv + 4];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        v_out[jv] = sum[ir * 4 + jv] / 25.0f;
      }
      store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out[0]);
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum_2[ir * 4 + jv] = 0.0f;
      }
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2[ir * 4 + jv] += i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? (i_block + (i_first + ir) + a >= 0 && i_block + (i_first + ir) + a < H &&
                j_block + (j_first + jv) + b >= 0 && j_block + (j_first + jv) + b < W
                ? u[(i_block + i_first + ir + a) * W + j_block + j_first + jv + b] : 128.0f) : 0.0f;
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          v_out_2[jv] = sum_2[ir * 4 + jv] / 25.0f;
        }
        store_vector<vector_j>(&v[(i_block + i_first + ir) * W + j_block + j_first], &v_out_2[0]);
      }
    }
  }
}
#line 1117 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @fill(128.0), j + b @fill(128.0)]) / 25.0
extern "C" __global__ void __launch_bounds__(128, 1)
box_fill_v_general(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  float sum[8];
  float u_at[8];
  float sum_2[8];
#line 37 "examples/box_filter.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 2 && i_block + 34 <= H && j_block >= 2 && j_block + 34 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = 0.0f;
    }
    #pragma unroll 5
    for (int a = -2; a < 3; ++a) {
      #pragma unroll 5
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          u_at[ir] = u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] += u_at[ir];
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum[ir] / 25.0f;
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2[ir] = 0.0f;
    }
    for (int a = -2; a < 3; ++a) {
      for (int b = -2; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] += i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
              ? (i_block + (i_first + ir) + a >= 0 && i_block + (i_first + ir) + a < H &&
              j_block + (threadIdx.x & 31) + b >= 0 && j_block + (threadIdx.x & 31) + b < W
              ? u[(i_block + i_first + ir + a) * W + j_block + (threadIdx.x & 31) + b] : 128.0f)
              : 0.0f;
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        v[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum_2[ir] / 25.0f;
      }
    }
  }
}
#line 1181 "box_clamp.cu"

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

// Arguments of one call of box_clamp. Pointers are to device memory.
struct box_clamp_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_clamp_workspace_bytes(const box_clamp_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_clamp(const box_clamp_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.W % 4 == 0 && is_aligned(args.u, 16) && is_aligned(args.v, 16) && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 127) / 128))) {
      box_clamp_v<<<blocks, 128, 0, stream>>>(args.u, args.v, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      box_clamp_v_general<<<blocks, 128, 0, stream>>>(args.u, args.v, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}

// Arguments of one call of box_wrap. Pointers are to device memory.
struct box_wrap_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_wrap_workspace_bytes(const box_wrap_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_wrap(const box_wrap_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.W % 4 == 0 && is_aligned(args.u, 16) && is_aligned(args.v, 16) && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 127) / 128))) {
      box_wrap_v<<<blocks, 128, 0, stream>>>(args.u, args.v, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      box_wrap_v_general<<<blocks, 128, 0, stream>>>(args.u, args.v, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}

// Arguments of one call of box_reflect. Pointers are to device memory.
struct box_reflect_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_reflect_workspace_bytes(const box_reflect_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_reflect(const box_reflect_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.W % 4 == 0 && is_aligned(args.u, 16) && is_aligned(args.v, 16) && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 127) / 128))) {
      box_reflect_v<<<blocks, 128, 0, stream>>>(args.u, args.v, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      box_reflect_v_general<<<blocks, 128, 0, stream>>>(args.u, args.v, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}

// Arguments of one call of box_symmetric. Pointers are to device memory.
struct box_symmetric_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_symmetric_workspace_bytes(const box_symmetric_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_symmetric(const box_symmetric_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.W % 4 == 0 && is_aligned(args.u, 16) && is_aligned(args.v, 16) && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 127) / 128))) {
      box_symmetric_v<<<blocks, 128, 0, stream>>>(args.u, args.v, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      box_symmetric_v_general<<<blocks, 128, 0, stream>>>(args.u, args.v, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}

// Arguments of one call of box_zero. Pointers are to device memory.
struct box_zero_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_zero_workspace_bytes(const box_zero_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_zero(const box_zero_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.W % 4 == 0 && is_aligned(args.u, 16) && is_aligned(args.v, 16) && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 127) / 128))) {
      box_zero_v<<<blocks, 128, 0, stream>>>(args.u, args.v, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      box_zero_v_general<<<blocks, 128, 0, stream>>>(args.u, args.v, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}

// Arguments of one call of box_fill. Pointers are to device memory.
struct box_fill_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_fill_workspace_bytes(const box_fill_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_fill(const box_fill_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.W % 4 == 0 && is_aligned(args.u, 16) && is_aligned(args.v, 16) && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 127) / 128))) {
      box_fill_v<<<blocks, 128, 0, stream>>>(args.u, args.v, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      box_fill_v_general<<<blocks, 128, 0, stream>>>(args.u, args.v, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
