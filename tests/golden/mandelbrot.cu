// mandelbrot, made by cuoptc for sm_90a from examples/mandelbrot.cdsl:10.
//
//   fn mandelbrot<H: size, W: size>(steps: i32) -> (n: i32[H, W]) {
//     c[i in 0..H, j in 0..W] = cplx(f32(j) / W * 3 - 2.25, f32(i) / H * 2.5 - 1.25);
//     repeat t in 0..steps from z = c, n[i, j] = 0 {
//       let inside = z[i, j].re * z[i, j].re + z[i, j].im * z[i, j].im <= 4;
//       n[i, j] = if inside { n[i, j] + 1 } else { n[i, j] };
//       z[i, j] = if inside { z[i, j] * z[i, j] + c[i, j] } else { z[i, j] };
//     }
//   }
//
// Decisions:
// - simplify: mandelbrot: declined: no exact rule applies
// - recognize: c: pointwise: over i, j, cplx (FLOP/byte 0.75)
// - recognize: z: pointwise: over i0, i1
// - recognize: n: pointwise: over i, j
// - recognize: z: iteration: steps of t, states z, n
// - recognize: n: pointwise: over i, j, select, im, re (FLOP/byte 0.25)
// - recognize: z: pointwise: over i, j, select, im, re; fused with n (FLOP/byte 0.688)
// - fuse: z: one kernel, whose intermediates are never stored (statements 2, predicted 1.65758 us)
// - map: z: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by launch (predicted 1.66 us, sectors/request 12.8)
// - vectorize: z: elements of one memory access (predicted 1.66 us)
// - launch: z: blocks are limited by registers (predicted 1.66 us, occupancy 0.75)
// - index: z: accesses of a thread under way at once (predicted 1.66 us)
// - predicate: z: blocks whose tile lies inside test nothing (predicted 1.66 us)
// - predicate: z: both arms are computed, and one of their values is selected (operations of the
// first arm 4, of the second 0, predicted 1.66 us)
// - map: n: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by launch (predicted 1.66 us, sectors/request 16)
// - vectorize: n: elements of one memory access (predicted 1.66 us)
// - launch: n: blocks are limited by warps (predicted 1.66 us, occupancy 1)
// - index: n: accesses of a thread under way at once (predicted 1.66 us)
// - predicate: n: blocks whose tile lies inside test nothing (predicted 1.66 us)
// - map: z: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by launch (predicted 1.66 us, sectors/request 16)
// - vectorize: z: elements of one memory access (predicted 1.66 us)
// - launch: z: blocks are limited by warps (predicted 1.66 us, occupancy 1)
// - index: z: accesses of a thread under way at once (predicted 1.66 us)
// - predicate: z: blocks whose tile lies inside test nothing (predicted 1.66 us)
// - map: c: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by launch (predicted 1.66 us, sectors/request 16)
// - vectorize: c: elements of one memory access (predicted 1.66 us)
// - launch: c: blocks are limited by warps (predicted 1.66 us, occupancy 1)
// - index: c: accesses of a thread under way at once (predicted 1.66 us)
// - predicate: c: blocks whose tile lies inside test nothing (predicted 1.66 us)
// - lower: loop.t: every step has points for many threads, which need each other's elements
// (threads a block 256)
// - index: mandelbrot: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 49, in 64 bits 0)

struct alignas(8) c64 {
  float re, im;
};

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ long long add_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a + (unsigned long long)b);
}

__device__ __forceinline__ long long mul_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a * (unsigned long long)b);
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

__device__ __forceinline__ c64 operator+(c64 a, c64 b) { return {a.re + b.re, a.im + b.im}; }

__device__ __forceinline__ c64 operator*(c64 a, c64 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
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

// c[i, j] = cplx(f32(j) / f32(W) * 3.0 - 2.25, f32(i) / f32(H) * 2.5 - 1.25)
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_c(c64* __restrict__ c, int H, int W) {
  constexpr int tile_point = 512;
  constexpr int vector_point = 2;
  c64 c_out[2];
#line 11 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point_first = (int)(threadIdx.x / 32) * 64 + (int)(threadIdx.x & 31) * vector_point;
  if (point_block + tile_point <= (long long)H * W) {
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      c_out[pointv] = c64{(float)int_rem(point_block + (point_first + pointv), (long long)W) /
          (float)W * 3.0f - 2.25f, (float)int_div(point_block + (point_first + pointv),
          (long long)W) / (float)H * 2.5f - 1.25f};
    }
    store_vector<vector_point>(&c[add_wrap((int)point_block, point_first)], &c_out[0]);
  } else {
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      if (point_block + (point_first + pointv) < (long long)H * W) {
        c[add_wrap((int)point_block, point_first + pointv)] =
            c64{(float)int_rem(point_block + (point_first + pointv), (long long)W) / (float)W *
            3.0f - 2.25f, (float)int_div(point_block + (point_first + pointv), (long long)W) /
            (float)H * 2.5f - 1.25f};
      }
    }
  }
}
#line 147 "mandelbrot.cu"

