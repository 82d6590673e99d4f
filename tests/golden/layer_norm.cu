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
// - fuse: Y: declined: a kernel a statement takes less time (statements 3, predicted 33.3795 us)
// - map: Y: lanes along j, bound by dram (predicted 16.52 us, sectors/request 11)
// - vectorize: Y: elements of one memory access (predicted 16.52 us)
// - reduce: Y: blocks that divide one reduction between them (predicted 16.52 us)
// - launch: Y: blocks are limited by registers (predicted 16.52 us, occupancy 0.63)
// - predicate: Y: blocks whose tile lies inside test nothing (predicted 16.52 us)
// - map: var: a block walks over each row once, bound by dram (predicted 8.43 us, sectors/request
// 14.33)
// - vectorize: var: elements of one memory access (predicted 8.43 us)
// - reduce: var: blocks that divide one reduction between them (predicted 8.43 us)
// - launch: var: blocks are limited by warps (predicted 8.43 us, occupancy 1)
// - index: var: accesses of a thread under way at once (predicted 8.43 us)
// - map: mu: a block walks over each row once, bound by dram (predicted 8.43 us, sectors/request
// 15.12)
// - vectorize: mu: elements of one memory access (predicted 8.43 us)
// - reduce: mu: blocks that divide one reduction between them (predicted 8.43 us)
// - launch: mu: blocks are limited by warps (predicted 8.43 us, occupancy 1)
// - index: mu: accesses of a thread under way at once (predicted 8.43 us)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

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

__device__ __forceinline__ long long neg_wrap(long long a) {
  return (long long)(0 - (unsigned long long)a);
}

// Toward zero; x / 0 = 0, and the least value / -1 wraps.
__device__ __forceinline__ long long int_div(long long a, long long b) {
  if (b == 0) return 0;
  return b == -1 ? neg_wrap(a) : a / b;
}

// The sign of a; x % 0 = x.
__device__ __forceinline__ long long int_rem(long long a, long long b) {
  if (b == 0) return a;
  return b == -1 ? 0 : a % b;
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

}  // namespace

