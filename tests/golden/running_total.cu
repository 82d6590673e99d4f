// running_total, made by cuoptc for sm_90a from examples/running_total.cdsl:9.
//
//   fn running_total(x: f32[N]) -> (y: f32[N]) {
//     y[i] = sum[k in 0..=i](x[k]);
//   }
//
// Decisions:
// - simplify: running_total: declined: no exact rule applies
// - scan: y: each element adds its own term to what is carried along the axis (elements likely
// 1.67772e+07, terms an element 1)
// - recognize: y: scan: sum of x, inclusive along i (FLOP/byte 0.125)
// - map: y: blocks that all run at once take the tiles of the row in rounds: one pass, bound by
// dram (predicted 39.39 us, sectors/request 16)
// - vectorize: y: elements of one memory access (predicted 39.39 us)
// - launch: y: blocks are limited by registers (predicted 39.39 us, occupancy 0.25)
// - index: y: accesses of a thread under way at once (predicted 39.39 us)
// - index: running_total: guards bound the sizes, so that no index leaves 32 bits (indices in 32
// bits 62, in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

// What *address holds. What was written before it was told there is seen from here on.
__device__ __forceinline__ int load_acquire(const int* address) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
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

// y[i] = sum<f32>[k in 0..i + 1](x[k])
extern "C" __global__ void __launch_bounds__(256, 2)
running_total_y(const float* x, float* y_parts, int* y_told, float* y, int N) {
  constexpr int vector_i = 4;
  constexpr int tile_i = 4096;
  constexpr int step_i = 128;
  float term[16];
  float waiting[16];
  float x_i[16];
  float x_i_2[16];
  float sum[16];
  float x_i_3[16];
  float x_i_4[16];
  float sum_sums[16];
  float sum_totals[16];
  __shared__ float sum_warps[8];
  __shared__ float sum_2_warps[8];
  __shared__ float sum_3_warps[8];
  float y_out[4];
#line 10 "examples/running_total.cdsl"
  const int i_first_2 = (int)(threadIdx.x / 32) * 512 + (int)(threadIdx.x & 31) * vector_i;
  const int tiles = (N + 4095) / tile_i;
  const int place = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int ir = 0; ir < 4; ++ir) {
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      term[ir * 4 + iv] = 0.0f;
      waiting[ir * 4 + iv] = 0.0f;
    }
  }
  float before_round = 0.0f;
  float before = 0.0f;
  if ((int)blockIdx.x < tiles) {
    const int at = (int)blockIdx.x;
    const int i_first = at * tile_i;
    if (i_first + tile_i <= N) {
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        load_vector<vector_i>(&x_i[ir * 4], &x[i_first + i_first_2 + ir * step_i]);
      }
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        #pragma unroll 4
        for (int iv = 0; iv < vector_i; ++iv) {
          term[ir * 4 + iv] = x_i[ir * 4 + iv];
        }
      }
    } else {
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        #pragma unroll 4
        for (int iv = 0; iv < vector_i; ++iv) {
          x_i_2[ir * 4 + iv] = i_first + (i_first_2 + ir * step_i + iv) < N
              ? x[i_first + i_first_2 + ir * step_i + iv] : 0.0f;
        }
      }
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        #pragma unroll 4
        for (int iv = 0; iv < vector_i; ++iv) {
          term[ir * 4 + iv] = i_first + (i_first_2 + ir * step_i + iv) < N ? x_i_2[ir * 4 + iv]
              : 0.0f;
        }
      }
    }
  }
  // rounds, and one more for the last tiles
  for (long long round_ = 0; round_ < (long long)tiles + gridDim.x; round_ += gridDim.x) {
    const long long tile = round_ + blockIdx.x;
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int ir_2 = 0; ir_2 < 4; ++ir_2) {
        const float term_2 = term[ir * 4 + ir_2];
        sum_totals[ir * 4 + ir_2] = term_2;
        sum_sums[ir * 4 + ir_2] = term_2;
      }
    }
    __syncthreads();
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int step = 1; step < 4; ++step) {
        const float before_2 = sum_totals[ir * 4];
        sum_sums[ir * 4 + step] = before_2 + sum_sums[ir * 4 + step];
        sum_totals[ir * 4] = before_2 + sum_totals[ir * 4 + step];
      }
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      const float running = sum_totals[ir * 4];
      const float other = __shfl_up_sync(0xffffffffu, running, 1);
      const float running_2 = (threadIdx.x & 31) >= 1 ? other + running : running;
      const float other_2 = __shfl_up_sync(0xffffffffu, running_2, 2);
      const float running_3 = (threadIdx.x & 31) >= 2 ? other_2 + running_2 : running_2;
      const float other_3 = __shfl_up_sync(0xffffffffu, running_3, 4);
      const float running_4 = (threadIdx.x & 31) >= 4 ? other_3 + running_3 : running_3;
      const float other_4 = __shfl_up_sync(0xffffffffu, running_4, 8);
      const float running_5 = (threadIdx.x & 31) >= 8 ? other_4 + running_4 : running_4;
      const float other_5 = __shfl_up_sync(0xffffffffu, running_5, 16);
      const float running_6 = (threadIdx.x & 31) >= 16 ? other_5 + running_5 : running_5;
      const float other_6 = __shfl_up_sync(0xffffffffu, running_6, 1);
      const int last_2 = (int)(threadIdx.x & 31) + (31 - (int)(threadIdx.x & 31));
      const float before_2 = (threadIdx.x & 31) == 0 ? 0.0f : other_6;
      const float all = __shfl_sync(0xffffffffu, running_6, last_2);
      #pragma unroll 4
      for (int ir_2 = 0; ir_2 < 4; ++ir_2) {
        sum_sums[ir * 4 + ir_2] = before_2 + sum_sums[ir * 4 + ir_2];
      }
      sum_totals[ir * 4] = all;
    }
    #pragma unroll 4
    for (int step = 1; step < 4; ++step) {
      const float before_2 = sum_totals[0];
      #pragma unroll 4
      for (int ir = 0; ir < 4; ++ir) {
        sum_sums[step * 4 + ir] = before_2 + sum_sums[step * 4 + ir];
      }
      sum_totals[0] = before_2 + sum_totals[step * 4];
    }
    if ((threadIdx.x & 31) == 0) {
      sum_warps[(int)(threadIdx.x / 32)] = sum_totals[0];
    }
    __syncthreads();
    float before_2 = 0.0f;
    float all = 0.0f;
    #pragma unroll 8
    for (int k = 0; k < 8; ++k) {
      if (k == (int)(threadIdx.x / 32)) {
        before_2 = all;
      }
      all += sum_warps[k];
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int ir_2 = 0; ir_2 < 4; ++ir_2) {
        sum_sums[ir * 4 + ir_2] = before_2 + sum_sums[ir * 4 + ir_2];
      }
    }
    sum_totals[0] = all;
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int ir_2 = 0; ir_2 < 4; ++ir_2) {
        sum[ir * 4 + ir_2] = sum_sums[ir * 4 + ir_2];
      }
    }
    const float sum_all_2 = sum_totals[0];
    if (threadIdx.x == 0 && tile < tiles) {
      y_parts[(int)tile] = sum_all_2;
      __threadfence();
      atomicExch(&y_told[(int)tile], 1);
    }
    if (tile + gridDim.x < tiles) {
      const int at = add_wrap((int)tile, (int)gridDim.x);
      const int i_first = at * tile_i;
      if (i_first + tile_i <= N) {
        #pragma unroll 4
        for (int ir = 0; ir < 4; ++ir) {
          load_vector<vector_i>(&x_i_3[ir * 4], &x[i_first + i_first_2 + ir * step_i]);
        }
        #pragma unroll 4
        for (int ir = 0; ir < 4; ++ir) {
          #pragma unroll 4
          for (int iv = 0; iv < vector_i; ++iv) {
            term[ir * 4 + iv] = x_i_3[ir * 4 + iv];
          }
        }
      } else {
        #pragma unroll 4
        for (int ir = 0; ir < 4; ++ir) {
          #pragma unroll 4
          for (int iv = 0; iv < vector_i; ++iv) {
            x_i_4[ir * 4 + iv] = i_first + (i_first_2 + ir * step_i + iv) < N
                ? x[i_first + i_first_2 + ir * step_i + iv] : 0.0f;
          }
        }
        #pragma unroll 4
        for (int ir = 0; ir < 4; ++ir) {
          #pragma unroll 4
          for (int iv = 0; iv < vector_i; ++iv) {
            term[ir * 4 + iv] = i_first + (i_first_2 + ir * step_i + iv) < N ? x_i_4[ir * 4 + iv]
                : 0.0f;
          }
        }
      }
    }
    if (round_ > 0) {
      const long long last = round_ - gridDim.x;
      before = before_round;
      for (long long from = 0; from < gridDim.x; from += 512) {
        const long long theirs = last + from + threadIdx.x;
        float part = 0.0f;
        if (from + threadIdx.x < gridDim.x && theirs < tiles) {
          int seen = 0;
          while (seen == 0) {
            const int now = load_acquire(&y_told[(int)theirs]);
            seen = now;
          }
          part = y_parts[(int)theirs];
        }
        const long long theirs_2 = last + from + 256 + threadIdx.x;
        float part_2 = 0.0f;
        if (from + 256 + threadIdx.x < gridDim.x && theirs_2 < tiles) {
          int seen_2 = 0;
          while (seen_2 == 0) {
            const int now_2 = load_acquire(&y_told[(int)theirs_2]);
            seen_2 = now_2;
          }
          part_2 = y_parts[(int)theirs_2];
        }
        float sum_2_2 = (from + place < blockIdx.x ? part : 0.0f) +
            (from + 256 + place < blockIdx.x ? part_2 : 0.0f);
        #pragma unroll 5
        for (int k = 0; k < 5; ++k) {
          const float other = __shfl_xor_sync(0xffffffffu, sum_2_2, 1 << k);
          sum_2_2 += other;
        }
        if ((threadIdx.x & 31) == 0) {
          sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_2;
        }
        __syncthreads();
        float sum_2_3 = sum_2_warps[0];
        #pragma unroll 8
        for (int k = 1; k < 8; ++k) {
          sum_2_3 += sum_2_warps[k];
        }
        const float sum_2_4 = sum_2_3;
        before += sum_2_4;
        float sum_3_2 = (from + place < gridDim.x ? part : 0.0f) +
            (from + 256 + place < gridDim.x ? part_2 : 0.0f);
        #pragma unroll 5
        for (int k = 0; k < 5; ++k) {
          const float other = __shfl_xor_sync(0xffffffffu, sum_3_2, 1 << k);
          sum_3_2 += other;
        }
        if ((threadIdx.x & 31) == 0) {
          sum_3_warps[(int)(threadIdx.x / 32)] = sum_3_2;
        }
        __syncthreads();
        float sum_3_3 = sum_3_warps[0];
        #pragma unroll 8
        for (int k = 1; k < 8; ++k) {
          sum_3_3 += sum_3_warps[k];
        }
        const float sum_3_4 = sum_3_3;
        before_round += sum_3_4;
      }
      const long long done = last + blockIdx.x;
      if (done < tiles) {
        const int at = (int)done;
        const int i_first = at * tile_i;
        if (i_first + tile_i <= N) {
          #pragma unroll 4
          for (int ir = 0; ir < 4; ++ir) {
            #pragma unroll 4
            for (int iv = 0; iv < vector_i; ++iv) {
              y_out[iv] = before + waiting[ir * 4 + iv];
            }
            store_vector<vector_i>(&y[i_first + i_first_2 + ir * step_i], &y_out[0]);
          }
        } else {
          #pragma unroll 4
          for (int ir = 0; ir < 4; ++ir) {
            #pragma unroll 4
            for (int iv = 0; iv < vector_i; ++iv) {
              if (i_first + (i_first_2 + ir * step_i + iv) < N) {
                y[i_first + i_first_2 + ir * step_i + iv] = before + waiting[ir * 4 + iv];
              }
            }
          }
        }
      }
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      #pragma unroll 4
      for (int iv = 0; iv < vector_i; ++iv) {
        waiting[ir * 4 + iv] = sum[ir * 4 + iv];
      }
    }
  }
}
#line 344 "running_total.cu"

