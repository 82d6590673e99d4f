// sobel, made by cuoptc for sm_90a from examples/sobel.cdsl:13.
//
//   fn sobel(img: u8[H, W]) -> (edges: u8[H, W]) {
//     let pixel = i32(img.clamp[i + a - 1, j + b - 1]);
//     gx[i in 0..H, j in 0..W] = sum[a, b](smooth[a] * slope[b] * pixel);
//     gy[i in 0..H, j in 0..W] = sum[a, b](slope[a] * smooth[b] * pixel);
//     edges[i, j] = u8(sqrt(f32(gx[i, j] * gx[i, j] + gy[i, j] * gy[i, j])));
//   }
//
// Decisions:
// - simplify: sobel: declined: no exact rule applies
// - recognize: gx: convolution: rows i, j, contracted a, b, window along i (3), j (3) (window 9)
// - recognize: gy: convolution: rows i, j, contracted a, b, window along i (3), j (3); fused with
// gx (window 9)
// - recognize: edges: convolution: rows i, j, contracted a, b, window along i (3), j (3), epilogue
// sqrt, with gy; fused with gx (window 9, FLOP/byte 0.167)
// - fuse: edges: one kernel, whose intermediates are never stored (statements 2, predicted 26.0505
// us)
// - map: edges: lanes along j, 4 points of a thread along i, which share what they read, bound by
// issue (predicted 26.05 us, sectors/request 4.94)
// - vectorize: edges: elements of one memory access (predicted 26.05 us)
// - reduce: edges: blocks that divide one reduction between them (predicted 26.05 us)
// - launch: edges: blocks are limited by registers (predicted 26.05 us, occupancy 0.63)
// - index: edges: accesses of a thread under way at once (predicted 26.05 us)
// - predicate: edges: blocks whose tile lies inside test nothing (predicted 26.05 us)
// - launch: edges: declined: tiles are taken row by row: bands would save too little (memory 85.38
// MB)
// - launch: edges: declined: a block a tile: resident blocks would take as many rounds, and the
// last one is as empty (waves 6.21, tail efficiency 0.89)
// - fuse: gy: one kernel, whose intermediates are never stored (statements 2, predicted 38.1878 us)
// - map: gy: lanes along j, 8 points of a thread along i, which share what they read, bound by int
// (predicted 38.19 us, sectors/request 5.05)
// - vectorize: gy: elements of one memory access (predicted 38.19 us)
// - reduce: gy: blocks that divide one reduction between them (predicted 38.19 us)
// - launch: gy: blocks are limited by registers (predicted 38.19 us, occupancy 0.5)
// - index: gy: accesses of a thread under way at once (predicted 38.19 us)
// - predicate: gy: blocks whose tile lies inside test nothing (predicted 38.19 us)
// - index: sobel: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 107,
// in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ int mul_wrap(int a, int b) {
  return (int)((unsigned int)a * (unsigned int)b);
}

__device__ __forceinline__ unsigned int to_u32(float x) { return __float2uint_rz(x); }

