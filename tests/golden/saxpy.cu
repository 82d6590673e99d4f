// saxpy, made by cuoptc for sm_90a from examples/saxpy.cdsl:10.
//
//   fn saxpy(x: f32[N], y: f32[N], a: f32) -> (r: f32[N]) {
//     r[i] = a * x[i] + y[i];
//   }
//
// Decisions:
// - simplify: saxpy: declined: no exact rule applies
// - recognize: r: pointwise: over i, +, * (FLOP/byte 0.167)
// - map: r: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by dram (predicted 45.97 us, sectors/request 16)
// - vectorize: r: elements of one memory access (predicted 45.97 us)
// - launch: r: blocks are limited by registers (predicted 45.97 us, occupancy 0.75)
// - index: r: accesses of a thread under way at once (predicted 45.97 us)
// - predicate: r: blocks whose tile lies inside test nothing (predicted 45.97 us)
// - index: saxpy: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 16,
// in 64 bits 0)

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

// r[i] = a * x[i] + y[i]
extern "C" __global__ void __launch_bounds__(256)
saxpy_r(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ r, int N,
    float a) {
  constexpr int tile_i = 1024;
  constexpr int vector_i = 4;
  float x_i[4];
  float y_i[4];
  float x_i_2[4];
  float y_i_2[4];
  float r_out[4];
#line 11 "examples/saxpy.cdsl"
  const int i_block = (int)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_i;
  if (i_block + tile_i <= N) {
    load_vector<vector_i>(&x_i[0], &x[i_block + i_first]);
    load_vector<vector_i>(&y_i[0], &y[i_block + i_first]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      r_out[iv] = a * x_i[iv] + y_i[iv];
    }
    store_vector<vector_i>(&r[i_block + i_first], &r_out[0]);
  } else {
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      x_i_2[iv] = i_block + (i_first + iv) < N ? x[i_block + i_first + iv] : 0.0f;
      y_i_2[iv] = i_block + (i_first + iv) < N ? y[i_block + i_first + iv] : 0.0f;
    }
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      if (i_block + (i_first + iv) < N) {
        r[i_block + i_first + iv] = a * x_i_2[iv] + y_i_2[iv];
      }
    }
  }
}
#line 83 "saxpy.cu"

// r[i] = a * x[i] + y[i]
extern "C" __global__ void __launch_bounds__(512)
saxpy_r_general(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ r,
    long long N, float a) {
  constexpr int tile_i = 2048;
  constexpr int step_i = 512;
  float x_i[4];
  float y_i[4];
  float x_i_2[4];
  float y_i_2[4];
#line 11 "examples/saxpy.cdsl"
  const long long i_block = (long long)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (i_block + tile_i <= N) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      x_i[ir] = x[i_block + i_first + ir * step_i];
      y_i[ir] = y[i_block + i_first + ir * step_i];
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      r[i_block + i_first + ir * step_i] = a * x_i[ir] + y_i[ir];
    }
  } else {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      x_i_2[ir] = i_block + (i_first + ir * step_i) < N ? x[i_block + i_first + ir * step_i] : 0.0f;
      y_i_2[ir] = i_block + (i_first + ir * step_i) < N ? y[i_block + i_first + ir * step_i] : 0.0f;
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      if (i_block + (i_first + ir * step_i) < N) {
        r[i_block + i_first + ir * step_i] = a * x_i_2[ir] + y_i_2[ir];
      }
    }
  }
}
#line 122 "saxpy.cu"

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

// Arguments of one call of saxpy. Pointers are to device memory.
struct saxpy_args {
  const float* x;  // f32[N]
  const float* y;  // f32[N]
  float a;
  float* r;        // f32[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long saxpy_workspace_bytes(const saxpy_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_saxpy(const saxpy_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "x is too large");
  const memory_range ranges[] = {
    {"x", args.x, args.N * 4, 4, false},
    {"y", args.y, args.N * 4, 4, false},
    {"r", args.r, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (is_aligned(args.x, 16) && is_aligned(args.y, 16) && is_aligned(args.r, 16) &&
      args.N <= 1073741824) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 1023) / 1024)) {
      saxpy_r<<<blocks, 256, 0, stream>>>(args.x, args.y, args.r, (int)args.N, args.a);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 2047) / 2048)) {
      saxpy_r_general<<<blocks, 512, 0, stream>>>(args.x, args.y, args.r, args.N, args.a);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
