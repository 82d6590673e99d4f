// branchy, made by cuoptc for sm_90a from examples/branchy.cdsl:9.
//
//   fn branchy(x: f32[N]) -> (y: f32[N]) {
//     y[i] = if x[i] < 0 { sin(x[i]) * exp(x[i]) }
//       else if x[i] > 1 { sqrt(x[i] - 1) + log(x[i]) }
//       else { x[i] };
//   }
//
// Decisions:
// - simplify: branchy: declined: no exact rule applies
// - recognize: y: pointwise: over i, select, log, sqrt, exp, sin (FLOP/byte 0.875)
// - map: y: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by fp32 (predicted 36.06 us, sectors/request 16)
// - vectorize: y: elements of one memory access (predicted 36.06 us)
// - launch: y: blocks are limited by warps (predicted 36.06 us, occupancy 1)
// - index: y: accesses of a thread under way at once (predicted 36.06 us)
// - predicate: y: blocks whose tile lies inside test nothing (predicted 36.06 us)
// - predicate: y: long arms: lanes that agree skip one, those that disagree take both paths in turn
// (operations of the first arm 27, of the second 24, predicted 36.06 us)
// - index: branchy: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 18,
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

// y[i] = (if x[i] < 0.0 { sin(x[i]) * exp(x[i]) } else { (if x[i] > 1.0 { sqrt(x[i] - 1.0) +
// log(x[i]) } else { x[i] }) })
extern "C" __global__ void __launch_bounds__(256)
branchy_y(const float* __restrict__ x, float* __restrict__ y, int N) {
  constexpr int tile_i = 1024;
  constexpr int vector_i = 4;
  float t[4];
  float x_i[4];
  float t_2[4];
  float x_i_2[4];
#line 10 "examples/branchy.cdsl"
  const int i_block = (int)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_i;
  if (i_block + tile_i <= N) {
    load_vector<vector_i>(&x_i[0], &x[i_block + i_first]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      t[iv] = 0.0f;
      if (x_i[iv] < 0.0f) {
        t[iv] = sinf(x_i[iv]) * expf(x_i[iv]);
      } else if (x_i[iv] > 1.0f) {
        t[iv] = sqrtf(x_i[iv] - 1.0f) + logf(x_i[iv]);
      } else {
        t[iv] = x_i[iv];
      }
    }
    store_vector<vector_i>(&y[i_block + i_first], &t[0]);
  } else {
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      x_i_2[iv] = i_block + (i_first + iv) < N ? x[i_block + i_first + iv] : 0.0f;
    }
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      t_2[iv] = 0.0f;
      if (x_i_2[iv] < 0.0f) {
        t_2[iv] = sinf(x_i_2[iv]) * expf(x_i_2[iv]);
      } else if (x_i_2[iv] > 1.0f) {
        t_2[iv] = sqrtf(x_i_2[iv] - 1.0f) + logf(x_i_2[iv]);
      } else {
        t_2[iv] = x_i_2[iv];
      }
      if (i_block + (i_first + iv) < N) {
        y[i_block + i_first + iv] = t_2[iv];
      }
    }
  }
}
#line 99 "branchy.cu"

// y[i] = (if x[i] < 0.0 { sin(x[i]) * exp(x[i]) } else { (if x[i] > 1.0 { sqrt(x[i] - 1.0) +
// log(x[i]) } else { x[i] }) })
extern "C" __global__ void __launch_bounds__(256)
branchy_y_general(const float* __restrict__ x, float* __restrict__ y, long long N) {
  constexpr int tile_i = 512;
  constexpr int step_i = 256;
  float t[2];
  float x_i[2];
  float t_2[2];
  float x_i_2[2];
#line 10 "examples/branchy.cdsl"
  const long long i_block = (long long)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (i_block + tile_i <= N) {
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      x_i[ir] = x[i_block + i_first + ir * step_i];
    }
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      t[ir] = 0.0f;
      if (x_i[ir] < 0.0f) {
        t[ir] = sinf(x_i[ir]) * expf(x_i[ir]);
      } else if (x_i[ir] > 1.0f) {
        t[ir] = sqrtf(x_i[ir] - 1.0f) + logf(x_i[ir]);
      } else {
        t[ir] = x_i[ir];
      }
      y[i_block + i_first + ir * step_i] = t[ir];
    }
  } else {
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      x_i_2[ir] = i_block + (i_first + ir * step_i) < N ? x[i_block + i_first + ir * step_i] : 0.0f;
    }
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
      t_2[ir] = 0.0f;
      if (x_i_2[ir] < 0.0f) {
        t_2[ir] = sinf(x_i_2[ir]) * expf(x_i_2[ir]);
      } else if (x_i_2[ir] > 1.0f) {
        t_2[ir] = sqrtf(x_i_2[ir] - 1.0f) + logf(x_i_2[ir]);
      } else {
        t_2[ir] = x_i_2[ir];
      }
      if (i_block + (i_first + ir * step_i) < N) {
        y[i_block + i_first + ir * step_i] = t_2[ir];
      }
    }
  }
}
#line 152 "branchy.cu"

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

// Arguments of one call of branchy. Pointers are to device memory.
struct branchy_args {
  const float* x;  // f32[N]
  float* y;        // f32[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long branchy_workspace_bytes(const branchy_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_branchy(const branchy_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "x is too large");
  const memory_range ranges[] = {
    {"x", args.x, args.N * 4, 4, false},
    {"y", args.y, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (is_aligned(args.x, 16) && is_aligned(args.y, 16) && args.N <= 1073741824) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 1023) / 1024)) {
      branchy_y<<<blocks, 256, 0, stream>>>(args.x, args.y, (int)args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 511) / 512)) {
      branchy_y_general<<<blocks, 256, 0, stream>>>(args.x, args.y, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