__device__ __forceinline__ unsigned char to_u8(float x) {
  return (unsigned char)min(to_u32(x), 255u);
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

// gy[i, j] = sum<i32>[a in 0..3, b in 0..3](slope[a] * smooth[b] * i32(img[i + a - 1 @clamp, j + b
// - 1 @clamp]))
extern "C" __global__ void __launch_bounds__(128, 1)
sobel_gy(const int* __restrict__ smooth, const int* __restrict__ slope,
    const unsigned char* __restrict__ img, int* __restrict__ gx, int* __restrict__ gy, int H,
    int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 32;
  constexpr int vector_j = 4;
  int sum[32];
  int sum_2[32];
  int sum_2_2[32];
  unsigned char img_at[32];
  int sum_2_2_2[32];
  unsigned char img_at_2[32];
  unsigned char img_row[48];
  unsigned char img_row_2[48];
#line 16 "examples/sobel.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 1 && i_block + 33 <= H && j_block >= 1 && j_block + 129 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
#line 15 "examples/sobel.cdsl"
        sum[ir * 4 + jv] = 0;
      }
    }
    #pragma unroll 3
    for (int a = 0; a < 3; ++a) {
      const int smooth_a = smooth[a];
      const int slope_b = slope[0];
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        img_row[ir * 6] = img[(i_block + i_first + ir + a - 1) * W + j_block + j_first - 1];
        load_vector<vector_j>(&img_row[ir * 6 + 1],
            &img[(i_block + i_first + ir + a - 1) * W + j_block + j_first]);
        img_row[ir * 6 + 5] = img[(i_block + i_first + ir + a - 1) * W + j_block + j_first + 4];
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] = add_wrap(sum[ir * 4 + jv],
              mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_row[ir * 6 + jv]));
        }
      }
      const int smooth_a_2 = smooth[a];
      const int slope_b_2 = slope[1];
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] = add_wrap(sum[ir * 4 + jv],
              mul_wrap(mul_wrap(smooth_a_2, slope_b_2), (int)img_row[ir * 6 + jv + 1]));
        }
      }
      const int smooth_a_3 = smooth[a];
      const int slope_b_3 = slope[2];
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] = add_wrap(sum[ir * 4 + jv],
              mul_wrap(mul_wrap(smooth_a_3, slope_b_3), (int)img_row[ir * 6 + jv + 2]));
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
#line 16 "examples/sobel.cdsl"
        sum_2[ir * 4 + jv] = 0;
      }
    }
    #pragma unroll 3
    for (int a_2 = 0; a_2 < 3; ++a_2) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        img_row_2[ir * 6] = img[(i_block + i_first + ir + a_2 - 1) * W + j_block + j_first - 1];
        load_vector<vector_j>(&img_row_2[ir * 6 + 1],
            &img[(i_block + i_first + ir + a_2 - 1) * W + j_block + j_first]);
        img_row_2[ir * 6 + 5] = img[(i_block + i_first + ir + a_2 - 1) * W + j_block + j_first + 4];
      }
      const int smooth_b = smooth[0];
      const int slope_a = slope[a_2];
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum_2[ir * 4 + jv] = add_wrap(sum_2[ir * 4 + jv],
              mul_wrap(mul_wrap(slope_a, smooth_b), (int)img_row_2[ir * 6 + jv]));
        }
      }
      const int smooth_b_2 = smooth[1];
      const int slope_a_2 = slope[a_2];
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum_2[ir * 4 + jv] = add_wrap(sum_2[ir * 4 + jv],
              mul_wrap(mul_wrap(slope_a_2, smooth_b_2), (int)img_row_2[ir * 6 + jv + 1]));
        }
      }
      const int smooth_b_3 = smooth[2];
      const int slope_a_3 = slope[a_2];
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum_2[ir * 4 + jv] = add_wrap(sum_2[ir * 4 + jv],
              mul_wrap(mul_wrap(slope_a_3, smooth_b_3), (int)img_row_2[ir * 6 + jv + 2]));
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 15 "examples/sobel.cdsl"
      store_vector<vector_j>(&gx[(i_block + i_first + ir) * W + j_block + j_first], &sum[ir * 4]);
#line 16 "examples/sobel.cdsl"
      store_vector<vector_j>(&gy[(i_block + i_first + ir) * W + j_block + j_first], &sum_2[ir * 4]);
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
#line 15 "examples/sobel.cdsl"
        sum_2_2[ir * 4 + jv] = 0;
      }
    }
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const int smooth_a = smooth[a];
        const int slope_b = slope[b];
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            img_at[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? img[min(max(i_block + i_first + ir + a - 1, 0), H - 1) * W +
                min(max(j_block + j_first + jv + b - 1, 0), W - 1)] : 0;
          }
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2_2[ir * 4 + jv] = add_wrap(sum_2_2[ir * 4 + jv],
                mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_at[ir * 4 + jv]));
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
#line 16 "examples/sobel.cdsl"
        sum_2_2_2[ir * 4 + jv] = 0;
      }
    }
    for (int a_2 = 0; a_2 < 3; ++a_2) {
      for (int b = 0; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            img_at_2[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? img[min(max(i_block + i_first + ir + a_2 - 1, 0), H - 1) * W +
                min(max(j_block + j_first + jv + b - 1, 0), W - 1)] : 0;
          }
        }
        const int smooth_b = smooth[b];
        const int slope_a = slope[a_2];
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2_2_2[ir * 4 + jv] = add_wrap(sum_2_2_2[ir * 4 + jv],
                mul_wrap(mul_wrap(slope_a, smooth_b), (int)img_at_2[ir * 4 + jv]));
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 15 "examples/sobel.cdsl"
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        store_vector<vector_j>(&gx[(i_block + i_first + ir) * W + j_block + j_first],
            &sum_2_2[ir * 4]);
      }