// z[i0, i1] = c[i0, i1]
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_z(const c64* __restrict__ c, c64* __restrict__ z, int H, int W) {
  constexpr int tile_point = 512;
  constexpr int vector_point = 2;
  c64 c_i0_i1[2];
  c64 c_i0_i1_2[2];
#line 12 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point_first = (int)(threadIdx.x / 32) * 64 + (int)(threadIdx.x & 31) * vector_point;
  if (point_block + tile_point <= (long long)H * W) {
    load_vector<vector_point>(&c_i0_i1[0], &c[add_wrap((int)point_block, point_first)]);
    store_vector<vector_point>(&z[add_wrap((int)point_block, point_first)], &c_i0_i1[0]);
  } else {
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      c_i0_i1_2[pointv] = point_block + (point_first + pointv) < (long long)H * W
          ? c[add_wrap((int)point_block, point_first + pointv)] : c64{0.0f, 0.0f};
    }
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      if (point_block + (point_first + pointv) < (long long)H * W) {
        z[add_wrap((int)point_block, point_first + pointv)] = c_i0_i1_2[pointv];
      }
    }
  }
}
#line 176 "mandelbrot.cu"

// n[i, j] = i32(0)
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_n(int* __restrict__ n, int H, int W) {
  constexpr int tile_point = 1024;
  constexpr int vector_point = 4;
  int n_out[4];
#line 12 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_point;
  if (point_block + tile_point <= (long long)H * W) {
    #pragma unroll 4
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      n_out[pointv] = 0;
    }
    store_vector<vector_point>(&n[add_wrap((int)point_block, point_first)], &n_out[0]);
  } else {
    #pragma unroll 4
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      if (point_block + (point_first + pointv) < (long long)H * W) {
        n[add_wrap((int)point_block, point_first + pointv)] = 0;
      }
    }
  }
}
#line 202 "mandelbrot.cu"

// z[i, j] = (if z[i, j].re * z[i, j].re + z[i, j].im * z[i, j].im <= 4.0 { z[i, j] * z[i, j] + c[i,
// j] } else { z[i, j] })
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_z_2(c64* __restrict__ z, int* __restrict__ n, const c64* c, int H, int W) {
  constexpr int tile_point = 512;
  constexpr int vector_point = 2;
  c64 z_i_j[2];
  bool holds[2];
  int n_i_j[2];
  c64 c_i_j[2];
  bool holds_2[2];
  c64 t_0[2];
  c64 z_i_j_2[2];
  int n_i_j_2[2];
  int n_out[2];
  c64 z_out[2];
#line 15 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point_first = (int)(threadIdx.x / 32) * 64 + (int)(threadIdx.x & 31) * vector_point;
  if (point_block + tile_point <= (long long)H * W) {
#line 14 "examples/mandelbrot.cdsl"
    load_vector<vector_point>(&z_i_j[0], &z[add_wrap((int)point_block, point_first)]);
    load_vector<vector_point>(&n_i_j[0], &n[add_wrap((int)point_block, point_first)]);
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      const float im_of = z_i_j[pointv].im;
      const float re_of = z_i_j[pointv].re;
      holds[pointv] = re_of * re_of + im_of * im_of <= 4.0f;
    }
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      n_out[pointv] = holds[pointv] ? add_wrap(n_i_j[pointv], 1) : n_i_j[pointv];
    }
    store_vector<vector_point>(&n[add_wrap((int)point_block, point_first)], &n_out[0]);
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
#line 15 "examples/mandelbrot.cdsl"
      const float im_of_2 = z_i_j[pointv].im;
      const float re_of_2 = z_i_j[pointv].re;
      holds_2[pointv] = re_of_2 * re_of_2 + im_of_2 * im_of_2 <= 4.0f;
    }
    load_vector<vector_point>(&c_i_j[0], &c[add_wrap((int)point_block, point_first)]);
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      t_0[pointv] = z_i_j[pointv] * z_i_j[pointv] + c_i_j[pointv];
    }
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      z_out[pointv] = holds_2[pointv] ? t_0[pointv] : z_i_j[pointv];
    }
    store_vector<vector_point>(&z[add_wrap((int)point_block, point_first)], &z_out[0]);
  } else {
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
#line 14 "examples/mandelbrot.cdsl"
      z_i_j_2[pointv] = point_block + (point_first + pointv) < (long long)H * W
          ? z[add_wrap((int)point_block, point_first + pointv)] : c64{0.0f, 0.0f};
      n_i_j_2[pointv] = point_block + (point_first + pointv) < (long long)H * W
          ? n[add_wrap((int)point_block, point_first + pointv)] : 0;
    }
