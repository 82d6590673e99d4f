// heights, made by cuoptc for sm_90a from examples/point_field_soa.cdsl:11.
//
//   fn heights(p: Point[N] layout(soa)) -> (z: f32[N]) {
//     z[i] = p[i].z;
//   }
//
// Decisions:
// - simplify: heights: declined: no exact rule applies
// - recognize: z: pointwise: over i
// - map: z: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by dram (predicted 31.72 us, sectors/request 16)
// - vectorize: z: elements of one memory access (predicted 31.72 us)
// - launch: z: blocks are limited by warps (predicted 31.72 us, occupancy 1)
// - index: z: accesses of a thread under way at once (predicted 31.72 us)
// - predicate: z: blocks whose tile lies inside test nothing (predicted 31.72 us)
// - index: heights: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 8,
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

// z[i] = p.z[i]
extern "C" __global__ void __launch_bounds__(256)
heights_z(const float* __restrict__ p_z, float* __restrict__ z, int N) {
  constexpr int tile_i = 1024;
  constexpr int vector_i = 4;
  float p_z_i[4];
  float p_z_i_2[4];
#line 12 "examples/point_field_soa.cdsl"
  const int i_block = (int)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_i;
  if (i_block + tile_i <= N) {
    load_vector<vector_i>(&p_z_i[0], &p_z[i_block + i_first]);
    store_vector<vector_i>(&z[i_block + i_first], &p_z_i[0]);
  } else {
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      p_z_i_2[iv] = i_block + (i_first + iv) < N ? p_z[i_block + i_first + iv] : 0.0f;
    }
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      if (i_block + (i_first + iv) < N) {
        z[i_block + i_first + iv] = p_z_i_2[iv];
      }
    }
  }
}
#line 73 "heights.cu"

// z[i] = p.z[i]
extern "C" __global__ void __launch_bounds__(256)
heights_z_general(const float* __restrict__ p_z, float* __restrict__ z, long long N) {
  constexpr int tile_i = 1024;
  constexpr int step_i = 256;
  float p_z_i[4];
  float p_z_i_2[4];
#line 12 "examples/point_field_soa.cdsl"
  const long long i_block = (long long)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (i_block + tile_i <= N) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      p_z_i[ir] = p_z[i_block + i_first + ir * step_i];
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      z[i_block + i_first + ir * step_i] = p_z_i[ir];
    }
  } else {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      p_z_i_2[ir] = i_block + (i_first + ir * step_i) < N ? p_z[i_block + i_first + ir * step_i]
          : 0.0f;
    }
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      if (i_block + (i_first + ir * step_i) < N) {
        z[i_block + i_first + ir * step_i] = p_z_i_2[ir];
      }
    }
  }
}
#line 108 "heights.cu"

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

// Arguments of one call of heights. Pointers are to device memory.
struct heights_args {
  const float* p_x;  // float[N]
  const float* p_y;  // float[N]
  const float* p_z;  // float[N]
  float* z;          // f32[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long heights_workspace_bytes(const heights_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_heights(const heights_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "p is too large");
  const memory_range ranges[] = {
    {"p_x", args.p_x, args.N * 4, 4, false},
    {"p_y", args.p_y, args.N * 4, 4, false},
    {"p_z", args.p_z, args.N * 4, 4, false},
    {"z", args.z, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (is_aligned(args.p_x, 16) && is_aligned(args.p_y, 16) && is_aligned(args.p_z, 16) &&
      is_aligned(args.z, 16) && args.N <= 1073741824) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 1023) / 1024)) {
      heights_z<<<blocks, 256, 0, stream>>>(args.p_z, args.z, (int)args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 1023) / 1024)) {
      heights_z_general<<<blocks, 256, 0, stream>>>(args.p_z, args.z, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