#line 16 "examples/sobel.cdsl"
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        store_vector<vector_j>(&gy[(i_block + i_first + ir) * W + j_block + j_first],
            &sum_2_2_2[ir * 4]);
      }
    }
  }
}
#line 289 "sobel.cu"

// edges[i, j] = u8(sqrt(f32(sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a - 1
// @clamp, j + b - 1 @clamp])) * sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a
// - 1 @clamp, j + b - 1 @clamp])) + gy[i, j] * gy[i, j])))
extern "C" __global__ void __launch_bounds__(128, 1)
sobel_edges(const int* __restrict__ smooth, const int* __restrict__ slope,
    const unsigned char* __restrict__ img, const int* __restrict__ gy,
    unsigned char* __restrict__ edges, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 16;
  constexpr int vector_j = 4;
  int sum[16];
  int gy_i_j[16];
  int sum_2[16];
  unsigned char img_at[16];
  int gy_i_j_2[16];
  unsigned char img_row[24];
  unsigned char edges_out[4];
  unsigned char edges_out_2[4];
#line 17 "examples/sobel.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 4;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  if (i_block >= 1 && i_block + 17 <= H && j_block >= 1 && j_block + 129 <= W) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
#line 15 "examples/sobel.cdsl"
        sum[ir * 4 + jv] = 0;
      }
    }
    #pragma unroll 3
    for (int a = 0; a < 3; ++a) {
      const int smooth_a = smooth[a];
      const int slope_b = slope[0];
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        img_row[ir * 6] = img[(i_block + i_first + ir + a - 1) * W + j_block + j_first - 1];
        load_vector<vector_j>(&img_row[ir * 6 + 1],
            &img[(i_block + i_first + ir + a - 1) * W + j_block + j_first]);
        img_row[ir * 6 + 5] = img[(i_block + i_first + ir + a - 1) * W + j_block + j_first + 4];
      }
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] = add_wrap(sum[ir * 4 + jv],
              mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_row[ir * 6 + jv]));
        }
      }
      const int smooth_a_2 = smooth[a];
      const int slope_b_2 = slope[1];
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] = add_wrap(sum[ir * 4 + jv],
              mul_wrap(mul_wrap(smooth_a_2, slope_b_2), (int)img_row[ir * 6 + jv + 1]));
        }
      }
      const int smooth_a_3 = smooth[a];
      const int slope_b_3 = slope[2];
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          sum[ir * 4 + jv] = add_wrap(sum[ir * 4 + jv],
              mul_wrap(mul_wrap(smooth_a_3, slope_b_3), (int)img_row[ir * 6 + jv + 2]));
        }
      }
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
#line 17 "examples/sobel.cdsl"
      load_vector<vector_j>(&gy_i_j[ir * 4], &gy[(i_block + i_first + ir) * W + j_block + j_first]);
    }
#line 15 "examples/sobel.cdsl"
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
#line 17 "examples/sobel.cdsl"
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        edges_out[jv] = to_u8(sqrtf((float)add_wrap(mul_wrap(sum[ir * 4 + jv], sum[ir * 4 + jv]),
            mul_wrap(gy_i_j[ir * 4 + jv], gy_i_j[ir * 4 + jv]))));
      }
      store_vector<vector_j>(&edges[(i_block + i_first + ir) * W + j_block + j_first],
          &edges_out[0]);
    }
  } else {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
#line 15 "examples/sobel.cdsl"
        sum_2[ir * 4 + jv] = 0;
      }
    }
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const int smooth_a = smooth[a];
        const int slope_b = slope[b];
        #pragma unroll 4
        for (int ir = 0; ir < 4; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            img_at[ir * 4 + jv] = i_block + (i_first + ir) < H && j_block + (j_first + jv) < W
                ? img[min(max(i_block + i_first + ir + a - 1, 0), H - 1) * W +
                min(max(j_block + j_first + jv + b - 1, 0), W - 1)] : 0;
          }
        }
        #pragma unroll 4
        for (int ir = 0; ir < 4; ++ir) {
          #pragma unroll 4
          for (int jv = 0; jv < vector_j; ++jv) {
            sum_2[ir * 4 + jv] = add_wrap(sum_2[ir * 4 + jv],
                mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_at[ir * 4 + jv]));
          }
        }
      }
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
#line 17 "examples/sobel.cdsl"
      if (i_block + (i_first + ir) < H && j_block + j_first < W) {
        load_vector<vector_j>(&gy_i_j_2[ir * 4],
            &gy[(i_block + i_first + ir) * W + j_block + j_first]);
      } else {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          gy_i_j_2[ir * 4 + jv] = 0;
        }
      }
    }