#line 15 "examples/mandelbrot.cdsl"
    #pragma unroll 2
    for (int pointv = 0; pointv < vector_point; ++pointv) {
#line 14 "examples/mandelbrot.cdsl"
      const float im_of = z_i_j_2[pointv].im;
      const float re_of = z_i_j_2[pointv].re;
      const bool holds_3 = re_of * re_of + im_of * im_of <= 4.0f;
      if (point_block + (point_first + pointv) < (long long)H * W) {
        n[add_wrap((int)point_block, point_first + pointv)] = holds_3 ? add_wrap(n_i_j_2[pointv], 1)
            : n_i_j_2[pointv];
      }
#line 15 "examples/mandelbrot.cdsl"
      const float im_of_2 = z_i_j_2[pointv].im;
      const float re_of_2 = z_i_j_2[pointv].re;
      const bool holds_2_2 = re_of_2 * re_of_2 + im_of_2 * im_of_2 <= 4.0f;
      const c64 c_i_j_2 = point_block + (point_first + pointv) < (long long)H * W
          ? c[add_wrap((int)point_block, point_first + pointv)] : c64{0.0f, 0.0f};
      const c64 t_1 = z_i_j_2[pointv] * z_i_j_2[pointv] + c_i_j_2;
      if (point_block + (point_first + pointv) < (long long)H * W) {
        z[add_wrap((int)point_block, point_first + pointv)] = holds_2_2 ? t_1 : z_i_j_2[pointv];
      }
    }
  }
}
#line 288 "mandelbrot.cu"

// c[i, j] = cplx(f32(j) / f32(W) * 3.0 - 2.25, f32(i) / f32(H) * 2.5 - 1.25)
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_c_general(c64* __restrict__ c, long long H, long long W) {
  constexpr int tile_point = 256;
#line 11 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (add_wrap(point_block, (long long)tile_point) <= mul_wrap(H, W)) {
    c[point_block + point] = c64{(float)int_rem(add_wrap(point_block, (long long)point), W) /
        (float)W * 3.0f - 2.25f, (float)int_div(add_wrap(point_block, (long long)point), W) /
        (float)H * 2.5f - 1.25f};
  } else if (add_wrap(point_block, (long long)point) < mul_wrap(H, W)) {
    c[point_block + point] = c64{(float)int_rem(add_wrap(point_block, (long long)point), W) /
        (float)W * 3.0f - 2.25f, (float)int_div(add_wrap(point_block, (long long)point), W) /
        (float)H * 2.5f - 1.25f};
  }
}
#line 307 "mandelbrot.cu"

// z[i0, i1] = c[i0, i1]
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_z_general(const c64* __restrict__ c, c64* __restrict__ z, long long H, long long W) {
  constexpr int tile_point = 256;
#line 12 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (add_wrap(point_block, (long long)tile_point) <= mul_wrap(H, W)) {
    const c64 c_i0_i1 = c[point_block + point];
    z[point_block + point] = c_i0_i1;
  } else {
    const c64 c_i0_i1 = add_wrap(point_block, (long long)point) < mul_wrap(H, W)
        ? c[point_block + point] : c64{0.0f, 0.0f};
    if (add_wrap(point_block, (long long)point) < mul_wrap(H, W)) {
      z[point_block + point] = c_i0_i1;
    }
  }
}
#line 327 "mandelbrot.cu"

// n[i, j] = i32(0)
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_n_general(int* __restrict__ n, long long H, long long W) {
  constexpr int tile_point = 256;
#line 12 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (add_wrap(point_block, (long long)tile_point) <= mul_wrap(H, W)) {
    n[point_block + point] = 0;
  } else if (add_wrap(point_block, (long long)point) < mul_wrap(H, W)) {
    n[point_block + point] = 0;
  }
}
#line 342 "mandelbrot.cu"