// y[i] = sum<f32>[k in 0..i + 1](x[k])
extern "C" __global__ void __launch_bounds__(128, 7)
running_total_y_general(const float* x, float* y_parts, int* y_told, float* y, long long N) {
  constexpr int tile_i = 1024;
  constexpr int step_i = 32;
  float term[8];
  float waiting[8];
  float x_i[8];
  float x_i_2[8];
  float sum[8];
  float x_i_3[8];
  float x_i_4[8];
  float sum_sums[8];
  float sum_totals[8];
  __shared__ float sum_warps[4];
  __shared__ float sum_2_warps[4];
  __shared__ float sum_3_warps[4];
#line 10 "examples/running_total.cdsl"
  const int i_first_2 = (int)(threadIdx.x / 32) * 256 + (int)(threadIdx.x & 31);
  const long long tiles = (N + 1023) / tile_i;
  const int place = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 8
  for (int ir = 0; ir < 8; ++ir) {
    term[ir] = 0.0f;
    waiting[ir] = 0.0f;
  }
  float before_round = 0.0f;
  float before = 0.0f;
  if (blockIdx.x < tiles) {
    const int at = (int)blockIdx.x;
    const long long i_first = (long long)at * tile_i;
    if (i_first + tile_i <= N) {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        x_i[ir] = x[i_first + i_first_2 + ir * step_i];
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        term[ir] = x_i[ir];
      }
    } else {
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        x_i_2[ir] = i_first + (i_first_2 + ir * step_i) < N ? x[i_first + i_first_2 + ir * step_i]
            : 0.0f;
      }
      #pragma unroll 8
      for (int ir = 0; ir < 8; ++ir) {
        term[ir] = i_first + (i_first_2 + ir * step_i) < N ? x_i_2[ir] : 0.0f;
      }
    }
  }
  // rounds, and one more for the last tiles
  for (long long round_ = 0; round_ < tiles + gridDim.x; round_ += gridDim.x) {
    const long long tile = round_ + blockIdx.x;
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      const float term_2 = term[ir];
      sum_totals[ir] = term_2;
      sum_sums[ir] = term_2;
    }
    __syncthreads();
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      const float running = sum_totals[ir];
      const float other = __shfl_up_sync(0xffffffffu, running, 1);
      const float running_2 = (threadIdx.x & 31) >= 1 ? other + running : running;
      const float other_2 = __shfl_up_sync(0xffffffffu, running_2, 2);
      const float running_3 = (threadIdx.x & 31) >= 2 ? other_2 + running_2 : running_2;
      const float other_3 = __shfl_up_sync(0xffffffffu, running_3, 4);
      const float running_4 = (threadIdx.x & 31) >= 4 ? other_3 + running_3 : running_3;
      const float other_4 = __shfl_up_sync(0xffffffffu, running_4, 8);
      const float running_5 = (threadIdx.x & 31) >= 8 ? other_4 + running_4 : running_4;
      const float other_5 = __shfl_up_sync(0xffffffffu, running_5, 16);
      const float running_6 = (threadIdx.x & 31) >= 16 ? other_5 + running_5 : running_5;
      const float other_6 = __shfl_up_sync(0xffffffffu, running_6, 1);
      const int last_2 = (int)(threadIdx.x & 31) + (31 - (int)(threadIdx.x & 31));
      const float before_2 = (threadIdx.x & 31) == 0 ? 0.0f : other_6;
      const float all = __shfl_sync(0xffffffffu, running_6, last_2);
      sum_sums[ir] = before_2 + sum_sums[ir];
      sum_totals[ir] = all;
    }
    #pragma unroll 8
    for (int step = 1; step < 8; ++step) {
      const float before_2 = sum_totals[0];
      sum_sums[step] = before_2 + sum_sums[step];
      sum_totals[0] = before_2 + sum_totals[step];
    }
    if ((threadIdx.x & 31) == 0) {
      sum_warps[(int)(threadIdx.x / 32)] = sum_totals[0];
    }
    __syncthreads();
    float before_2 = 0.0f;
    float all = 0.0f;
    #pragma unroll 4
    for (int k = 0; k < 4; ++k) {
      if (k == (int)(threadIdx.x / 32)) {
        before_2 = all;
      }
      all += sum_warps[k];
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum_sums[ir] = before_2 + sum_sums[ir];
    }
    sum_totals[0] = all;
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      sum[ir] = sum_sums[ir];
    }
    const float sum_all_2 = sum_totals[0];
    if (threadIdx.x == 0 && tile < tiles) {
      y_parts[tile] = sum_all_2;
      __threadfence();
      atomicExch(&y_told[tile], 1);
    }
    if (tile + gridDim.x < tiles) {
      const long long at = tile + gridDim.x;
      const long long i_first = at * tile_i;
      if (i_first + tile_i <= N) {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          x_i_3[ir] = x[i_first + i_first_2 + ir * step_i];
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          term[ir] = x_i_3[ir];
        }
      } else {
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          x_i_4[ir] = i_first + (i_first_2 + ir * step_i) < N ? x[i_first + i_first_2 + ir * step_i]
              : 0.0f;
        }
        #pragma unroll 8
        for (int ir = 0; ir < 8; ++ir) {
          term[ir] = i_first + (i_first_2 + ir * step_i) < N ? x_i_4[ir] : 0.0f;
        }
      }
    }
    if (round_ > 0) {
      const long long last = round_ - gridDim.x;
      before = before_round;
      for (long long from = 0; from < gridDim.x; from += 256) {
        const long long theirs = last + from + threadIdx.x;
        float part = 0.0f;
        if (from + threadIdx.x < gridDim.x && theirs < tiles) {
          int seen = 0;
          while (seen == 0) {
            const int now = load_acquire(&y_told[theirs]);
            seen = now;
          }
          part = y_parts[theirs];
        }
        const long long theirs_2 = last + from + 128 + threadIdx.x;
        float part_2 = 0.0f;
        if (from + 128 + threadIdx.x < gridDim.x && theirs_2 < tiles) {
          int seen_2 = 0;
          while (seen_2 == 0) {
            const int now_2 = load_acquire(&y_told[theirs_2]);
            seen_2 = now_2;
          }
          part_2 = y_parts[theirs_2];
        }
        float sum_2_2 = (from + place < blockIdx.x ? part : 0.0f) +
            (from + 128 + place < blockIdx.x ? part_2 : 0.0f);
        #pragma unroll 5
        for (int k = 0; k < 5; ++k) {
          const float other = __shfl_xor_sync(0xffffffffu, sum_2_2, 1 << k);
          sum_2_2 += other;
        }
        if ((threadIdx.x & 31) == 0) {
          sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_2;
        }
        __syncthreads();
        float sum_2_3 = sum_2_warps[0];
        #pragma unroll 4
        for (int k = 1; k < 4; ++k) {
          sum_2_3 += sum_2_warps[k];
        }
        const float sum_2_4 = sum_2_3;
        before += sum_2_4;
        float sum_3_2 = (from + place < gridDim.x ? part : 0.0f) +
            (from + 128 + place < gridDim.x ? part_2 : 0.0f);
        #pragma unroll 5
        for (int k = 0; k < 5; ++k) {
          const float other = __shfl_xor_sync(0xffffffffu, sum_3_2, 1 << k);
          sum_3_2 += other;
        }
        if ((threadIdx.x & 31) == 0) {
          sum_3_warps[(int)(threadIdx.x / 32)] = sum_3_2;
        }
        __syncthreads();
        float sum_3_3 = sum_3_warps[0];
        #pragma unroll 4
        for (int k = 1; k < 4; ++k) {
          sum_3_3 += sum_3_warps[k];
        }
        const float sum_3_4 = sum_3_3;
        before_round += sum_3_4;
      }
      const long long done = last + blockIdx.x;
      if (done < tiles) {
        const long long at = done;
        const long long i_first = at * tile_i;
        if (i_first + tile_i <= N) {
          #pragma unroll 8
          for (int ir = 0; ir < 8; ++ir) {
            y[i_first + i_first_2 + ir * step_i] = before + waiting[ir];
          }
        } else {
          #pragma unroll 8
          for (int ir = 0; ir < 8; ++ir) {
            if (i_first + (i_first_2 + ir * step_i) < N) {
              y[i_first + i_first_2 + ir * step_i] = before + waiting[ir];
            }
          }
        }
      }
    }
    #pragma unroll 8
    for (int ir = 0; ir < 8; ++ir) {
      waiting[ir] = sum[ir];
    }
  }
}
#line 572 "running_total.cu"

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