#line 15 "examples/sobel.cdsl"
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
#line 17 "examples/sobel.cdsl"
      if (j_block + j_first < W && i_block + (i_first + ir) < H) {
        #pragma unroll 4
        for (int jv = 0; jv < vector_j; ++jv) {
          edges_out_2[jv] = to_u8(sqrtf((float)add_wrap(mul_wrap(sum_2[ir * 4 + jv],
              sum_2[ir * 4 + jv]), mul_wrap(gy_i_j_2[ir * 4 + jv], gy_i_j_2[ir * 4 + jv]))));
        }
        store_vector<vector_j>(&edges[(i_block + i_first + ir) * W + j_block + j_first],
            &edges_out_2[0]);
      }
    }
  }
}
#line 443 "sobel.cu"

// gy[i, j] = sum<i32>[a in 0..3, b in 0..3](slope[a] * smooth[b] * i32(img[i + a - 1 @clamp, j + b
// - 1 @clamp]))
extern "C" __global__ void __launch_bounds__(128, 1)
sobel_gy_general(const unsigned char* __restrict__ img, const int* __restrict__ smooth,
    const int* __restrict__ slope, int* __restrict__ gy, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  int sum[8];
  unsigned char img_at[8];
  int sum_2[8];
  unsigned char img_at_2[8];
#line 16 "examples/sobel.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 1 && i_block + 33 <= H && j_block >= 1 && j_block + 33 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = 0;
    }
    #pragma unroll 3
    for (int a = 0; a < 3; ++a) {
      #pragma unroll 3
      for (int b = 0; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          img_at[ir] = img[(i_block + i_first + ir + a - 1) * W + j_block + (threadIdx.x & 31) + b -
              1];
        }
        const int smooth_b = smooth[b];
        const int slope_a = slope[a];
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] = add_wrap(sum[ir], mul_wrap(mul_wrap(slope_a, smooth_b), (int)img_at[ir]));
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      gy[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum[ir];
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_2[ir] = 0;
    }
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          img_at_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
              ? img[min(max(i_block + i_first + ir + a - 1, 0LL), H - 1) * W +
              min(max(j_block + (threadIdx.x & 31) + b - 1, 0LL), W - 1)] : 0;
        }
        const int smooth_b = smooth[b];
        const int slope_a = slope[a];
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] = add_wrap(sum_2[ir], mul_wrap(mul_wrap(slope_a, smooth_b), (int)img_at_2[ir]));
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        gy[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] = sum_2[ir];
      }
    }
  }
}
#line 517 "sobel.cu"

// edges[i, j] = u8(sqrt(f32(sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a - 1
// @clamp, j + b - 1 @clamp])) * sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a
// - 1 @clamp, j + b - 1 @clamp])) + gy[i, j] * gy[i, j])))
extern "C" __global__ void __launch_bounds__(128, 1)
sobel_edges_general(const int* __restrict__ smooth, const int* __restrict__ slope,
    const unsigned char* __restrict__ img, const int* __restrict__ gy,
    unsigned char* __restrict__ edges, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 32;
  int sum[8];
  unsigned char img_at[8];
  int gy_i_j[8];
  int sum_2[8];
  unsigned char img_at_2[8];
  int gy_i_j_2[8];
#line 17 "examples/sobel.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 8;
  if (i_block >= 1 && i_block + 33 <= H && j_block >= 1 && j_block + 33 <= W) {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 15 "examples/sobel.cdsl"
      sum[ir] = 0;
    }
    #pragma unroll 3
    for (int a = 0; a < 3; ++a) {
      #pragma unroll 3
      for (int b = 0; b < 3; ++b) {
        const int smooth_a = smooth[a];
        const int slope_b = slope[b];
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          img_at[ir] = img[(i_block + i_first + ir + a - 1) * W + j_block + (threadIdx.x & 31) + b -
              1];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum[ir] = add_wrap(sum[ir], mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_at[ir]));
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 17 "examples/sobel.cdsl"
      gy_i_j[ir] = gy[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)];
    }
