// push, made by cuoptc for sm_90a from examples/particle_push.cdsl:14.
//
//   fn push(p: Particle[N] layout(auto), E: f32, dt: f32) -> (r: Particle[N] layout(auto)) {
//     let vx = p[i].vx + dt * E * p[i].q / p[i].m;
//     r[i] = p[i] with (
//       x: p[i].x + dt * vx,
//       y: p[i].y + dt * p[i].vy,
//       z: p[i].z + dt * p[i].vz,
//       vx: vx);
//   }
//
// Decisions:
// - simplify: push: declined: no exact rule applies
// - layout: p: soa; 8 of 8 fields are used (sectors/request 4, sectors/warp 32, predicted 115.29
// us)
// - layout: r: soa; 8 of 8 fields are used (sectors/request 4, sectors/warp 32, predicted 130.67
// us)
// - recognize: r: pointwise: over i, +, *, / (FLOP/byte 0.156)
// - map: r: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by l2 (predicted 88.45 us, sectors/request 16)
// - vectorize: r: elements of one memory access (predicted 88.45 us)
// - launch: r: blocks are limited by registers (predicted 88.45 us, occupancy 0.5)
// - index: r: accesses of a thread under way at once (predicted 88.45 us)
// - predicate: r: blocks whose tile lies inside test nothing (predicted 88.45 us)
// - index: push: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 67, in
// 64 bits 0)

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

// r[i].q = p.q[i]
extern "C" __global__ void __launch_bounds__(256)
push_r(const float* __restrict__ p_vx, const float* __restrict__ p_q, const float* __restrict__ p_m,
    const float* __restrict__ p_vy, const float* __restrict__ p_vz, const float* __restrict__ p_x,
    float* __restrict__ r_x, const float* __restrict__ p_y, float* __restrict__ r_y,
    const float* __restrict__ p_z, float* __restrict__ r_z, float* __restrict__ r_vx,
    float* __restrict__ r_vy, float* __restrict__ r_vz, float* __restrict__ r_m,
    float* __restrict__ r_q, int N, float dt, float E) {
  constexpr int tile_i = 1024;
  constexpr int vector_i = 4;
  float p_vx_i[4];
  float p_q_i[4];
  float p_m_i[4];
  float p_x_i[4];
  float t[4];
  float p_y_i[4];
  float p_vy_i[4];
  float p_z_i[4];
  float p_vz_i[4];
  float p_vx_i_2[4];
  float p_q_i_2[4];
  float p_m_i_2[4];
  float r_x_out[4];
  float r_y_out[4];
  float r_z_out[4];
#line 16 "examples/particle_push.cdsl"
  const int i_block = (int)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_i;
  if (i_block + tile_i <= N) {
    load_vector<vector_i>(&p_vx_i[0], &p_vx[i_block + i_first]);
    load_vector<vector_i>(&p_q_i[0], &p_q[i_block + i_first]);
    load_vector<vector_i>(&p_m_i[0], &p_m[i_block + i_first]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      t[iv] = p_vx_i[iv] + dt * E * p_q_i[iv] / p_m_i[iv];
    }
    load_vector<vector_i>(&p_vy_i[0], &p_vy[i_block + i_first]);
    load_vector<vector_i>(&p_vz_i[0], &p_vz[i_block + i_first]);
    load_vector<vector_i>(&p_x_i[0], &p_x[i_block + i_first]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      r_x_out[iv] = p_x_i[iv] + dt * t[iv];
    }
    store_vector<vector_i>(&r_x[i_block + i_first], &r_x_out[0]);
    load_vector<vector_i>(&p_y_i[0], &p_y[i_block + i_first]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      r_y_out[iv] = p_y_i[iv] + dt * p_vy_i[iv];
    }
    store_vector<vector_i>(&r_y[i_block + i_first], &r_y_out[0]);
    load_vector<vector_i>(&p_z_i[0], &p_z[i_block + i_first]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      r_z_out[iv] = p_z_i[iv] + dt * p_vz_i[iv];
    }
    store_vector<vector_i>(&r_z[i_block + i_first], &r_z_out[0]);
    store_vector<vector_i>(&r_vx[i_block + i_first], &t[0]);
    store_vector<vector_i>(&r_vy[i_block + i_first], &p_vy_i[0]);
    store_vector<vector_i>(&r_vz[i_block + i_first], &p_vz_i[0]);
    store_vector<vector_i>(&r_m[i_block + i_first], &p_m_i[0]);
    store_vector<vector_i>(&r_q[i_block + i_first], &p_q_i[0]);
  } else {
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      p_vx_i_2[iv] = i_block + (i_first + iv) < N ? p_vx[i_block + i_first + iv] : 0.0f;
      p_q_i_2[iv] = i_block + (i_first + iv) < N ? p_q[i_block + i_first + iv] : 0.0f;
      p_m_i_2[iv] = i_block + (i_first + iv) < N ? p_m[i_block + i_first + iv] : 0.0f;
    }
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      const float t_2 = p_vx_i_2[iv] + dt * E * p_q_i_2[iv] / p_m_i_2[iv];
      const float p_vy_i_2 = i_block + (i_first + iv) < N ? p_vy[i_block + i_first + iv] : 0.0f;
      const float p_vz_i_2 = i_block + (i_first + iv) < N ? p_vz[i_block + i_first + iv] : 0.0f;
      const float p_x_i_2 = i_block + (i_first + iv) < N ? p_x[i_block + i_first + iv] : 0.0f;
      if (i_block + (i_first + iv) < N) {
        r_x[i_block + i_first + iv] = p_x_i_2 + dt * t_2;
      }
      const float p_y_i_2 = i_block + (i_first + iv) < N ? p_y[i_block + i_first + iv] : 0.0f;
      if (i_block + (i_first + iv) < N) {
        r_y[i_block + i_first + iv] = p_y_i_2 + dt * p_vy_i_2;
      }
      const float p_z_i_2 = i_block + (i_first + iv) < N ? p_z[i_block + i_first + iv] : 0.0f;
      if (i_block + (i_first + iv) < N) {
        r_z[i_block + i_first + iv] = p_z_i_2 + dt * p_vz_i_2;
      }
      if (i_block + (i_first + iv) < N) {
        r_vx[i_block + i_first + iv] = t_2;
      }
      if (i_block + (i_first + iv) < N) {
        r_vy[i_block + i_first + iv] = p_vy_i_2;
      }
      if (i_block + (i_first + iv) < N) {
        r_vz[i_block + i_first + iv] = p_vz_i_2;
      }
      if (i_block + (i_first + iv) < N) {
        r_m[i_block + i_first + iv] = p_m_i_2[iv];
      }
      if (i_block + (i_first + iv) < N) {
        r_q[i_block + i_first + iv] = p_q_i_2[iv];
      }
    }
  }
}
#line 159 "push.cu"