// How many blocks of a kernel the device holds at once. Where that cannot be asked, a launch fails too,
// and says why.
template <class Kernel>
long long resident_blocks(Kernel* kernel, int threads) {
  int device = 0, processors = 0, per_processor = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 1;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, 0);
  const long long blocks = static_cast<long long>(processors) * per_processor;
  return blocks > 0 ? blocks : 1;
}

// Blocks for `wanted` ones: whole clusters, and no more than `most`, since blocks take turns.
inline unsigned int blocks_for(long long wanted, int cluster, long long most) {
  if (wanted <= 0) return 0;
  const long long whole = ((wanted - 1) / cluster + 1) * cluster;
  return static_cast<unsigned int>(whole < most ? whole : most);
}

// Launches blocks that have to run all at once.
template <class... Parameters, class... Arguments>
cudaError_t launch_resident(void (*kernel)(Parameters...), unsigned int blocks, dim3 threads,
                            int shared_bytes, cudaStream_t stream, Arguments... arguments) {
  cudaLaunchAttribute together = {};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &together;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

// Pieces of the workspace start at multiples of 256 bytes.
inline long long aligned_256(long long bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

// Arguments of one call of running_total. Pointers are to device memory.
struct running_total_args {
  const float* x;  // f32[N]
  float* y;        // f32[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long running_total_workspace_bytes(const running_total_args& args) {
  long long bytes = 0, most = 0;
  bytes = 0;  // variant vectors
  bytes += aligned_256((max(args.N, 0LL) + 4095) / 4096 * 4);  // y_parts_2
  bytes += aligned_256((args.N + 4095) / 4096 * 4);  // y_told_2
  if (bytes > most) most = bytes;
  bytes = 0;  // variant general
  bytes += aligned_256((max(args.N, 0LL) + 1023) / 1024 * 4);  // y_parts
  bytes += aligned_256((args.N + 1023) / 1024 * 4);  // y_told
  if (bytes > most) most = bytes;
  return most;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has running_total_workspace_bytes bytes, aligned to 256.
cudaError_t launch_running_total(const running_total_args& args, void* workspace,
    cudaStream_t stream, const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "x is too large");
  if (!fits({(max(args.N, 0LL) + 1023) / 1024, 4})) return refuse(why, "y_parts is too large");
  if (!fits({(args.N + 1023) / 1024, 4})) return refuse(why, "y_told is too large");
  if (!fits({(max(args.N, 0LL) + 4095) / 4096, 4})) return refuse(why, "y_parts_2 is too large");
  if (!fits({(args.N + 4095) / 4096, 4})) return refuse(why, "y_told_2 is too large");
  const memory_range ranges[] = {
    {"x", args.x, args.N * 4, 4, false},
    {"y", args.y, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && running_total_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (is_aligned(args.x, 16) && is_aligned(args.y, 16) && args.N <= 1073741824) {
    // Variant vectors.
    char* unused = static_cast<char*>(workspace);
    auto* const y_parts_2 = reinterpret_cast<float*>(unused);
    unused += aligned_256((max(args.N, 0LL) + 4095) / 4096 * 4);
    auto* const y_told_2 = reinterpret_cast<int*>(unused);
    unused += aligned_256((args.N + 4095) / 4096 * 4);
    const long long most_running_total_y = resident_blocks(running_total_y, 256);
    if (cudaError_t error = cudaMemsetAsync(y_told_2, 0, (args.N + 4095) / 4096 * 4, stream)) {
      return error;
    }
    if (const unsigned int blocks = blocks_for((args.N + 4095) / 4096, 1, most_running_total_y)) {
      if (blocks > most_running_total_y) {
        return refuse(why, "not all blocks of running_total_y can run at once");
      }
      if (cudaError_t error = launch_resident(running_total_y, blocks, dim3(256), 0, stream, args.x,
          y_parts_2, y_told_2, args.y, (int)args.N)) {
        return error;
      }
    }
  } else {
    // Variant general.
    char* unused = static_cast<char*>(workspace);
    auto* const y_parts = reinterpret_cast<float*>(unused);
    unused += aligned_256((max(args.N, 0LL) + 1023) / 1024 * 4);
    auto* const y_told = reinterpret_cast<int*>(unused);
    unused += aligned_256((args.N + 1023) / 1024 * 4);
    const long long most_running_total_y_general = resident_blocks(running_total_y_general, 128);
    if (cudaError_t error = cudaMemsetAsync(y_told, 0, (args.N + 1023) / 1024 * 4, stream)) {
      return error;
    }
    if (const unsigned int blocks = blocks_for((args.N + 1023) / 1024, 1,
        most_running_total_y_general)) {
      if (blocks > most_running_total_y_general) {
        return refuse(why, "not all blocks of running_total_y_general can run at once");
      }
      if (cudaError_t error = launch_resident(running_total_y_general, blocks, dim3(128), 0, stream,
          args.x, y_parts, y_told, args.y, args.N)) {
        return error;
      }
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
