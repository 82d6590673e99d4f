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
// - fuse: Y: one kernel, whose intermediates are never stored (statements 3, predicted 20.6676 us)
// - map: Y: a block walks over each row 4 times, bound by l2 (predicted 20.67 us, sectors/request
// 16)
// - vectorize: Y: elements of one memory access (predicted 20.67 us)
// - reduce: Y: blocks that divide one reduction between them (predicted 20.67 us)
// - launch: Y: blocks are limited by registers (predicted 20.67 us, occupancy 0.75)
// - index: Y: accesses of a thread under way at once (predicted 20.67 us)
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

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

}  // namespace

// Y[i, j] = bf16((f32(X[i, j]) - sum<f32>[j in 0..N](f32(X[i, j])) / f32(N)) * rsqrt(sum<f32>[j in
// 0..N]((f32(X[i, j]) - sum<f32>[j in 0..N](f32(...)) / f32(N)) * (f32(X[i, j]) - sum<f32>[j in
// 0..N](f32(...)) / f32(N))) / f32(N) + 1e-05) * f32(gain[j]) + f32(shift[j]))
extern "C" __global__ void __launch_bounds__(64)
layer_norm_Y(const bf16* __restrict__ X, const bf16* __restrict__ gain,
    const bf16* __restrict__ shift, bf16* Y, long long N) {
  float sum[8];
  bf16 X_i_j[8];
  bf16 X_i_j_2[8];
  float sum_3[8];
  bf16 X_i_j_3[8];
  bf16 X_i_j_4[8];
  float sum_4[8];
  bf16 X_i_j_5[8];
  bf16 X_i_j_6[8];
  bf16 X_i_j_7[8];
  bf16 gain_j[8];
  bf16 shift_j[8];
  bf16 X_i_j_8[8];
  bf16 gain_j_2[8];
  bf16 shift_j_2[8];
  __shared__ float sum_2_warps[2];
  __shared__ float sum_3_0_warps[2];
  __shared__ float sum_4_0_warps[2];
#line 14 "examples/layer_norm.cdsl"
  const int j_first_5 = (int)(threadIdx.x / 32) * 256 + (int)(threadIdx.x & 31) * 8;
  #pragma unroll 8
  for (int jv = 0; jv < 8; ++jv) {
#line 12 "examples/layer_norm.cdsl"
    sum[jv] = 0.0f;
  }
  const long long j_whole = N - N % 512;
  for (long long j_first = 0; j_first < j_whole; j_first += 512) {
    const vector_of<bf16, 8> X_i_j0_vector =
        *(const vector_of<bf16, 8>*)&X[blockIdx.x * N + j_first + j_first_5];
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
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      sum[jv] += to_f32(X_i_j[jv]);
    }
  }
  if (j_whole < N) {
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      X_i_j_2[jv] = j_whole + (j_first_5 + jv) < N ? X[blockIdx.x * N + j_whole + j_first_5 + jv]
          : bf16{0x0000};
    }
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      sum[jv] += j_whole + (j_first_5 + jv) < N ? to_f32(X_i_j_2[jv]) : 0.0f;
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 8
  for (int jr = 0; jr < 8; ++jr) {
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
  #pragma unroll 2
  for (int k = 1; k < 2; ++k) {
    sum_2_8 += sum_2_warps[k];
  }
  const float sum_2_9 = sum_2_8;
  #pragma unroll 8
  for (int jv = 0; jv < 8; ++jv) {
    sum_3[jv] = 0.0f;
  }
  const long long j_whole_2 = N - N % 512;
  for (long long j_first_2 = 0; j_first_2 < j_whole_2; j_first_2 += 512) {
    const vector_of<bf16, 8> X_i_j0_vector =
        *(const vector_of<bf16, 8>*)&X[blockIdx.x * N + j_first_2 + j_first_5];
    const bf16 X_i_j0 = X_i_j0_vector.at[0];
    const bf16 X_i_j1 = X_i_j0_vector.at[1];
    const bf16 X_i_j2 = X_i_j0_vector.at[2];
    const bf16 X_i_j3 = X_i_j0_vector.at[3];
    const bf16 X_i_j4 = X_i_j0_vector.at[4];
    const bf16 X_i_j5 = X_i_j0_vector.at[5];
    const bf16 X_i_j6 = X_i_j0_vector.at[6];
    const bf16 X_i_j7 = X_i_j0_vector.at[7];
    X_i_j_3[0] = X_i_j0;
    X_i_j_3[1] = X_i_j1;
    X_i_j_3[2] = X_i_j2;
    X_i_j_3[3] = X_i_j3;
    X_i_j_3[4] = X_i_j4;
    X_i_j_3[5] = X_i_j5;
    X_i_j_3[6] = X_i_j6;
    X_i_j_3[7] = X_i_j7;
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      sum_3[jv] += to_f32(X_i_j_3[jv]);
    }
  }
  if (j_whole_2 < N) {
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      X_i_j_4[jv] = j_whole_2 + (j_first_5 + jv) < N
          ? X[blockIdx.x * N + j_whole_2 + j_first_5 + jv] : bf16{0x0000};
    }
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      sum_3[jv] += j_whole_2 + (j_first_5 + jv) < N ? to_f32(X_i_j_4[jv]) : 0.0f;
    }
  }
  float sum_3_0_2 = 0.0f;
  #pragma unroll 8
  for (int jr = 0; jr < 8; ++jr) {
    sum_3_0_2 += sum_3[jr];
  }
  const float other_6 = __shfl_xor_sync(0xffffffffu, sum_3_0_2, 1);
  const float sum_3_0_3 = sum_3_0_2 + other_6;
  const float other_7 = __shfl_xor_sync(0xffffffffu, sum_3_0_3, 2);
  const float sum_3_0_4 = sum_3_0_3 + other_7;
  const float other_8 = __shfl_xor_sync(0xffffffffu, sum_3_0_4, 4);
  const float sum_3_0_5 = sum_3_0_4 + other_8;
  const float other_9 = __shfl_xor_sync(0xffffffffu, sum_3_0_5, 8);
  const float sum_3_0_6 = sum_3_0_5 + other_9;
  const float other_10 = __shfl_xor_sync(0xffffffffu, sum_3_0_6, 16);
  const float sum_3_0_7 = sum_3_0_6 + other_10;
  if ((threadIdx.x & 31) == 0) {
    sum_3_0_warps[(int)(threadIdx.x / 32)] = sum_3_0_7;
  }
  __syncthreads();
  float sum_3_0_8 = sum_3_0_warps[0];
  #pragma unroll 2
  for (int k = 1; k < 2; ++k) {
    sum_3_0_8 += sum_3_0_warps[k];
  }
  const float sum_3_0_9 = sum_3_0_8;
  #pragma unroll 8
  for (int jv = 0; jv < 8; ++jv) {
#line 13 "examples/layer_norm.cdsl"
    sum_4[jv] = 0.0f;
  }
  const long long j_whole_3 = N - N % 512;
  for (long long j_first_3 = 0; j_first_3 < j_whole_3; j_first_3 += 512) {
    const vector_of<bf16, 8> X_i_j0_vector =
        *(const vector_of<bf16, 8>*)&X[blockIdx.x * N + j_first_3 + j_first_5];
    const bf16 X_i_j0 = X_i_j0_vector.at[0];
    const bf16 X_i_j1 = X_i_j0_vector.at[1];
    const bf16 X_i_j2 = X_i_j0_vector.at[2];
    const bf16 X_i_j3 = X_i_j0_vector.at[3];
    const bf16 X_i_j4 = X_i_j0_vector.at[4];
    const bf16 X_i_j5 = X_i_j0_vector.at[5];
    const bf16 X_i_j6 = X_i_j0_vector.at[6];
    const bf16 X_i_j7 = X_i_j0_vector.at[7];
    X_i_j_5[0] = X_i_j0;
    X_i_j_5[1] = X_i_j1;
    X_i_j_5[2] = X_i_j2;
    X_i_j_5[3] = X_i_j3;
    X_i_j_5[4] = X_i_j4;
    X_i_j_5[5] = X_i_j5;
    X_i_j_5[6] = X_i_j6;
    X_i_j_5[7] = X_i_j7;
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      const float t = to_f32(X_i_j_5[jv]) - sum_3_0_9 / (float)N;
      sum_4[jv] += t * t;
    }
  }
  if (j_whole_3 < N) {
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      X_i_j_6[jv] = j_whole_3 + (j_first_5 + jv) < N
          ? X[blockIdx.x * N + j_whole_3 + j_first_5 + jv] : bf16{0x0000};
    }
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      const float t = to_f32(X_i_j_6[jv]) - sum_3_0_9 / (float)N;
      sum_4[jv] += j_whole_3 + (j_first_5 + jv) < N ? t * t : 0.0f;
    }
  }
  float sum_4_0_2 = 0.0f;
  #pragma unroll 8
  for (int jr = 0; jr < 8; ++jr) {
    sum_4_0_2 += sum_4[jr];
  }
  const float other_11 = __shfl_xor_sync(0xffffffffu, sum_4_0_2, 1);
  const float sum_4_0_3 = sum_4_0_2 + other_11;
  const float other_12 = __shfl_xor_sync(0xffffffffu, sum_4_0_3, 2);
  const float sum_4_0_4 = sum_4_0_3 + other_12;
  const float other_13 = __shfl_xor_sync(0xffffffffu, sum_4_0_4, 4);
  const float sum_4_0_5 = sum_4_0_4 + other_13;
  const float other_14 = __shfl_xor_sync(0xffffffffu, sum_4_0_5, 8);
  const float sum_4_0_6 = sum_4_0_5 + other_14;
  const float other_15 = __shfl_xor_sync(0xffffffffu, sum_4_0_6, 16);
  const float sum_4_0_7 = sum_4_0_6 + other_15;
  if ((threadIdx.x & 31) == 0) {
    sum_4_0_warps[(int)(threadIdx.x / 32)] = sum_4_0_7;
  }
  __syncthreads();
  float sum_4_0_8 = sum_4_0_warps[0];
  #pragma unroll 2
  for (int k = 1; k < 2; ++k) {
    sum_4_0_8 += sum_4_0_warps[k];
  }
  const float sum_4_0_9 = sum_4_0_8;
