// nbody, made by cuoptc for sm_90a from examples/nbody.cdsl:13.
//
//   fn nbody(p: Body[N], soft: f32) -> (acc: Vector[N]) {
//     let dx = p[j].x - p[i].x;
//     let dy = p[j].y - p[i].y;
//     let dz = p[j].z - p[i].z;
//     let r2 = dx * dx + dy * dy + dz * dz + soft * soft;
//     let pull = p[j].m / (r2 * sqrt(r2));
//     acc[i] = Vector(x: sum[j](pull * dx), y: sum[j](pull * dy), z: sum[j](pull * dz));
//   }
//
// Decisions:
// - simplify: nbody: declined: no exact rule applies
// - layout: p: declined: the caller laid the records out; 4 of 4 fields are used (sectors/request
// 1, sectors/warp 0.5, predicted 1.3476e+08 us)
// - layout: acc: declined: the caller laid the records out; 3 of 3 fields are used (sectors/request
// 12, sectors/warp 12, predicted 88.45 us)
// - recognize: acc: all pairs: each i of p meets every j, which is reduced (FLOP/byte 2.7e+07)
// - map: acc: lanes along i, bound by latency (predicted 4.99427e+08 us, sectors/request 1)
// - vectorize: acc: elements of one memory access (predicted 4.99427e+08 us)
// - reduce: acc: blocks that divide one reduction between them (predicted 4.99427e+08 us)
// - launch: acc: blocks are limited by registers (predicted 4.99427e+08 us, occupancy 0.56)
// - predicate: acc: blocks whose tile lies inside test nothing (predicted 4.99427e+08 us)
// - records: nbody_acc: fields of one record that lie side by side move in one access (fields 12,
// accesses 3)
// - index: nbody: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 9, in
// 64 bits 0)

struct Body {
  float x;
  float y;
  float z;
  float m;
};
static_assert(sizeof(Body) == 16, "Body is laid out as C does");

struct Vector {
  float x;
  float y;
  float z;
};
static_assert(sizeof(Vector) == 12, "Vector is laid out as C does");

namespace {

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

}  // namespace

// acc[i].z = sum<f32>[j in 0..N](p.m[j] / (((p.x[j] - p.x[i]) * (p.x[j] - p.x[i]) + (p.y[j] -
// p.y[i]) * (p.y[j] - p.y[i]) + (p.z[j] - p.z[i]) * (p.z[j] - p.z[i]) + soft * soft) * sqrt((p.x[j]
// - p.x[i]) * (p.x[j] - p.x[i]) + (p.y[j] - p.y[i]) * (p.y[j] - p.y[i]) + (p.z[j] - p.z[i]) *
// (p.z[j] - p.z[i]) + soft * soft)) * (p.z[j] - p.z[i]))
extern "C" __global__ void __launch_bounds__(128)
nbody_acc(const Body* __restrict__ p, Vector* __restrict__ acc, int N, float soft) {
  constexpr int tile_i = 128;
#line 19 "examples/nbody.cdsl"
  const int i_block = (int)blockIdx.x * tile_i;
  const int i = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  float sum = 0.0f;
  for (int j = 0; j < N; ++j) {
    const vector_of<float, 4> p_x_j_vector = *(const vector_of<float, 4>*)&p[j].x;
    const float p_x_j = p_x_j_vector.at[0];
    const float p_y_j = p_x_j_vector.at[1];
    const float p_z_j = p_x_j_vector.at[2];
    const float p_m_j = p_x_j_vector.at[3];
    const float p_x_i = i_block + i < N ? p[i_block + i].x : 0.0f;
    const float p_y_i = i_block + i < N ? p[i_block + i].y : 0.0f;
    const float p_z_i = i_block + i < N ? p[i_block + i].z : 0.0f;
    const float t = (p_x_j - p_x_i) * (p_x_j - p_x_i) + (p_y_j - p_y_i) * (p_y_j - p_y_i) +
        (p_z_j - p_z_i) * (p_z_j - p_z_i) + soft * soft;
    const float t_2 = p_m_j / (t * sqrtf(t));
    sum += t_2 * (p_x_j - p_x_i);
  }
  float sum_2 = 0.0f;
  for (int j_2 = 0; j_2 < N; ++j_2) {
    const vector_of<float, 4> p_x_j_vector = *(const vector_of<float, 4>*)&p[j_2].x;
    const float p_x_j = p_x_j_vector.at[0];
    const float p_y_j = p_x_j_vector.at[1];
    const float p_z_j = p_x_j_vector.at[2];
    const float p_m_j = p_x_j_vector.at[3];
    const float p_x_i = i_block + i < N ? p[i_block + i].x : 0.0f;
    const float p_y_i = i_block + i < N ? p[i_block + i].y : 0.0f;
    const float p_z_i = i_block + i < N ? p[i_block + i].z : 0.0f;
    const float t = (p_x_j - p_x_i) * (p_x_j - p_x_i) + (p_y_j - p_y_i) * (p_y_j - p_y_i) +
        (p_z_j - p_z_i) * (p_z_j - p_z_i) + soft * soft;
    const float t_2 = p_m_j / (t * sqrtf(t));
    sum_2 += t_2 * (p_y_j - p_y_i);
  }
  float sum_3 = 0.0f;
  for (int j_3 = 0; j_3 < N; ++j_3) {
    const vector_of<float, 4> p_x_j_vector = *(const vector_of<float, 4>*)&p[j_3].x;
    const float p_x_j = p_x_j_vector.at[0];
    const float p_y_j = p_x_j_vector.at[1];
    const float p_z_j = p_x_j_vector.at[2];
    const float p_m_j = p_x_j_vector.at[3];
    const float p_x_i = i_block + i < N ? p[i_block + i].x : 0.0f;
    const float p_y_i = i_block + i < N ? p[i_block + i].y : 0.0f;
    const float p_z_i = i_block + i < N ? p[i_block + i].z : 0.0f;
    const float t = (p_x_j - p_x_i) * (p_x_j - p_x_i) + (p_y_j - p_y_i) * (p_y_j - p_y_i) +
        (p_z_j - p_z_i) * (p_z_j - p_z_i) + soft * soft;
    const float t_2 = p_m_j / (t * sqrtf(t));
    sum_3 += t_2 * (p_z_j - p_z_i);
  }
  if (i_block + i < N) {
    acc[i_block + i].x = sum;
  }
  if (i_block + i < N) {
    acc[i_block + i].y = sum_2;
  }
  if (i_block + i < N) {
    acc[i_block + i].z = sum_3;
  }
}
#line 120 "nbody.cu"