// z[i, j] = (if z[i, j].re * z[i, j].re + z[i, j].im * z[i, j].im <= 4.0 { z[i, j] * z[i, j] + c[i,
// j] } else { z[i, j] })
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_z_2_general(c64* __restrict__ z, int* __restrict__ n, const c64* c, long long H,
    long long W) {
  constexpr int tile_point = 256;
#line 15 "examples/mandelbrot.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (add_wrap(point_block, (long long)tile_point) <= mul_wrap(H, W)) {
#line 14 "examples/mandelbrot.cdsl"
    const c64 z_i_j = z[point_block + point];
    const int n_i_j = n[point_block + point];
    const float im_of = z_i_j.im;
    const float re_of = z_i_j.re;
    const bool holds = re_of * re_of + im_of * im_of <= 4.0f;
    n[point_block + point] = holds ? add_wrap(n_i_j, 1) : n_i_j;
#line 15 "examples/mandelbrot.cdsl"
    const float im_of_2 = z_i_j.im;
    const float re_of_2 = z_i_j.re;
    const bool holds_2 = re_of_2 * re_of_2 + im_of_2 * im_of_2 <= 4.0f;
    const c64 c_i_j = c[point_block + point];
    const c64 t_0 = z_i_j * z_i_j + c_i_j;
    z[point_block + point] = holds_2 ? t_0 : z_i_j;
  } else {
#line 14 "examples/mandelbrot.cdsl"
    const c64 z_i_j = add_wrap(point_block, (long long)point) < mul_wrap(H, W)
        ? z[point_block + point] : c64{0.0f, 0.0f};
    const int n_i_j = add_wrap(point_block, (long long)point) < mul_wrap(H, W)
        ? n[point_block + point] : 0;
    const float im_of = z_i_j.im;
    const float re_of = z_i_j.re;
    const bool holds = re_of * re_of + im_of * im_of <= 4.0f;
    if (add_wrap(point_block, (long long)point) < mul_wrap(H, W)) {
      n[point_block + point] = holds ? add_wrap(n_i_j, 1) : n_i_j;
    }
#line 15 "examples/mandelbrot.cdsl"
    const float im_of_2 = z_i_j.im;
    const float re_of_2 = z_i_j.re;
    const bool holds_2 = re_of_2 * re_of_2 + im_of_2 * im_of_2 <= 4.0f;
    const c64 c_i_j = add_wrap(point_block, (long long)point) < mul_wrap(H, W)
        ? c[point_block + point] : c64{0.0f, 0.0f};
    const c64 t_1 = z_i_j * z_i_j + c_i_j;
    if (add_wrap(point_block, (long long)point) < mul_wrap(H, W)) {
      z[point_block + point] = holds_2 ? t_1 : z_i_j;
    }
  }
}
#line 392 "mandelbrot.cu"

#ifndef __CUDACC_RTC__
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace {

// The quotient rounded down, for b > 0.
inline long long floordiv_positive(long long a, long long b) { return a / b - (a % b < 0); }

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

// Arguments of one call of mandelbrot. Pointers are to device memory.
struct mandelbrot_args {
  int steps;
  int* n;       // i32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long mandelbrot_workspace_bytes(const mandelbrot_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.H * args.W * 8);  // c
  bytes += aligned_256(args.H * args.W * 8);  // z
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has mandelbrot_workspace_bytes bytes, aligned to 256.
cudaError_t launch_mandelbrot(const mandelbrot_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "n is too large");
  if (!fits({args.H, args.W, 8})) return refuse(why, "c is too large");
  const memory_range ranges[] = {
    {"n", args.n, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && mandelbrot_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (is_aligned(args.n, 16) && args.H <= 1073741824 && args.W <= 1073741824 &&
      args.H * args.W * 8 <= 17179869176LL && args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    char* unused = static_cast<char*>(workspace);
    auto* const c = reinterpret_cast<c64*>(unused);
    unused += aligned_256(args.H * args.W * 8);
    auto* const z = reinterpret_cast<c64*>(unused);
    unused += aligned_256(args.H * args.W * 8);
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) + 511,
        512LL)) {
      mandelbrot_c<<<blocks, 256, 0, stream>>>(c, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) + 511,
        512LL)) {
      mandelbrot_z<<<blocks, 256, 0, stream>>>(c, z, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) +
        1023, 1024LL)) {
      mandelbrot_n<<<blocks, 256, 0, stream>>>(args.n, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    for (long long t = 0; t < args.steps; ++t) {
      if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) +
          511, 512LL)) {
        mandelbrot_z_2<<<blocks, 256, 0, stream>>>(z, args.n, c, (int)args.H, (int)args.W);
        if (cudaError_t error = cudaGetLastError()) return error;
      }
    }
  } else {
    // Variant general.
    char* unused = static_cast<char*>(workspace);
    auto* const c = reinterpret_cast<c64*>(unused);
    unused += aligned_256(args.H * args.W * 8);
    auto* const z = reinterpret_cast<c64*>(unused);
    unused += aligned_256(args.H * args.W * 8);
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) + 255,
        256LL)) {
      mandelbrot_c_general<<<blocks, 256, 0, stream>>>(c, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) + 255,
        256LL)) {
      mandelbrot_z_general<<<blocks, 256, 0, stream>>>(c, z, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) + 255,
        256LL)) {
      mandelbrot_n_general<<<blocks, 256, 0, stream>>>(args.n, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    for (long long t = 0; t < args.steps; ++t) {
      if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.H * args.W, 0LL) +
          255, 256LL)) {
        mandelbrot_z_2_general<<<blocks, 256, 0, stream>>>(z, args.n, c, args.H, args.W);
        if (cudaError_t error = cudaGetLastError()) return error;
      }
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