// mu[i] = sum<f32>[j in 0..N](f32(X[i, j])) / f32(N)
extern "C" __global__ void __launch_bounds__(64)
layer_norm_mu(const bf16* __restrict__ X, float* mu, long long N) {
  float sum[32];
  bf16 X_i_j[32];
  bf16 X_i_j_2[32];
  __shared__ float sum_2_warps[2];
#line 12 "examples/layer_norm.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 256 + (int)(threadIdx.x & 31) * 8;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      sum[jr * 8 + jv] = 0.0f;
    }
  }
  const long long j_whole = N - N % 2048;
  for (long long j_first = 0; j_first < j_whole; j_first += 2048) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const vector_of<bf16, 8> X_i_j0_vector =
          *(const vector_of<bf16, 8>*)&X[blockIdx.x * N + j_first + j_first_2 + jr * 512];
      const bf16 X_i_j0 = X_i_j0_vector.at[0];
      const bf16 X_i_j1 = X_i_j0_vector.at[1];
      const bf16 X_i_j2 = X_i_j0_vector.at[2];
      const bf16 X_i_j3 = X_i_j0_vector.at[3];
      const bf16 X_i_j4 = X_i_j0_vector.at[4];
      const bf16 X_i_j5 = X_i_j0_vector.at[5];
      const bf16 X_i_j6 = X_i_j0_vector.at[6];
      const bf16 X_i_j7 = X_i_j0_vector.at[7];
      X_i_j[jr * 8] = X_i_j0;
      X_i_j[jr * 8 + 1] = X_i_j1;
      X_i_j[jr * 8 + 2] = X_i_j2;
      X_i_j[jr * 8 + 3] = X_i_j3;
      X_i_j[jr * 8 + 4] = X_i_j4;
      X_i_j[jr * 8 + 5] = X_i_j5;
      X_i_j[jr * 8 + 6] = X_i_j6;
      X_i_j[jr * 8 + 7] = X_i_j7;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 8
      for (int jv = 0; jv < 8; ++jv) {
        sum[jr * 8 + jv] += to_f32(X_i_j[jr * 8 + jv]);
      }
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 8
      for (int jv = 0; jv < 8; ++jv) {
        X_i_j_2[jr * 8 + jv] = j_whole + (j_first_2 + jr * 512 + jv) < N
            ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 512 + jv] : bf16{0x0000};
      }
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 8
      for (int jv = 0; jv < 8; ++jv) {
        sum[jr * 8 + jv] += j_whole + (j_first_2 + jr * 512 + jv) < N ? to_f32(X_i_j_2[jr * 8 + jv])
            : 0.0f;
      }
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 8
    for (int jr_2 = 0; jr_2 < 8; ++jr_2) {
      sum_2_2 += sum[jr * 8 + jr_2];
    }
  }
  const float other = __shfl_xor_sync(0xffffffffu, sum_2_2, 1);
  const float sum_2_3 = sum_2_2 + other;
  const float other_2 = __shfl_xor_sync(0xffffffffu, sum_2_3, 2);
  const float sum_2_4 = sum_2_3 + other_2;
  const float other_3 = __shfl_xor_sync(0xffffffffu, sum_2_4, 4);
  const float sum_2_5 = sum_2_4 + other_3;
  const float other_4 = __shfl_xor_sync(0xffffffffu, sum_2_5, 8);
  const float sum_2_6 = sum_2_5 + other_4;
  const float other_5 = __shfl_xor_sync(0xffffffffu, sum_2_6, 16);
  const float sum_2_7 = sum_2_6 + other_5;
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_7;
  }
  __syncthreads();
  float sum_2_8 = sum_2_warps[0];
  #pragma unroll 2
  for (int k = 1; k < 2; ++k) {
    sum_2_8 += sum_2_warps[k];
  }
  const float sum_2_9 = sum_2_8;
  if (threadIdx.x == 0) {
    mu[blockIdx.x] = sum_2_9 / (float)N;
  }
}
#line 176 "layer_norm.cu"