// acc[i].z = sum<f32>[j in 0..N](p.m[j] / (((p.x[j] - p.x[i]) * (p.x[j] - p.x[i]) + (p.y[j] -
// p.y[i]) * (p.y[j] - p.y[i]) + (p.z[j] - p.z[i]) * (p.z[j] - p.z[i]) + soft * soft) * sqrt((p.x[j]
// - p.x[i]) * (p.x[j] - p.x[i]) + (p.y[j] - p.y[i]) * (p.y[j] - p.y[i]) + (p.z[j] - p.z[i]) *
// (p.z[j] - p.z[i]) + soft * soft)) * (p.z[j] - p.z[i]))
extern "C" __global__ void __launch_bounds__(256)
nbody_acc_general(const Body* __restrict__ p, Vector* acc, long long N, float soft) {
  constexpr int tile_i = 32;
  constexpr int step_j = 8;
  float sum[4];
  float p_x_j[4];
  float p_y_j[4];
  float p_z_j[4];
  float p_m_j[4];
  float p_x_j_2[4];
  float p_y_j_2[4];
  float p_z_j_2[4];
  float p_m_j_2[4];
  float sum_3[4];
  float p_x_j_3[4];
  float p_y_j_3[4];
  float p_z_j_3[4];
  float p_m_j_3[4];
  float p_x_j_4[4];
  float p_y_j_4[4];
  float p_z_j_4[4];
  float p_m_j_4[4];
  float sum_4[4];
  float p_x_j_5[4];
  float p_y_j_5[4];
  float p_z_j_5[4];
  float p_m_j_5[4];
  float p_x_j_6[4];
  float p_y_j_6[4];
  float p_z_j_6[4];
  float p_m_j_6[4];
  __shared__ float sum_2_warps[256];
  __shared__ float sum_3_0_warps[256];
  __shared__ float sum_4_0_warps[256];
#line 19 "examples/nbody.cdsl"
  const long long i_block = (long long)blockIdx.x * tile_i;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum[jr] = 0.0f;
  }
  const long long j_whole = N - N % 32;
  for (long long j_first = 0; j_first < j_whole; j_first += 32) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_m_j[jr] = p[j_first + (int)(threadIdx.x / 32) + jr * step_j].m;
      p_x_j[jr] = p[j_first + (int)(threadIdx.x / 32) + jr * step_j].x;
    }
    const float p_x_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].x : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_y_j[jr] = p[j_first + (int)(threadIdx.x / 32) + jr * step_j].y;
    }
    const float p_y_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].y : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_z_j[jr] = p[j_first + (int)(threadIdx.x / 32) + jr * step_j].z;
    }
    const float p_z_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].z : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = (p_x_j[jr] - p_x_i) * (p_x_j[jr] - p_x_i) + (p_y_j[jr] - p_y_i) *
          (p_y_j[jr] - p_y_i) + (p_z_j[jr] - p_z_i) * (p_z_j[jr] - p_z_i) + soft * soft;
      const float t_2 = p_m_j[jr] / (t * sqrtf(t));
      sum[jr] += t_2 * (p_x_j[jr] - p_x_i);
    }
  }
  if (j_whole < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_m_j_2[jr] = j_whole + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole + (int)(threadIdx.x / 32) + jr * step_j].m : 0.0f;
      p_x_j_2[jr] = j_whole + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole + (int)(threadIdx.x / 32) + jr * step_j].x : 0.0f;
    }
    const float p_x_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].x : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_y_j_2[jr] = j_whole + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole + (int)(threadIdx.x / 32) + jr * step_j].y : 0.0f;
    }
    const float p_y_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].y : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_z_j_2[jr] = j_whole + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole + (int)(threadIdx.x / 32) + jr * step_j].z : 0.0f;
    }
    const float p_z_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].z : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = (p_x_j_2[jr] - p_x_i) * (p_x_j_2[jr] - p_x_i) + (p_y_j_2[jr] - p_y_i) *
          (p_y_j_2[jr] - p_y_i) + (p_z_j_2[jr] - p_z_i) * (p_z_j_2[jr] - p_z_i) + soft * soft;
      const float t_2 = p_m_j_2[jr] / (t * sqrtf(t));
      sum[jr] += j_whole + ((int)(threadIdx.x / 32) + jr * step_j) < N ? t_2 * (p_x_j_2[jr] - p_x_i)
          : 0.0f;
    }
  }
  float sum_2 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_2 += sum[jr];
  }
  sum_2_warps[(int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31)] = sum_2;
  __syncthreads();
  float sum_2_2 = sum_2_warps[(int)(threadIdx.x & 31)];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_2_2 += sum_2_warps[k * 32 + (int)(threadIdx.x & 31)];
  }
  const float sum_2_3 = sum_2_2;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_3[jr] = 0.0f;
  }
  const long long j_whole_2 = N - N % 32;
  for (long long j_first_2 = 0; j_first_2 < j_whole_2; j_first_2 += 32) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_m_j_3[jr] = p[j_first_2 + (int)(threadIdx.x / 32) + jr * step_j].m;
      p_x_j_3[jr] = p[j_first_2 + (int)(threadIdx.x / 32) + jr * step_j].x;
    }
    const float p_x_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].x : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_y_j_3[jr] = p[j_first_2 + (int)(threadIdx.x / 32) + jr * step_j].y;
    }
    const float p_y_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].y : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_z_j_3[jr] = p[j_first_2 + (int)(threadIdx.x / 32) + jr * step_j].z;
    }
    const float p_z_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].z : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = (p_x_j_3[jr] - p_x_i) * (p_x_j_3[jr] - p_x_i) + (p_y_j_3[jr] - p_y_i) *
          (p_y_j_3[jr] - p_y_i) + (p_z_j_3[jr] - p_z_i) * (p_z_j_3[jr] - p_z_i) + soft * soft;
      const float t_2 = p_m_j_3[jr] / (t * sqrtf(t));
      sum_3[jr] += t_2 * (p_y_j_3[jr] - p_y_i);
    }
  }
  if (j_whole_2 < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_m_j_4[jr] = j_whole_2 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_2 + (int)(threadIdx.x / 32) + jr * step_j].m : 0.0f;
      p_x_j_4[jr] = j_whole_2 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_2 + (int)(threadIdx.x / 32) + jr * step_j].x : 0.0f;
    }
    const float p_x_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].x : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_y_j_4[jr] = j_whole_2 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_2 + (int)(threadIdx.x / 32) + jr * step_j].y : 0.0f;
    }
    const float p_y_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].y : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_z_j_4[jr] = j_whole_2 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_2 + (int)(threadIdx.x / 32) + jr * step_j].z : 0.0f;
    }
    const float p_z_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].z : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = (p_x_j_4[jr] - p_x_i) * (p_x_j_4[jr] - p_x_i) + (p_y_j_4[jr] - p_y_i) *
          (p_y_j_4[jr] - p_y_i) + (p_z_j_4[jr] - p_z_i) * (p_z_j_4[jr] - p_z_i) + soft * soft;
      const float t_2 = p_m_j_4[jr] / (t * sqrtf(t));
      sum_3[jr] += j_whole_2 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? t_2 * (p_y_j_4[jr] - p_y_i) : 0.0f;
    }
  }
  float sum_3_0 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_3_0 += sum_3[jr];
  }
  sum_3_0_warps[(int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31)] = sum_3_0;
  __syncthreads();
  float sum_3_0_2 = sum_3_0_warps[(int)(threadIdx.x & 31)];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_3_0_2 += sum_3_0_warps[k * 32 + (int)(threadIdx.x & 31)];
  }
  const float sum_3_0_3 = sum_3_0_2;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_4[jr] = 0.0f;
  }
  const long long j_whole_3 = N - N % 32;
  for (long long j_first_3 = 0; j_first_3 < j_whole_3; j_first_3 += 32) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_m_j_5[jr] = p[j_first_3 + (int)(threadIdx.x / 32) + jr * step_j].m;
      p_x_j_5[jr] = p[j_first_3 + (int)(threadIdx.x / 32) + jr * step_j].x;
    }
    const float p_x_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].x : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_y_j_5[jr] = p[j_first_3 + (int)(threadIdx.x / 32) + jr * step_j].y;
    }
    const float p_y_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].y : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_z_j_5[jr] = p[j_first_3 + (int)(threadIdx.x / 32) + jr * step_j].z;
    }
    const float p_z_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].z : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = (p_x_j_5[jr] - p_x_i) * (p_x_j_5[jr] - p_x_i) + (p_y_j_5[jr] - p_y_i) *
          (p_y_j_5[jr] - p_y_i) + (p_z_j_5[jr] - p_z_i) * (p_z_j_5[jr] - p_z_i) + soft * soft;
      const float t_2 = p_m_j_5[jr] / (t * sqrtf(t));
      sum_4[jr] += t_2 * (p_z_j_5[jr] - p_z_i);
    }
  }
  if (j_whole_3 < N) {
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_m_j_6[jr] = j_whole_3 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_3 + (int)(threadIdx.x / 32) + jr * step_j].m : 0.0f;
      p_x_j_6[jr] = j_whole_3 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_3 + (int)(threadIdx.x / 32) + jr * step_j].x : 0.0f;
    }
    const float p_x_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].x : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_y_j_6[jr] = j_whole_3 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_3 + (int)(threadIdx.x / 32) + jr * step_j].y : 0.0f;
    }
    const float p_y_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].y : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      p_z_j_6[jr] = j_whole_3 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? p[j_whole_3 + (int)(threadIdx.x / 32) + jr * step_j].z : 0.0f;
    }
    const float p_z_i = i_block + (threadIdx.x & 31) < N ? p[i_block + (threadIdx.x & 31)].z : 0.0f;
    #pragma unroll 4
    for (int jr = 0; jr < 4; ++jr) {
      const float t = (p_x_j_6[jr] - p_x_i) * (p_x_j_6[jr] - p_x_i) + (p_y_j_6[jr] - p_y_i) *
          (p_y_j_6[jr] - p_y_i) + (p_z_j_6[jr] - p_z_i) * (p_z_j_6[jr] - p_z_i) + soft * soft;
      const float t_2 = p_m_j_6[jr] / (t * sqrtf(t));
      sum_4[jr] += j_whole_3 + ((int)(threadIdx.x / 32) + jr * step_j) < N
          ? t_2 * (p_z_j_6[jr] - p_z_i) : 0.0f;
    }
  }
  float sum_4_0 = 0.0f;
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    sum_4_0 += sum_4[jr];
  }
  sum_4_0_warps[(int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31)] = sum_4_0;
  __syncthreads();
  float sum_4_0_2 = sum_4_0_warps[(int)(threadIdx.x & 31)];
  #pragma unroll 8
  for (int k = 1; k < 8; ++k) {
    sum_4_0_2 += sum_4_0_warps[k * 32 + (int)(threadIdx.x & 31)];
  }
  const float sum_4_0_3 = sum_4_0_2;
  if (i_block + (threadIdx.x & 31) < N) {
    if ((threadIdx.x / 32) == 0) {
      acc[i_block + (threadIdx.x & 31)].x = sum_2_3;
    }
  }
  if (i_block + (threadIdx.x & 31) < N) {
    if ((threadIdx.x / 32) == 0) {
      acc[i_block + (threadIdx.x & 31)].y = sum_3_0_3;
    }
  }
  if (i_block + (threadIdx.x & 31) < N) {
    if ((threadIdx.x / 32) == 0) {
      acc[i_block + (threadIdx.x & 31)].z = sum_4_0_3;
    }
  }
}
#line 397 "nbody.cu"

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

// Arguments of one call of nbody. Pointers are to device memory.
struct nbody_args {
  const Body* p;  // Body[N]
  float soft;
  Vector* acc;    // Vector[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long nbody_workspace_bytes(const nbody_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_nbody(const nbody_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 16})) return refuse(why, "p is too large");
  if (!fits({args.N, 12})) return refuse(why, "acc is too large");
  const memory_range ranges[] = {
    {"p", args.p, args.N * 16, 4, false},
    {"acc", args.acc, args.N * 12, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (is_aligned(args.p, 16) && args.N <= 1073741824) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 127) / 128)) {
      nbody_acc<<<blocks, 128, 0, stream>>>(args.p, args.acc, (int)args.N, args.soft);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 31) / 32)) {
      nbody_acc_general<<<blocks, 256, 0, stream>>>(args.p, args.acc, args.N, args.soft);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