// r[i].q = p.q[i]
extern "C" __global__ void __launch_bounds__(256)
push_r_general(const float* __restrict__ p_vx, const float* __restrict__ p_q,
    const float* __restrict__ p_m, const float* __restrict__ p_vy, const float* __restrict__ p_vz,
    const float* __restrict__ p_x, float* __restrict__ r_x, const float* __restrict__ p_y,
    float* __restrict__ r_y, const float* __restrict__ p_z, float* __restrict__ r_z,
    float* __restrict__ r_vx, float* __restrict__ r_vy, float* __restrict__ r_vz,
    float* __restrict__ r_m, float* __restrict__ r_q, long long N, float dt, float E) {
  constexpr int tile_i = 512;
  constexpr int step_i = 256;
  float p_vx_i[2];
  float p_q_i[2];
  float p_m_i[2];
  float p_vx_i_2[2];
  float p_q_i_2[2];
  float p_m_i_2[2];
#line 16 "examples/particle_push.cdsl"
  const long long i_block = (long long)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (i_block + tile_i <= N) {
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      p_vx_i[ir] = p_vx[i_block + i_first + ir * step_i];
      p_q_i[ir] = p_q[i_block + i_first + ir * step_i];
      p_m_i[ir] = p_m[i_block + i_first + ir * step_i];
    }
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      const float t = p_vx_i[ir] + dt * E * p_q_i[ir] / p_m_i[ir];
      const float p_vy_i = p_vy[i_block + i_first + ir * step_i];
      const float p_vz_i = p_vz[i_block + i_first + ir * step_i];
      const float p_x_i = p_x[i_block + i_first + ir * step_i];
      r_x[i_block + i_first + ir * step_i] = p_x_i + dt * t;
      const float p_y_i = p_y[i_block + i_first + ir * step_i];
      r_y[i_block + i_first + ir * step_i] = p_y_i + dt * p_vy_i;
      const float p_z_i = p_z[i_block + i_first + ir * step_i];
      r_z[i_block + i_first + ir * step_i] = p_z_i + dt * p_vz_i;
      r_vx[i_block + i_first + ir * step_i] = t;
      r_vy[i_block + i_first + ir * step_i] = p_vy_i;
      r_vz[i_block + i_first + ir * step_i] = p_vz_i;
      r_m[i_block + i_first + ir * step_i] = p_m_i[ir];
      r_q[i_block + i_first + ir * step_i] = p_q_i[ir];
    }
  } else {
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      p_vx_i_2[ir] = i_block + (i_first + ir * step_i) < N ? p_vx[i_block + i_first + ir * step_i]
          : 0.0f;
      p_q_i_2[ir] = i_block + (i_first + ir * step_i) < N ? p_q[i_block + i_first + ir * step_i]
          : 0.0f;
      p_m_i_2[ir] = i_block + (i_first + ir * step_i) < N ? p_m[i_block + i_first + ir * step_i]
          : 0.0f;
    }
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      const float t = p_vx_i_2[ir] + dt * E * p_q_i_2[ir] / p_m_i_2[ir];
      const float p_vy_i = i_block + (i_first + ir * step_i) < N
          ? p_vy[i_block + i_first + ir * step_i] : 0.0f;
      const float p_vz_i = i_block + (i_first + ir * step_i) < N
          ? p_vz[i_block + i_first + ir * step_i] : 0.0f;
      const float p_x_i = i_block + (i_first + ir * step_i) < N
          ? p_x[i_block + i_first + ir * step_i] : 0.0f;
      if (i_block + (i_first + ir * step_i) < N) {
        r_x[i_block + i_first + ir * step_i] = p_x_i + dt * t;
      }
      const float p_y_i = i_block + (i_first + ir * step_i) < N
          ? p_y[i_block + i_first + ir * step_i] : 0.0f;
      if (i_block + (i_first + ir * step_i) < N) {
        r_y[i_block + i_first + ir * step_i] = p_y_i + dt * p_vy_i;
      }
      const float p_z_i = i_block + (i_first + ir * step_i) < N
          ? p_z[i_block + i_first + ir * step_i] : 0.0f;
      if (i_block + (i_first + ir * step_i) < N) {
        r_z[i_block + i_first + ir * step_i] = p_z_i + dt * p_vz_i;
      }
      if (i_block + (i_first + ir * step_i) < N) {
        r_vx[i_block + i_first + ir * step_i] = t;
      }
      if (i_block + (i_first + ir * step_i) < N) {
        r_vy[i_block + i_first + ir * step_i] = p_vy_i;
      }
      if (i_block + (i_first + ir * step_i) < N) {
        r_vz[i_block + i_first + ir * step_i] = p_vz_i;
      }
      if (i_block + (i_first + ir * step_i) < N) {
        r_m[i_block + i_first + ir * step_i] = p_m_i_2[ir];
      }
      if (i_block + (i_first + ir * step_i) < N) {
        r_q[i_block + i_first + ir * step_i] = p_q_i_2[ir];
      }
    }
  }
}
#line 254 "push.cu"

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