#line 15 "examples/sobel.cdsl"
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 17 "examples/sobel.cdsl"
      edges[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] =
          to_u8(sqrtf((float)add_wrap(mul_wrap(sum[ir], sum[ir]),
          mul_wrap(gy_i_j[ir], gy_i_j[ir]))));
    }
  } else {
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 15 "examples/sobel.cdsl"
      sum_2[ir] = 0;
    }
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const int smooth_a = smooth[a];
        const int slope_b = slope[b];
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          img_at_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
              ? img[min(max(i_block + i_first + ir + a - 1, 0LL), H - 1) * W +
              min(max(j_block + (threadIdx.x & 31) + b - 1, 0LL), W - 1)] : 0;
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          sum_2[ir] = add_wrap(sum_2[ir], mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_at_2[ir]));
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 17 "examples/sobel.cdsl"
      gy_i_j_2[ir] = i_block + (i_first + ir) < H && j_block + (threadIdx.x & 31) < W
          ? gy[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] : 0;
    }
#line 15 "examples/sobel.cdsl"
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
#line 17 "examples/sobel.cdsl"
      if (j_block + (threadIdx.x & 31) < W && i_block + (i_first + ir) < H) {
        edges[(i_block + i_first + ir) * W + j_block + (threadIdx.x & 31)] =
            to_u8(sqrtf((float)add_wrap(mul_wrap(sum_2[ir], sum_2[ir]),
            mul_wrap(gy_i_j_2[ir], gy_i_j_2[ir]))));
      }
    }
  }
}
#line 616 "sobel.cu"

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

// Arguments of one call of sobel. Pointers are to device memory.
struct sobel_args {
  const unsigned char* img;  // u8[H, W]
  unsigned char* edges;      // u8[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long sobel_workspace_bytes(const sobel_args& args) {
  long long bytes = 0, most = 0;
  bytes = 0;  // variant vectors
  bytes += aligned_256(args.H * args.W * 4);  // gy
  bytes += aligned_256(args.H * args.W * 4);  // gx
  if (bytes > most) most = bytes;
  bytes = 0;  // variant general
  bytes += aligned_256(args.H * args.W * 4);  // gy
  if (bytes > most) most = bytes;
  return most;
}

__device__ const int launch_sobel_smooth[3] = {1, 2, 1};

__device__ const int launch_sobel_slope[3] = {-1, 0, 1};

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has sobel_workspace_bytes bytes, aligned to 256.
cudaError_t launch_sobel(const sobel_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W})) return refuse(why, "img is too large");
  if (!fits({args.H, args.W, 4})) return refuse(why, "gy is too large");
  const memory_range ranges[] = {
    {"img", args.img, args.H * args.W, 1, false},
    {"edges", args.edges, args.H * args.W, 1, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && sobel_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (args.W % 4 == 0 && is_aligned(args.img, 16) && is_aligned(args.edges, 16) &&
      args.H <= 1073741824 && args.W <= 1073741824 && args.H * args.W <= 2147483647 &&
      args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    const int* smooth = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&smooth, launch_sobel_smooth)) {
      return error;
    }
    const int* slope = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&slope, launch_sobel_slope)) return error;
    char* unused = static_cast<char*>(workspace);
    auto* const gy = reinterpret_cast<int*>(unused);
    unused += aligned_256(args.H * args.W * 4);
    auto* const gx = reinterpret_cast<int*>(unused);
    unused += aligned_256(args.H * args.W * 4);
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 127) / 128))) {
      sobel_gy<<<blocks, 128, 0, stream>>>(smooth, slope, args.img, gx, gy, (int)args.H,
          (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((args.H + 15) / 16 * ((args.W + 127) / 128))) {
      sobel_edges<<<blocks, 128, 0, stream>>>(smooth, slope, args.img, gy, args.edges, (int)args.H,
          (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    const int* smooth = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&smooth, launch_sobel_smooth)) {
      return error;
    }
    const int* slope = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&slope, launch_sobel_slope)) return error;
    char* unused = static_cast<char*>(workspace);
    auto* const gy = reinterpret_cast<int*>(unused);
    unused += aligned_256(args.H * args.W * 4);
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      sobel_gy_general<<<blocks, 128, 0, stream>>>(args.img, smooth, slope, gy, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((args.H + 31) / 32 * ((args.W + 31) / 32))) {
      sobel_edges_general<<<blocks, 128, 0, stream>>>(smooth, slope, args.img, gy, args.edges,
          args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