// var[i] = sum<f32>[j in 0..N]((f32(X[i, j]) - mu[i]) * (f32(X[i, j]) - mu[i])) / f32(N)
extern "C" __global__ void __launch_bounds__(64)
layer_norm_var(const float* __restrict__ mu, const bf16* __restrict__ X, float* var, long long N) {
  float sum[32];
  bf16 X_i_j[32];
  bf16 X_i_j_2[32];
  __shared__ float sum_2_warps[2];
#line 13 "examples/layer_norm.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 256 + (int)(threadIdx.x & 31) * 8;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      sum[jr * 8 + jv] = 0.0f;
    }
  }
  const long long j_whole = N - N % 2048;
  for (long long j_first = 0; j_first < j_whole; j_first += 2048) {
    const float mu_i = mu[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const vector_of<bf16, 8> X_i_j0_vector =
          *(const vector_of<bf16, 8>*)&X[blockIdx.x * N + j_first + j_first_2 + jr * 512];
      const bf16 X_i_j0 = X_i_j0_vector.at[0];
      const bf16 X_i_j1 = X_i_j0_vector.at[1];
      const bf16 X_i_j2 = X_i_j0_vector.at[2];
      const bf16 X_i_j3 = X_i_j0_vector.at[3];
      const bf16 X_i_j4 = X_i_j0_vector.at[4];
      const bf16 X_i_j5 = X_i_j0_vector.at[5];
      const bf16 X_i_j6 = X_i_j0_vector.at[6];
      const bf16 X_i_j7 = X_i_j0_vector.at[7];
      X_i_j[jr * 8] = X_i_j0;
      X_i_j[jr * 8 + 1] = X_i_j1;
      X_i_j[jr * 8 + 2] = X_i_j2;
      X_i_j[jr * 8 + 3] = X_i_j3;
      X_i_j[jr * 8 + 4] = X_i_j4;
      X_i_j[jr * 8 + 5] = X_i_j5;
      X_i_j[jr * 8 + 6] = X_i_j6;
      X_i_j[jr * 8 + 7] = X_i_j7;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 8
      for (int jv = 0; jv < 8; ++jv) {
        const float t = to_f32(X_i_j[jr * 8 + jv]) - mu_i;
        sum[jr * 8 + jv] += t * t;
      }
    }
  }
  if (j_whole < N) {
    const float mu_i = mu[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 8
      for (int jv = 0; jv < 8; ++jv) {
        X_i_j_2[jr * 8 + jv] = j_whole + (j_first_2 + jr * 512 + jv) < N
            ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 512 + jv] : bf16{0x0000};
      }
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 8
      for (int jv = 0; jv < 8; ++jv) {
        const float t = to_f32(X_i_j_2[jr * 8 + jv]) - mu_i;
        sum[jr * 8 + jv] += j_whole + (j_first_2 + jr * 512 + jv) < N ? t * t : 0.0f;
      }
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 8
    for (int jr_2 = 0; jr_2 < 8; ++jr_2) {
      sum_2_2 += sum[jr * 8 + jr_2];
    }
  }
  const float other = __shfl_xor_sync(0xffffffffu, sum_2_2, 1);
  const float sum_2_3 = sum_2_2 + other;
  const float other_2 = __shfl_xor_sync(0xffffffffu, sum_2_3, 2);
  const float sum_2_4 = sum_2_3 + other_2;
  const float other_3 = __shfl_xor_sync(0xffffffffu, sum_2_4, 4);
  const float sum_2_5 = sum_2_4 + other_3;
  const float other_4 = __shfl_xor_sync(0xffffffffu, sum_2_5, 8);
  const float sum_2_6 = sum_2_5 + other_4;
  const float other_5 = __shfl_xor_sync(0xffffffffu, sum_2_6, 16);
  const float sum_2_7 = sum_2_6 + other_5;
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_7;
  }
  __syncthreads();
  float sum_2_8 = sum_2_warps[0];
  #pragma unroll 2
  for (int k = 1; k < 2; ++k) {
    sum_2_8 += sum_2_warps[k];
  }
  const float sum_2_9 = sum_2_8;
  if (threadIdx.x == 0) {
    var[blockIdx.x] = sum_2_9 / (float)N;
  }
}
#line 278 "layer_norm.cu"