// Arguments of one call of push. Pointers are to device memory.
struct push_args {
  const float* p_x;   // float[N]
  const float* p_y;   // float[N]
  const float* p_z;   // float[N]
  const float* p_vx;  // float[N]
  const float* p_vy;  // float[N]
  const float* p_vz;  // float[N]
  const float* p_m;   // float[N]
  const float* p_q;   // float[N]
  float E;
  float dt;
  float* r_x;         // float[N], written
  float* r_y;         // float[N], written
  float* r_z;         // float[N], written
  float* r_vx;        // float[N], written
  float* r_vy;        // float[N], written
  float* r_vz;        // float[N], written
  float* r_m;         // float[N], written
  float* r_q;         // float[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long push_workspace_bytes(const push_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_push(const push_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "p is too large");
  const memory_range ranges[] = {
    {"p_x", args.p_x, args.N * 4, 4, false},
    {"p_y", args.p_y, args.N * 4, 4, false},
    {"p_z", args.p_z, args.N * 4, 4, false},
    {"p_vx", args.p_vx, args.N * 4, 4, false},
    {"p_vy", args.p_vy, args.N * 4, 4, false},
    {"p_vz", args.p_vz, args.N * 4, 4, false},
    {"p_m", args.p_m, args.N * 4, 4, false},
    {"p_q", args.p_q, args.N * 4, 4, false},
    {"r_x", args.r_x, args.N * 4, 4, true},
    {"r_y", args.r_y, args.N * 4, 4, true},
    {"r_z", args.r_z, args.N * 4, 4, true},
    {"r_vx", args.r_vx, args.N * 4, 4, true},
    {"r_vy", args.r_vy, args.N * 4, 4, true},
    {"r_vz", args.r_vz, args.N * 4, 4, true},
    {"r_m", args.r_m, args.N * 4, 4, true},
    {"r_q", args.r_q, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (is_aligned(args.p_x, 16) && is_aligned(args.p_y, 16) && is_aligned(args.p_z, 16) &&
      is_aligned(args.p_vx, 16) && is_aligned(args.p_vy, 16) && is_aligned(args.p_vz, 16) &&
      is_aligned(args.p_m, 16) && is_aligned(args.p_q, 16) && is_aligned(args.r_x, 16) &&
      is_aligned(args.r_y, 16) && is_aligned(args.r_z, 16) && is_aligned(args.r_vx, 16) &&
      is_aligned(args.r_vy, 16) && is_aligned(args.r_vz, 16) && is_aligned(args.r_m, 16) &&
      is_aligned(args.r_q, 16) && args.N <= 1073741824) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 1023) / 1024)) {
      push_r<<<blocks, 256, 0, stream>>>(args.p_vx, args.p_q, args.p_m, args.p_vy, args.p_vz,
          args.p_x, args.r_x, args.p_y, args.r_y, args.p_z, args.r_z, args.r_vx, args.r_vy,
          args.r_vz, args.r_m, args.r_q, (int)args.N, args.dt, args.E);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 511) / 512)) {
      push_r_general<<<blocks, 256, 0, stream>>>(args.p_vx, args.p_q, args.p_m, args.p_vy,
          args.p_vz, args.p_x, args.r_x, args.p_y, args.r_y, args.p_z, args.r_z, args.r_vx,
          args.r_vy, args.r_vz, args.r_m, args.r_q, args.N, args.dt, args.E);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
