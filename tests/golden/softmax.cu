// softmax, made by cuoptc for sm_90a from examples/softmax.cdsl:10.
//
//   fn softmax(X: f32[M, N]) -> (Y: f32[M, N]) {
//     top[i]  = max[j](X[i, j]);
//     den[i]  = sum[j](exp(X[i, j] - top[i]));
//     Y[i, j] = exp(X[i, j] - top[i]) / den[i];
//   }
//
// Decisions:
// - simplify: softmax: declined: no exact rule applies
// - fuse: Y: declined: a kernel a statement takes less time (statements 3, predicted 62.8336 us)
// - map: Y: lanes along j, bound by dram (predicted 31.73 us, sectors/request 8.5)
// - vectorize: Y: elements of one memory access (predicted 31.73 us)
// - reduce: Y: blocks that divide one reduction between them (predicted 31.73 us)
// - launch: Y: blocks are limited by registers (predicted 31.73 us, occupancy 0.75)
// - predicate: Y: blocks whose tile lies inside test nothing (predicted 31.73 us)
// - map: den: a block walks over each row once, bound by dram (predicted 15.56 us, sectors/request
// 15.12)
// - vectorize: den: elements of one memory access (predicted 15.56 us)
// - reduce: den: blocks that divide one reduction between them (predicted 15.56 us)
// - launch: den: blocks are limited by warps (predicted 15.56 us, occupancy 1)
// - index: den: accesses of a thread under way at once (predicted 15.56 us)
// - map: top: a block walks over each row once, bound by dram (predicted 15.55 us, sectors/request
// 15.55)
// - vectorize: top: elements of one memory access (predicted 15.55 us)
// - reduce: top: blocks that divide one reduction between them (predicted 15.55 us)
// - launch: top: blocks are limited by warps (predicted 15.55 us, occupancy 1)
// - index: top: accesses of a thread under way at once (predicted 15.55 us)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

namespace {

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

__device__ __forceinline__ float inf_f32() { return __int_as_float(0x7f800000); }

// The greater; NaN if either is, and -0 < +0.
__device__ __forceinline__ float max_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  if (a == b) return signbit(a) ? b : a;
  return a > b || a != a ? a : b;
#endif
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

}  // namespace

// top[i] = max<f32>[j in 0..N](X[i, j])
extern "C" __global__ void __launch_bounds__(256)
softmax_top(const float* __restrict__ X, float* top, long long N) {
  float greatest[16];
  float X_i_j[16];
  float X_i_j_2[16];
  __shared__ float greatest_2_warps[8];
#line 11 "examples/softmax.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * 4;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jv = 0; jv < 4; ++jv) {
      greatest[jr * 4 + jv] = -inf_f32();
    }
  }
  const long long j_whole = N - N % 4096;
  for (long long j_first = 0; j_first < j_whole; j_first += 4096) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const vector_of<float, 4> X_i_j0_vector =
          *(const vector_of<float, 4>*)&X[blockIdx.x * N + j_first + j_first_2 + jr * 1024];
      const float X_i_j0 = X_i_j0_vector.at[0];
      const float X_i_j1 = X_i_j0_vector.at[1];
      const float X_i_j2 = X_i_j0_vector.at[2];
      const float X_i_j3 = X_i_j0_vector.at[3];
      X_i_j[jr * 4] = X_i_j0;
      X_i_j[jr * 4 + 1] = X_i_j1;
      X_i_j[jr * 4 + 2] = X_i_j2;
      X_i_j[jr * 4 + 3] = X_i_j3;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < 4; ++jv) {
        greatest[jr * 4 + jv] = max_nan(greatest[jr * 4 + jv], X_i_j[jr * 4 + jv]);
      }
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < 4; ++jv) {
        X_i_j_2[jr * 4 + jv] = j_whole + (j_first_2 + jr * 1024 + jv) < N
            ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 1024 + jv] : 0.0f;
      }
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < 4; ++jv) {
        greatest[jr * 4 + jv] = max_nan(greatest[jr * 4 + jv], j_whole +
            (j_first_2 + jr * 1024 + jv) < N ? X_i_j_2[jr * 4 + jv] : -inf_f32());
      }
    }
  }
  float greatest_2_2 = -inf_f32();
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jr_2 = 0; jr_2 < 4; ++jr_2) {
      greatest_2_2 = max_nan(greatest_2_2, greatest[jr * 4 + jr_2]);
    }
  }
  const float other = __shfl_xor_sync(0xffffffffu, greatest_2_2, 1);
  const float greatest_2_3 = max_nan(greatest_2_2, other);
  const float other_2 = __shfl_xor_sync(0xffffffffu, greatest_2_3, 2);
  const float greatest_2_4 = max_nan(greatest_2_3, other_2);
  const float other_3 = __shfl_xor_sync(0xffffffffu, greatest_2_4, 4);
  const float greatest_2_5 = max_nan(greatest_2_4, other_3);
  const float other_4 = __shfl_xor_sync(0xffffffffu, greatest_2_5, 8);
  const float greatest_2_6 = max_nan(greatest_2_5, other_4);
  const float other_5 = __shfl_xor_sync(0xffffffffu, greatest_2_6, 16);
  const float greatest_2_7 = max_nan(greatest_2_6, other_5);
  if ((threadIdx.x & 31) == 0) {
    greatest_2_warps[(int)(threadIdx.x / 32)] = greatest_2_7;
  }
  __syncthreads();
  float greatest_2_8 = greatest_2_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    greatest_2_8 = max_nan(greatest_2_8, greatest_2_warps[k]);
  }
  const float greatest_2_9 = greatest_2_8;
  if (threadIdx.x == 0) {
    top[blockIdx.x] = greatest_2_9;
  }
}
#line 161 "softmax.cu"