// Y[i, j] = bf16((f32(X[i, j]) - mu[i]) * rsqrt(var[i] + 1e-05) * f32(gain[j]) + f32(shift[j]))
extern "C" __global__ void __launch_bounds__(256)
layer_norm_Y(const bf16* __restrict__ X, const float* __restrict__ mu,
    const float* __restrict__ var, const bf16* __restrict__ gain, const bf16* __restrict__ shift,
    bf16* __restrict__ Y, long long M, long long N) {
  bf16 X_i_j[8];
  bf16 gain_j[8];
  bf16 shift_j[8];
  bf16 X_i_j_2[8];
  bf16 gain_j_2[8];
  bf16 shift_j_2[8];
#line 14 "examples/layer_norm.cdsl"
  const long long tiles = (max(N, 0LL) + 255) / 256;
  const long long rest = int_div((long long)blockIdx.x, tiles);
  const long long j_block = int_rem((long long)blockIdx.x, tiles) * 256;
  const long long i_block = rest * 8;
  const int j_first = (int)(threadIdx.x & 31) * 8;
  if (i_block + 8 <= M && j_block + 256 <= N) {
    const vector_of<bf16, 8> X_i_j0_vector =
        *(const vector_of<bf16, 8>*)&X[(i_block + (threadIdx.x / 32)) * N + j_block + j_first];
    const bf16 X_i_j0 = X_i_j0_vector.at[0];
    const bf16 X_i_j1 = X_i_j0_vector.at[1];
    const bf16 X_i_j2 = X_i_j0_vector.at[2];
    const bf16 X_i_j3 = X_i_j0_vector.at[3];
    const bf16 X_i_j4 = X_i_j0_vector.at[4];
    const bf16 X_i_j5 = X_i_j0_vector.at[5];
    const bf16 X_i_j6 = X_i_j0_vector.at[6];
    const bf16 X_i_j7 = X_i_j0_vector.at[7];
    X_i_j[0] = X_i_j0;
    X_i_j[1] = X_i_j1;
    X_i_j[2] = X_i_j2;
    X_i_j[3] = X_i_j3;
    X_i_j[4] = X_i_j4;
    X_i_j[5] = X_i_j5;
    X_i_j[6] = X_i_j6;
    X_i_j[7] = X_i_j7;
    const float mu_i = mu[i_block + (threadIdx.x / 32)];
    const float var_i = var[i_block + (threadIdx.x / 32)];
    const vector_of<bf16, 8> gain_j0_vector = *(const vector_of<bf16, 8>*)&gain[j_block + j_first];
    const bf16 gain_j0 = gain_j0_vector.at[0];
    const bf16 gain_j1 = gain_j0_vector.at[1];
    const bf16 gain_j2 = gain_j0_vector.at[2];
    const bf16 gain_j3 = gain_j0_vector.at[3];
    const bf16 gain_j4 = gain_j0_vector.at[4];
    const bf16 gain_j5 = gain_j0_vector.at[5];
    const bf16 gain_j6 = gain_j0_vector.at[6];
    const bf16 gain_j7 = gain_j0_vector.at[7];
    gain_j[0] = gain_j0;
    gain_j[1] = gain_j1;
    gain_j[2] = gain_j2;
    gain_j[3] = gain_j3;
    gain_j[4] = gain_j4;
    gain_j[5] = gain_j5;
    gain_j[6] = gain_j6;
    gain_j[7] = gain_j7;
    const vector_of<bf16, 8> shift_j0_vector =
        *(const vector_of<bf16, 8>*)&shift[j_block + j_first];
    const bf16 shift_j0 = shift_j0_vector.at[0];
    const bf16 shift_j1 = shift_j0_vector.at[1];
    const bf16 shift_j2 = shift_j0_vector.at[2];
    const bf16 shift_j3 = shift_j0_vector.at[3];
    const bf16 shift_j4 = shift_j0_vector.at[4];
    const bf16 shift_j5 = shift_j0_vector.at[5];
    const bf16 shift_j6 = shift_j0_vector.at[6];
    const bf16 shift_j7 = shift_j0_vector.at[7];
    shift_j[0] = shift_j0;
    shift_j[1] = shift_j1;
    shift_j[2] = shift_j2;
    shift_j[3] = shift_j3;
    shift_j[4] = shift_j4;
    shift_j[5] = shift_j5;
    shift_j[6] = shift_j6;
    shift_j[7] = shift_j7;
    *(vector_of<bf16, 8>*)&Y[(i_block + (threadIdx.x / 32)) * N + j_block + j_first] =
        vector_of<bf16, 8>{{to_bf16((to_f32(X_i_j[0]) - mu_i) * rsqrtf(var_i + 1e-05f) *
        to_f32(gain_j[0]) + to_f32(shift_j[0])),
        to_bf16((to_f32(X_i_j[1]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j[1]) +
        to_f32(shift_j[1])), to_bf16((to_f32(X_i_j[2]) - mu_i) * rsqrtf(var_i + 1e-05f) *
        to_f32(gain_j[2]) + to_f32(shift_j[2])),
        to_bf16((to_f32(X_i_j[3]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j[3]) +
        to_f32(shift_j[3])), to_bf16((to_f32(X_i_j[4]) - mu_i) * rsqrtf(var_i + 1e-05f) *
        to_f32(gain_j[4]) + to_f32(shift_j[4])),
        to_bf16((to_f32(X_i_j[5]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j[5]) +
        to_f32(shift_j[5])), to_bf16((to_f32(X_i_j[6]) - mu_i) * rsqrtf(var_i + 1e-05f) *
        to_f32(gain_j[6]) + to_f32(shift_j[6])),
        to_bf16((to_f32(X_i_j[7]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j[7]) +
        to_f32(shift_j[7]))}};
  } else {
    if (i_block + (threadIdx.x / 32) < M && j_block + j_first < N) {
      const vector_of<bf16, 8> X_i_j0_vector =
          *(const vector_of<bf16, 8>*)&X[(i_block + (threadIdx.x / 32)) * N + j_block + j_first];
      const bf16 X_i_j0 = X_i_j0_vector.at[0];
      const bf16 X_i_j1 = X_i_j0_vector.at[1];
      const bf16 X_i_j2 = X_i_j0_vector.at[2];
      const bf16 X_i_j3 = X_i_j0_vector.at[3];
      const bf16 X_i_j4 = X_i_j0_vector.at[4];
      const bf16 X_i_j5 = X_i_j0_vector.at[5];
      const bf16 X_i_j6 = X_i_j0_vector.at[6];
      const bf16 X_i_j7 = X_i_j0_vector.at[7];
      X_i_j_2[0] = X_i_j0;
      X_i_j_2[1] = X_i_j1;
      X_i_j_2[2] = X_i_j2;
      X_i_j_2[3] = X_i_j3;
      X_i_j_2[4] = X_i_j4;
      X_i_j_2[5] = X_i_j5;
      X_i_j_2[6] = X_i_j6;
      X_i_j_2[7] = X_i_j7;
    } else {
      X_i_j_2[0] = bf16{0x0000};
      X_i_j_2[1] = bf16{0x0000};
      X_i_j_2[2] = bf16{0x0000};
      X_i_j_2[3] = bf16{0x0000};
      X_i_j_2[4] = bf16{0x0000};
      X_i_j_2[5] = bf16{0x0000};
      X_i_j_2[6] = bf16{0x0000};
      X_i_j_2[7] = bf16{0x0000};
    }
    const float mu_i = i_block + (threadIdx.x / 32) < M ? mu[i_block + (threadIdx.x / 32)] : 0.0f;
    const float var_i = i_block + (threadIdx.x / 32) < M ? var[i_block + (threadIdx.x / 32)] : 0.0f;
    if (j_block + j_first < N) {
      const vector_of<bf16, 8> gain_j0_vector =
          *(const vector_of<bf16, 8>*)&gain[j_block + j_first];
      const bf16 gain_j0 = gain_j0_vector.at[0];
      const bf16 gain_j1 = gain_j0_vector.at[1];
      const bf16 gain_j2 = gain_j0_vector.at[2];
      const bf16 gain_j3 = gain_j0_vector.at[3];
      const bf16 gain_j4 = gain_j0_vector.at[4];
      const bf16 gain_j5 = gain_j0_vector.at[5];
      const bf16 gain_j6 = gain_j0_vector.at[6];
      const bf16 gain_j7 = gain_j0_vector.at[7];
      gain_j_2[0] = gain_j0;
      gain_j_2[1] = gain_j1;
      gain_j_2[2] = gain_j2;
      gain_j_2[3] = gain_j3;
      gain_j_2[4] = gain_j4;
      gain_j_2[5] = gain_j5;
      gain_j_2[6] = gain_j6;
      gain_j_2[7] = gain_j7;
    } else {
      gain_j_2[0] = bf16{0x0000};
      gain_j_2[1] = bf16{0x0000};
      gain_j_2[2] = bf16{0x0000};
      gain_j_2[3] = bf16{0x0000};
      gain_j_2[4] = bf16{0x0000};
      gain_j_2[5] = bf16{0x0000};
      gain_j_2[6] = bf16{0x0000};
      gain_j_2[7] = bf16{0x0000};
    }
    if (j_block + j_first < N) {
      const vector_of<bf16, 8> shift_j0_vector =
          *(const vector_of<bf16, 8>*)&shift[j_block + j_first];
      const bf16 shift_j0 = shift_j0_vector.at[0];
      const bf16 shift_j1 = shift_j0_vector.at[1];
      const bf16 shift_j2 = shift_j0_vector.at[2];
      const bf16 shift_j3 = shift_j0_vector.at[3];
      const bf16 shift_j4 = shift_j0_vector.at[4];
      const bf16 shift_j5 = shift_j0_vector.at[5];
      const bf16 shift_j6 = shift_j0_vector.at[6];
      const bf16 shift_j7 = shift_j0_vector.at[7];
      shift_j_2[0] = shift_j0;
      shift_j_2[1] = shift_j1;
      shift_j_2[2] = shift_j2;
      shift_j_2[3] = shift_j3;
      shift_j_2[4] = shift_j4;
      shift_j_2[5] = shift_j5;
      shift_j_2[6] = shift_j6;
      shift_j_2[7] = shift_j7;
    } else {
      shift_j_2[0] = bf16{0x0000};
      shift_j_2[1] = bf16{0x0000};
      shift_j_2[2] = bf16{0x0000};
      shift_j_2[3] = bf16{0x0000};
      shift_j_2[4] = bf16{0x0000};
      shift_j_2[5] = bf16{0x0000};
      shift_j_2[6] = bf16{0x0000};
      shift_j_2[7] = bf16{0x0000};
    }
    if (j_block + j_first < N && i_block + (threadIdx.x / 32) < M) {
      *(vector_of<bf16, 8>*)&Y[(i_block + (threadIdx.x / 32)) * N + j_block + j_first] =
          vector_of<bf16, 8>{{to_bf16((to_f32(X_i_j_2[0]) - mu_i) * rsqrtf(var_i + 1e-05f) *
          to_f32(gain_j_2[0]) + to_f32(shift_j_2[0])),
          to_bf16((to_f32(X_i_j_2[1]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j_2[1]) +
          to_f32(shift_j_2[1])), to_bf16((to_f32(X_i_j_2[2]) - mu_i) * rsqrtf(var_i + 1e-05f) *
          to_f32(gain_j_2[2]) + to_f32(shift_j_2[2])),
          to_bf16((to_f32(X_i_j_2[3]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j_2[3]) +
          to_f32(shift_j_2[3])), to_bf16((to_f32(X_i_j_2[4]) - mu_i) * rsqrtf(var_i + 1e-05f) *
          to_f32(gain_j_2[4]) + to_f32(shift_j_2[4])),
          to_bf16((to_f32(X_i_j_2[5]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j_2[5]) +
          to_f32(shift_j_2[5])), to_bf16((to_f32(X_i_j_2[6]) - mu_i) * rsqrtf(var_i + 1e-05f) *
          to_f32(gain_j_2[6]) + to_f32(shift_j_2[6])),
          to_bf16((to_f32(X_i_j_2[7]) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j_2[7]) +
          to_f32(shift_j_2[7]))}};
    }
  }
}
#line 475 "layer_norm.cu"

// mu[i] = sum<f32>[j in 0..N](f32(X[i, j])) / f32(N)
extern "C" __global__ void __launch_bounds__(256)
layer_norm_mu_general(const bf16* __restrict__ X, float* mu, long long N) {
  float sum[4];
  bf16 X_i_j[4];
  bf16 X_i_j_2[4];
  __shared__ float sum_2_warps[8];
#line 12 "examples/layer_norm.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum[jr] = 0.0f;
  }
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_2 + jr * 256];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += to_f32(X_i_j[jr]);
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_2[jr] = j_whole + (j_first_2 + jr * 256) < N
          ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 256] : bf16{0x0000};
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += j_whole + (j_first_2 + jr * 256) < N ? to_f32(X_i_j_2[jr]) : 0.0f;
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_2_2 += sum[jr];
  }
  const float other = __shfl_xor_sync(0xffffffffu, sum_2_2, 1);
  const float sum_2_3 = sum_2_2 + other;
  const float other_2 = __shfl_xor_sync(0xffffffffu, sum_2_3, 2);
  const float sum_2_4 = sum_2_3 + other_2;
  const float other_3 = __shfl_xor_sync(0xffffffffu, sum_2_4, 4);
  const float sum_2_5 = sum_2_4 + other_3;
  const float other_4 = __shfl_xor_sync(0xffffffffu, sum_2_5, 8);
  const float sum_2_6 = sum_2_5 + other_4;
  const float other_5 = __shfl_xor_sync(0xffffffffu, sum_2_6, 16);
  const float sum_2_7 = sum_2_6 + other_5;
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_7;
  }
  __syncthreads();
  float sum_2_8 = sum_2_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_2_8 += sum_2_warps[k];
  }
  const float sum_2_9 = sum_2_8;
  if (threadIdx.x == 0) {
    mu[blockIdx.x] = sum_2_9 / (float)N;
  }
}
#line 541 "layer_norm.cu"

// var[i] = sum<f32>[j in 0..N]((f32(X[i, j]) - mu[i]) * (f32(X[i, j]) - mu[i])) / f32(N)
extern "C" __global__ void __launch_bounds__(256)
layer_norm_var_general(const float* __restrict__ mu, const bf16* __restrict__ X, float* var,
    long long N) {
  float sum[4];
  bf16 X_i_j[4];
  bf16 X_i_j_2[4];
  __shared__ float sum_2_warps[8];
#line 13 "examples/layer_norm.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum[jr] = 0.0f;
  }
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    const float mu_i = mu[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_2 + jr * 256];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = to_f32(X_i_j[jr]) - mu_i;
      sum[jr] += t * t;
    }
  }
  if (j_whole < N) {
    const float mu_i = mu[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_2[jr] = j_whole + (j_first_2 + jr * 256) < N
          ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 256] : bf16{0x0000};
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = to_f32(X_i_j_2[jr]) - mu_i;
      sum[jr] += j_whole + (j_first_2 + jr * 256) < N ? t * t : 0.0f;
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_2_2 += sum[jr];
  }
  const float other = __shfl_xor_sync(0xffffffffu, sum_2_2, 1);
  const float sum_2_3 = sum_2_2 + other;
  const float other_2 = __shfl_xor_sync(0xffffffffu, sum_2_3, 2);
  const float sum_2_4 = sum_2_3 + other_2;
  const float other_3 = __shfl_xor_sync(0xffffffffu, sum_2_4, 4);
  const float sum_2_5 = sum_2_4 + other_3;
  const float other_4 = __shfl_xor_sync(0xffffffffu, sum_2_5, 8);
  const float sum_2_6 = sum_2_5 + other_4;
  const float other_5 = __shfl_xor_sync(0xffffffffu, sum_2_6, 16);
  const float sum_2_7 = sum_2_6 + other_5;
  if ((threadIdx.x & 31) == 0) {
    sum_2_warps[(int)(threadIdx.x / 32)] = sum_2_7;
  }
  __syncthreads();
  float sum_2_8 = sum_2_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_2_8 += sum_2_warps[k];
  }
  const float sum_2_9 = sum_2_8;
  if (threadIdx.x == 0) {
    var[blockIdx.x] = sum_2_9 / (float)N;
  }
}
#line 612 "layer_norm.cu"