#line 14 "examples/layer_norm.cdsl"
  const long long j_whole_4 = N - N % 512;
  for (long long j_first_4 = 0; j_first_4 < j_whole_4; j_first_4 += 512) {
    const vector_of<bf16, 8> X_i_j0_vector =
        *(const vector_of<bf16, 8>*)&X[blockIdx.x * N + j_first_4 + j_first_5];
    const bf16 X_i_j0 = X_i_j0_vector.at[0];
    const bf16 X_i_j1 = X_i_j0_vector.at[1];
    const bf16 X_i_j2 = X_i_j0_vector.at[2];
    const bf16 X_i_j3 = X_i_j0_vector.at[3];
    const bf16 X_i_j4 = X_i_j0_vector.at[4];
    const bf16 X_i_j5 = X_i_j0_vector.at[5];
    const bf16 X_i_j6 = X_i_j0_vector.at[6];
    const bf16 X_i_j7 = X_i_j0_vector.at[7];
    X_i_j_7[0] = X_i_j0;
    X_i_j_7[1] = X_i_j1;
    X_i_j_7[2] = X_i_j2;
    X_i_j_7[3] = X_i_j3;
    X_i_j_7[4] = X_i_j4;
    X_i_j_7[5] = X_i_j5;
    X_i_j_7[6] = X_i_j6;
    X_i_j_7[7] = X_i_j7;
    const vector_of<bf16, 8> gain_j0_vector =
        *(const vector_of<bf16, 8>*)&gain[j_first_4 + j_first_5];
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
        *(const vector_of<bf16, 8>*)&shift[j_first_4 + j_first_5];
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
    *(vector_of<bf16, 8>*)&Y[blockIdx.x * N + j_first_4 + j_first_5] =
        vector_of<bf16, 8>{{to_bf16((to_f32(X_i_j_7[0]) - sum_2_9 / (float)N) *
        rsqrtf(sum_4_0_9 / (float)N + 1e-05f) * to_f32(gain_j[0]) + to_f32(shift_j[0])),
        to_bf16((to_f32(X_i_j_7[1]) - sum_2_9 / (float)N) * rsqrtf(sum_4_0_9 / (float)N + 1e-05f) *
        to_f32(gain_j[1]) + to_f32(shift_j[1])),
        to_bf16((to_f32(X_i_j_7[2]) - sum_2_9 / (float)N) * rsqrtf(sum_4_0_9 / (float)N + 1e-05f) *
        to_f32(gain_j[2]) + to_f32(shift_j[2])),
        to_bf16((to_f32(X_i_j_7[3]) - sum_2_9 / (float)N) * rsqrtf(sum_4_0_9 / (float)N + 1e-05f) *
        to_f32(gain_j[3]) + to_f32(shift_j[3])),
        to_bf16((to_f32(X_i_j_7[4]) - sum_2_9 / (float)N) * rsqrtf(sum_4_0_9 / (float)N + 1e-05f) *
        to_f32(gain_j[4]) + to_f32(shift_j[4])),
        to_bf16((to_f32(X_i_j_7[5]) - sum_2_9 / (float)N) * rsqrtf(sum_4_0_9 / (float)N + 1e-05f) *
        to_f32(gain_j[5]) + to_f32(shift_j[5])),
        to_bf16((to_f32(X_i_j_7[6]) - sum_2_9 / (float)N) * rsqrtf(sum_4_0_9 / (float)N + 1e-05f) *
        to_f32(gain_j[6]) + to_f32(shift_j[6])),
        to_bf16((to_f32(X_i_j_7[7]) - sum_2_9 / (float)N) * rsqrtf(sum_4_0_9 / (float)N + 1e-05f) *
        to_f32(gain_j[7]) + to_f32(shift_j[7]))}};
  }
  if (j_whole_4 < N) {
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      X_i_j_8[jv] = j_whole_4 + (j_first_5 + jv) < N
          ? X[blockIdx.x * N + j_whole_4 + j_first_5 + jv] : bf16{0x0000};
      gain_j_2[jv] = j_whole_4 + (j_first_5 + jv) < N ? gain[j_whole_4 + j_first_5 + jv]
          : bf16{0x0000};
      shift_j_2[jv] = j_whole_4 + (j_first_5 + jv) < N ? shift[j_whole_4 + j_first_5 + jv]
          : bf16{0x0000};
    }
    #pragma unroll 8
    for (int jv = 0; jv < 8; ++jv) {
      if (j_whole_4 + (j_first_5 + jv) < N) {
        Y[blockIdx.x * N + j_whole_4 + j_first_5 + jv] =
            to_bf16((to_f32(X_i_j_8[jv]) - sum_2_9 / (float)N) *
            rsqrtf(sum_4_0_9 / (float)N + 1e-05f) * to_f32(gain_j_2[jv]) + to_f32(shift_j_2[jv]));
      }
    }
  }
}
#line 372 "layer_norm.cu"