// den[i] = sum<f32>[j in 0..N](exp(X[i, j] - top[i]))
extern "C" __global__ void __launch_bounds__(256)
softmax_den(const float* __restrict__ top, const float* __restrict__ X, float* den, long long N) {
  float sum[16];
  float X_i_j[16];
  float X_i_j_2[16];
  __shared__ float sum_2_warps[8];
#line 12 "examples/softmax.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * 4;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    #pragma unroll 4
    for (int jv = 0; jv < 4; ++jv) {
      sum[jr * 4 + jv] = 0.0f;
    }
  }
  const long long j_whole = N - N % 4096;
  for (long long j_first = 0; j_first < j_whole; j_first += 4096) {
    const float top_i = top[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const vector_of<float, 4> X_i_j0_vector =
          *(const vector_of<float, 4>*)&X[blockIdx.x * N + j_first + j_first_2 + jr * 1024];
      const float X_i_j0 = X_i_j0_vector.at[0];
      const float X_i_j1 = X_i_j0_vector.at[1];
      const float X_i_j2 = X_i_j0_vector.at[2];
      const float X_i_j3 = X_i_j0_vector.at[3];
      X_i_j[jr * 4] = X_i_j0;
      X_i_j[jr * 4 + 1] = X_i_j1;
      X_i_j[jr * 4 + 2] = X_i_j2;
      X_i_j[jr * 4 + 3] = X_i_j3;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < 4; ++jv) {
        sum[jr * 4 + jv] += expf(X_i_j[jr * 4 + jv] - top_i);
      }
    }
  }
  if (j_whole < N) {
    const float top_i = top[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < 4; ++jv) {
        X_i_j_2[jr * 4 + jv] = j_whole + (j_first_2 + jr * 1024 + jv) < N
            ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 1024 + jv] : 0.0f;
      }
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      #pragma unroll 4
      for (int jv = 0; jv < 4; ++jv) {
        sum[jr * 4 + jv] += j_whole + (j_first_2 + jr * 1024 + jv) < N
            ? expf(X_i_j_2[jr * 4 + jv] - top_i) : 0.0f;
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
    den[blockIdx.x] = sum_2_9;
  }
}
#line 254 "softmax.cu"