// Y[i, j] = bf16((f32(X[i, j]) - mu[i]) * rsqrt(var[i] + 1e-05) * f32(gain[j]) + f32(shift[j]))
extern "C" __global__ void __launch_bounds__(512)
layer_norm_Y_general(const bf16* __restrict__ X, const float* __restrict__ mu,
    const float* __restrict__ var, const bf16* __restrict__ gain, const bf16* __restrict__ shift,
    bf16* __restrict__ Y, long long M, long long N) {
#line 14 "examples/layer_norm.cdsl"
  const long long tiles = (max(N, 0LL) + 31) / 32;
  const long long rest = int_div((long long)blockIdx.x, tiles);
  const long long j_block = int_rem((long long)blockIdx.x, tiles) * 32;
  const long long i_block = rest * 16;
  if (i_block + 16 <= M && j_block + 32 <= N) {
    const bf16 X_i_j = X[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)];
    const float mu_i = mu[i_block + (threadIdx.x / 32)];
    const float var_i = var[i_block + (threadIdx.x / 32)];
    const bf16 gain_j = gain[j_block + (threadIdx.x & 31)];
    const bf16 shift_j = shift[j_block + (threadIdx.x & 31)];
    Y[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)] =
        to_bf16((to_f32(X_i_j) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j) + to_f32(shift_j));
  } else {
    const bf16 X_i_j = i_block + (threadIdx.x / 32) < M && j_block + (threadIdx.x & 31) < N
        ? X[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)] : bf16{0x0000};
    const float mu_i = i_block + (threadIdx.x / 32) < M ? mu[i_block + (threadIdx.x / 32)] : 0.0f;
    const float var_i = i_block + (threadIdx.x / 32) < M ? var[i_block + (threadIdx.x / 32)] : 0.0f;
    const bf16 gain_j = j_block + (threadIdx.x & 31) < N ? gain[j_block + (threadIdx.x & 31)]
        : bf16{0x0000};
    const bf16 shift_j = j_block + (threadIdx.x & 31) < N ? shift[j_block + (threadIdx.x & 31)]
        : bf16{0x0000};
    if (j_block + (threadIdx.x & 31) < N && i_block + (threadIdx.x / 32) < M) {
      Y[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)] =
          to_bf16((to_f32(X_i_j) - mu_i) * rsqrtf(var_i + 1e-05f) * to_f32(gain_j) +
          to_f32(shift_j));
    }
  }
}
#line 648 "layer_norm.cu"

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
long long layer_norm_workspace_bytes(const layer_norm_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.M * 4);  // mu
  bytes += aligned_256(args.M * 4);  // var
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has layer_norm_workspace_bytes bytes, aligned to 256.
cudaError_t launch_layer_norm(const layer_norm_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 2})) return refuse(why, "X is too large");
  if (!fits({args.N, 2})) return refuse(why, "gain is too large");
  if (!fits({args.M, 4})) return refuse(why, "mu is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 2, 2, false},
    {"gain", args.gain, args.N * 2, 2, false},
    {"shift", args.shift, args.N * 2, 2, false},
    {"Y", args.Y, args.M * args.N * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && layer_norm_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (args.N % 8 == 0 && is_aligned(args.X, 16) && is_aligned(args.gain, 16) &&
      is_aligned(args.shift, 16) && is_aligned(args.Y, 16)) {
    // Variant vectors.
    char* unused = static_cast<char*>(workspace);
    auto* const mu = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    auto* const var = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      layer_norm_mu<<<blocks, 64, 0, stream>>>(args.X, mu, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      layer_norm_var<<<blocks, 64, 0, stream>>>(mu, args.X, var, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((max(args.M, 0LL) + 7) / 8 *
        ((max(args.N, 0LL) + 255) / 256))) {
      layer_norm_Y<<<blocks, 256, 0, stream>>>(args.X, mu, var, args.gain, args.shift, args.Y,
          args.M, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    char* unused = static_cast<char*>(workspace);
    auto* const mu = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    auto* const var = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      layer_norm_mu_general<<<blocks, 256, 0, stream>>>(args.X, mu, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      layer_norm_var_general<<<blocks, 256, 0, stream>>>(mu, args.X, var, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((max(args.M, 0LL) + 15) / 16 *
        ((max(args.N, 0LL) + 31) / 32))) {
      layer_norm_Y_general<<<blocks, 512, 0, stream>>>(args.X, mu, var, args.gain, args.shift,
          args.Y, args.M, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