// Y[i, j] = bf16((f32(X[i, j]) - sum<f32>[j in 0..N](f32(X[i, j])) / f32(N)) * rsqrt(sum<f32>[j in
// 0..N]((f32(X[i, j]) - sum<f32>[j in 0..N](f32(...)) / f32(N)) * (f32(X[i, j]) - sum<f32>[j in
// 0..N](f32(...)) / f32(N))) / f32(N) + 1e-05) * f32(gain[j]) + f32(shift[j]))
extern "C" __global__ void __launch_bounds__(128)
layer_norm_Y_general(const bf16* __restrict__ X, const bf16* __restrict__ gain,
    const bf16* __restrict__ shift, bf16* Y, long long N) {
  float sum[2];
  bf16 X_i_j[2];
  bf16 X_i_j_2[2];
  float sum_3[2];
  bf16 X_i_j_3[2];
  bf16 X_i_j_4[2];
  float sum_4[2];
  bf16 X_i_j_5[2];
  bf16 X_i_j_6[2];
  bf16 X_i_j_7[2];
  bf16 gain_j[2];
  bf16 shift_j[2];
  bf16 X_i_j_8[2];
  bf16 gain_j_2[2];
  bf16 shift_j_2[2];
  __shared__ float sum_2_warps[4];
  __shared__ float sum_3_0_warps[4];
  __shared__ float sum_4_0_warps[4];
#line 14 "examples/layer_norm.cdsl"
  const int j_first_5 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
#line 12 "examples/layer_norm.cdsl"
    sum[jr] = 0.0f;
  }
  const long long j_whole = N - N % 256;
  for (long long j_first = 0; j_first < j_whole; j_first += 256) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_5 + jr * 128];
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      sum[jr] += to_f32(X_i_j[jr]);
    }
  }
  if (j_whole < N) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j_2[jr] = j_whole + (j_first_5 + jr * 128) < N
          ? X[blockIdx.x * N + j_whole + j_first_5 + jr * 128] : bf16{0x0000};
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      sum[jr] += j_whole + (j_first_5 + jr * 128) < N ? to_f32(X_i_j_2[jr]) : 0.0f;
    }
  }
  float sum_2_2 = 0.0f;
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
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
  #pragma unroll 4
  for (int k = 1; k < 4; ++k) {
    sum_2_8 += sum_2_warps[k];
  }
  const float sum_2_9 = sum_2_8;
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
    sum_3[jr] = 0.0f;
  }
  const long long j_whole_2 = N - N % 256;
  for (long long j_first_2 = 0; j_first_2 < j_whole_2; j_first_2 += 256) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j_3[jr] = X[blockIdx.x * N + j_first_2 + j_first_5 + jr * 128];
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      sum_3[jr] += to_f32(X_i_j_3[jr]);
    }
  }
  if (j_whole_2 < N) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j_4[jr] = j_whole_2 + (j_first_5 + jr * 128) < N
          ? X[blockIdx.x * N + j_whole_2 + j_first_5 + jr * 128] : bf16{0x0000};
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      sum_3[jr] += j_whole_2 + (j_first_5 + jr * 128) < N ? to_f32(X_i_j_4[jr]) : 0.0f;
    }
  }
  float sum_3_0_2 = 0.0f;
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
    sum_3_0_2 += sum_3[jr];
  }
  const float other_6 = __shfl_xor_sync(0xffffffffu, sum_3_0_2, 1);
  const float sum_3_0_3 = sum_3_0_2 + other_6;
  const float other_7 = __shfl_xor_sync(0xffffffffu, sum_3_0_3, 2);
  const float sum_3_0_4 = sum_3_0_3 + other_7;
  const float other_8 = __shfl_xor_sync(0xffffffffu, sum_3_0_4, 4);
  const float sum_3_0_5 = sum_3_0_4 + other_8;
  const float other_9 = __shfl_xor_sync(0xffffffffu, sum_3_0_5, 8);
  const float sum_3_0_6 = sum_3_0_5 + other_9;
  const float other_10 = __shfl_xor_sync(0xffffffffu, sum_3_0_6, 16);
  const float sum_3_0_7 = sum_3_0_6 + other_10;
  if ((threadIdx.x & 31) == 0) {
    sum_3_0_warps[(int)(threadIdx.x / 32)] = sum_3_0_7;
  }
  __syncthreads();
  float sum_3_0_8 = sum_3_0_warps[0];
  #pragma unroll 4
  for (int k = 1; k < 4; ++k) {
    sum_3_0_8 += sum_3_0_warps[k];
  }
  const float sum_3_0_9 = sum_3_0_8;
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
#line 13 "examples/layer_norm.cdsl"
    sum_4[jr] = 0.0f;
  }
  const long long j_whole_3 = N - N % 256;
  for (long long j_first_3 = 0; j_first_3 < j_whole_3; j_first_3 += 256) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j_5[jr] = X[blockIdx.x * N + j_first_3 + j_first_5 + jr * 128];
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      const float t = to_f32(X_i_j_5[jr]) - sum_3_0_9 / (float)N;
      sum_4[jr] += t * t;
    }
  }
  if (j_whole_3 < N) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j_6[jr] = j_whole_3 + (j_first_5 + jr * 128) < N
          ? X[blockIdx.x * N + j_whole_3 + j_first_5 + jr * 128] : bf16{0x0000};
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      const float t = to_f32(X_i_j_6[jr]) - sum_3_0_9 / (float)N;
      sum_4[jr] += j_whole_3 + (j_first_5 + jr * 128) < N ? t * t : 0.0f;
    }
  }
  float sum_4_0_2 = 0.0f;
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
    sum_4_0_2 += sum_4[jr];
  }
  const float other_11 = __shfl_xor_sync(0xffffffffu, sum_4_0_2, 1);
  const float sum_4_0_3 = sum_4_0_2 + other_11;
  const float other_12 = __shfl_xor_sync(0xffffffffu, sum_4_0_3, 2);
  const float sum_4_0_4 = sum_4_0_3 + other_12;
  const float other_13 = __shfl_xor_sync(0xffffffffu, sum_4_0_4, 4);
  const float sum_4_0_5 = sum_4_0_4 + other_13;
  const float other_14 = __shfl_xor_sync(0xffffffffu, sum_4_0_5, 8);
  const float sum_4_0_6 = sum_4_0_5 + other_14;
  const float other_15 = __shfl_xor_sync(0xffffffffu, sum_4_0_6, 16);
  const float sum_4_0_7 = sum_4_0_6 + other_15;
  if ((threadIdx.x & 31) == 0) {
    sum_4_0_warps[(int)(threadIdx.x / 32)] = sum_4_0_7;
  }
  __syncthreads();
  float sum_4_0_8 = sum_4_0_warps[0];
  #pragma unroll 4
  for (int k = 1; k < 4; ++k) {
    sum_4_0_8 += sum_4_0_warps[k];
  }
  const float sum_4_0_9 = sum_4_0_8;