// Y[i, j] = exp(X[i, j] - top[i]) / den[i]
extern "C" __global__ void __launch_bounds__(256)
softmax_Y(const float* __restrict__ X, const float* __restrict__ top, const float* __restrict__ den,
    float* __restrict__ Y, long long M, long long N) {
  float X_i_j[4];
  float X_i_j_2[4];
#line 13 "examples/softmax.cdsl"
  const long long tiles = (max(N, 0LL) + 127) / 128;
  const long long rest = int_div((long long)blockIdx.x, tiles);
  const long long j_block = int_rem((long long)blockIdx.x, tiles) * 128;
  const long long i_block = rest * 8;
  const int j_first = (int)(threadIdx.x & 31) * 4;
  if (i_block + 8 <= M && j_block + 128 <= N) {
    const vector_of<float, 4> X_i_j0_vector =
        *(const vector_of<float, 4>*)&X[(i_block + (threadIdx.x / 32)) * N + j_block + j_first];
    const float X_i_j0 = X_i_j0_vector.at[0];
    const float X_i_j1 = X_i_j0_vector.at[1];
    const float X_i_j2 = X_i_j0_vector.at[2];
    const float X_i_j3 = X_i_j0_vector.at[3];
    X_i_j[0] = X_i_j0;
    X_i_j[1] = X_i_j1;
    X_i_j[2] = X_i_j2;
    X_i_j[3] = X_i_j3;
    const float top_i = top[i_block + (threadIdx.x / 32)];
    const float den_i = den[i_block + (threadIdx.x / 32)];
    *(vector_of<float, 4>*)&Y[(i_block + (threadIdx.x / 32)) * N + j_block + j_first] =
        vector_of<float, 4>{{expf(X_i_j[0] - top_i) / den_i, expf(X_i_j[1] - top_i) / den_i,
        expf(X_i_j[2] - top_i) / den_i, expf(X_i_j[3] - top_i) / den_i}};
  } else {
    if (i_block + (threadIdx.x / 32) < M && j_block + j_first < N) {
      const vector_of<float, 4> X_i_j0_vector =
          *(const vector_of<float, 4>*)&X[(i_block + (threadIdx.x / 32)) * N + j_block + j_first];
      const float X_i_j0 = X_i_j0_vector.at[0];
      const float X_i_j1 = X_i_j0_vector.at[1];
      const float X_i_j2 = X_i_j0_vector.at[2];
      const float X_i_j3 = X_i_j0_vector.at[3];
      X_i_j_2[0] = X_i_j0;
      X_i_j_2[1] = X_i_j1;
      X_i_j_2[2] = X_i_j2;
      X_i_j_2[3] = X_i_j3;
    } else {
      X_i_j_2[0] = 0.0f;
      X_i_j_2[1] = 0.0f;
      X_i_j_2[2] = 0.0f;
      X_i_j_2[3] = 0.0f;
    }
    const float top_i = i_block + (threadIdx.x / 32) < M ? top[i_block + (threadIdx.x / 32)] : 0.0f;
    const float den_i = i_block + (threadIdx.x / 32) < M ? den[i_block + (threadIdx.x / 32)] : 0.0f;
    if (j_block + j_first < N && i_block + (threadIdx.x / 32) < M) {
      *(vector_of<float, 4>*)&Y[(i_block + (threadIdx.x / 32)) * N + j_block + j_first] =
          vector_of<float, 4>{{expf(X_i_j_2[0] - top_i) / den_i, expf(X_i_j_2[1] - top_i) / den_i,
          expf(X_i_j_2[2] - top_i) / den_i, expf(X_i_j_2[3] - top_i) / den_i}};
    }
  }
}
#line 311 "softmax.cu"

// top[i] = max<f32>[j in 0..N](X[i, j])
extern "C" __global__ void __launch_bounds__(256)
softmax_top_general(const float* __restrict__ X, float* top, long long N) {
  float greatest[4];
  float X_i_j[4];
  float X_i_j_2[4];
  __shared__ float greatest_2_warps[8];
#line 11 "examples/softmax.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    greatest[jr] = -inf_f32();
  }
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_2 + jr * 256];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      greatest[jr] = max_nan(greatest[jr], X_i_j[jr]);
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_2[jr] = j_whole + (j_first_2 + jr * 256) < N
          ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 256] : 0.0f;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      greatest[jr] = max_nan(greatest[jr], j_whole + (j_first_2 + jr * 256) < N ? X_i_j_2[jr]
          : -inf_f32());
    }
  }
  float greatest_2_2 = -inf_f32();
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    greatest_2_2 = max_nan(greatest_2_2, greatest[jr]);
  }
  const float other = __shfl_xor_sync(0xffffffffu, greatest_2_2, 1);
  const float greatest_2_3 = max_nan(greatest_2_2, other);
  const float other_2 = __shfl_xor_sync(0xffffffffu, greatest_2_3, 2);
  const float greatest_2_4 = max_nan(greatest_2_3, other_2);
  const float other_3 = __shfl_xor_sync(0xffffffffu, greatest_2_4, 4);
  const float greatest_2_5 = max_nan(greatest_2_4, other_3);
  const float other_4 = __shfl_xor_sync(0xffffffffu, greatest_2_5, 8);
  const float greatest_2_6 = max_nan(greatest_2_5, other_4);
  const float other_5 = __shfl_xor_sync(0xffffffffu, greatest_2_6, 16);
  const float greatest_2_7 = max_nan(greatest_2_6, other_5);
  if ((threadIdx.x & 31) == 0) {
    greatest_2_warps[(int)(threadIdx.x / 32)] = greatest_2_7;
  }
  __syncthreads();
  float greatest_2_8 = greatest_2_warps[0];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    greatest_2_8 = max_nan(greatest_2_8, greatest_2_warps[k]);
  }
  const float greatest_2_9 = greatest_2_8;
  if (threadIdx.x == 0) {
    top[blockIdx.x] = greatest_2_9;
  }
}
#line 378 "softmax.cu"