#line 14 "examples/layer_norm.cdsl"
  const long long j_whole_4 = N - N % 256;
  for (long long j_first_4 = 0; j_first_4 < j_whole_4; j_first_4 += 256) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j_7[jr] = X[blockIdx.x * N + j_first_4 + j_first_5 + jr * 128];
      gain_j[jr] = gain[j_first_4 + j_first_5 + jr * 128];
      shift_j[jr] = shift[j_first_4 + j_first_5 + jr * 128];
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      Y[blockIdx.x * N + j_first_4 + j_first_5 + jr * 128] =
          to_bf16((to_f32(X_i_j_7[jr]) - sum_2_9 / (float)N) *
          rsqrtf(sum_4_0_9 / (float)N + 1e-05f) * to_f32(gain_j[jr]) + to_f32(shift_j[jr]));
    }
  }
  if (j_whole_4 < N) {
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      X_i_j_8[jr] = j_whole_4 + (j_first_5 + jr * 128) < N
          ? X[blockIdx.x * N + j_whole_4 + j_first_5 + jr * 128] : bf16{0x0000};
      gain_j_2[jr] = j_whole_4 + (j_first_5 + jr * 128) < N ? gain[j_whole_4 + j_first_5 + jr * 128]
          : bf16{0x0000};
      shift_j_2[jr] = j_whole_4 + (j_first_5 + jr * 128) < N
          ? shift[j_whole_4 + j_first_5 + jr * 128] : bf16{0x0000};
    }
    #pragma unroll 2
    for (int jr = 0; jr < 2; ++jr) {
      if (j_whole_4 + (j_first_5 + jr * 128) < N) {
        Y[blockIdx.x * N + j_whole_4 + j_first_5 + jr * 128] =
            to_bf16((to_f32(X_i_j_8[jr]) - sum_2_9 / (float)N) *
            rsqrtf(sum_4_0_9 / (float)N + 1e-05f) * to_f32(gain_j_2[jr]) + to_f32(shift_j_2[jr]));
      }
    }
  }
}
#line 593 "layer_norm.cu"

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
long long layer_norm_workspace_bytes(const layer_norm_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_layer_norm(const layer_norm_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 2})) return refuse(why, "X is too large");
  if (!fits({args.N, 2})) return refuse(why, "gain is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 2, 2, false},
    {"gain", args.gain, args.N * 2, 2, false},
    {"shift", args.shift, args.N * 2, 2, false},
    {"Y", args.Y, args.M * args.N * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.N % 8 == 0 && is_aligned(args.X, 16) && is_aligned(args.gain, 16) &&
      is_aligned(args.shift, 16) && is_aligned(args.Y, 16)) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      layer_norm_Y<<<blocks, 64, 0, stream>>>(args.X, args.gain, args.shift, args.Y, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      layer_norm_Y_general<<<blocks, 128, 0, stream>>>(args.X, args.gain, args.shift, args.Y,
          args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