// den[i] = sum<f32>[j in 0..N](exp(X[i, j] - top[i]))
extern "C" __global__ void __launch_bounds__(256)
softmax_den_general(const float* __restrict__ top, const float* __restrict__ X, float* den,
    long long N) {
  float sum[4];
  float X_i_j[4];
  float X_i_j_2[4];
  __shared__ float sum_2_warps[8];
#line 12 "examples/softmax.cdsl"
  const int j_first_2 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum[jr] = 0.0f;
  }
  const long long j_whole = N - N % 1024;
  for (long long j_first = 0; j_first < j_whole; j_first += 1024) {
    const float top_i = top[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j[jr] = X[blockIdx.x * N + j_first + j_first_2 + jr * 256];
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += expf(X_i_j[jr] - top_i);
    }
  }
  if (j_whole < N) {
    const float top_i = top[blockIdx.x];
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      X_i_j_2[jr] = j_whole + (j_first_2 + jr * 256) < N
          ? X[blockIdx.x * N + j_whole + j_first_2 + jr * 256] : 0.0f;
    }
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      sum[jr] += j_whole + (j_first_2 + jr * 256) < N ? expf(X_i_j_2[jr] - top_i) : 0.0f;
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
    den[blockIdx.x] = sum_2_9;
  }
}
#line 447 "softmax.cu"

// Y[i, j] = exp(X[i, j] - top[i]) / den[i]
extern "C" __global__ void __launch_bounds__(512)
softmax_Y_general(const float* __restrict__ X, const float* __restrict__ top,
    const float* __restrict__ den, float* __restrict__ Y, long long M, long long N) {
#line 13 "examples/softmax.cdsl"
  const long long tiles = (max(N, 0LL) + 31) / 32;
  const long long rest = int_div((long long)blockIdx.x, tiles);
  const long long j_block = int_rem((long long)blockIdx.x, tiles) * 32;
  const long long i_block = rest * 16;
  if (i_block + 16 <= M && j_block + 32 <= N) {
    const float X_i_j = X[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)];
    const float top_i = top[i_block + (threadIdx.x / 32)];
    const float den_i = den[i_block + (threadIdx.x / 32)];
    Y[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)] = expf(X_i_j - top_i) /
        den_i;
  } else {
    const float X_i_j = i_block + (threadIdx.x / 32) < M && j_block + (threadIdx.x & 31) < N
        ? X[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)] : 0.0f;
    const float top_i = i_block + (threadIdx.x / 32) < M ? top[i_block + (threadIdx.x / 32)] : 0.0f;
    const float den_i = i_block + (threadIdx.x / 32) < M ? den[i_block + (threadIdx.x / 32)] : 0.0f;
    if (j_block + (threadIdx.x & 31) < N && i_block + (threadIdx.x / 32) < M) {
      Y[(i_block + (threadIdx.x / 32)) * N + j_block + (threadIdx.x & 31)] = expf(X_i_j - top_i) /
          den_i;
    }
  }
}
#line 475 "softmax.cu"

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

// Arguments of one call of softmax. Pointers are to device memory.
struct softmax_args {
  const float* X;  // f32[M, N]
  float* Y;        // f32[M, N], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long softmax_workspace_bytes(const softmax_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.M * 4);  // top
  bytes += aligned_256(args.M * 4);  // den
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has softmax_workspace_bytes bytes, aligned to 256.
cudaError_t launch_softmax(const softmax_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  if (!fits({args.M, 4})) return refuse(why, "top is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"Y", args.Y, args.M * args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && softmax_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (args.N % 4 == 0 && is_aligned(args.X, 16) && is_aligned(args.Y, 16)) {
    // Variant vectors.
    char* unused = static_cast<char*>(workspace);
    auto* const top = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    auto* const den = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      softmax_top<<<blocks, 256, 0, stream>>>(args.X, top, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      softmax_den<<<blocks, 256, 0, stream>>>(top, args.X, den, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((max(args.M, 0LL) + 7) / 8 *
        ((max(args.N, 0LL) + 127) / 128))) {
      softmax_Y<<<blocks, 256, 0, stream>>>(args.X, top, den, args.Y, args.M, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    char* unused = static_cast<char*>(workspace);
    auto* const top = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    auto* const den = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.M * 4);
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      softmax_top_general<<<blocks, 256, 0, stream>>>(args.X, top, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)max(args.M, 0LL)) {
      softmax_den_general<<<blocks, 256, 0, stream>>>(top, args.X, den, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((max(args.M, 0LL) + 15) / 16 *
        ((max(args.N, 0LL) + 31) / 32))) {
      softmax_Y_general<<<blocks, 512, 0, stream>>>(args.X, top, den, args.Y, args.M, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
