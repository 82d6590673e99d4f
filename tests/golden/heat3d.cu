// heat3d, made by cuoptc for sm_90a from examples/heat3d.cdsl:10.
//
//   fn heat3d(u0: f32[D, H, W], steps: i32, c: f32) -> (u: f32[D, H, W]) {
//     repeat t in 0..steps from u = u0 {
//       u[i in 1..D-1, j in 1..H-1, k in 1..W-1] = u[i, j, k] + c * (u[i-1, j, k] + u[i+1, j, k]
//         + u[i, j-1, k] + u[i, j+1, k] + u[i, j, k-1] + u[i, j, k+1] - 6 * u[i, j, k]);
//     }
//   }
//
// Decisions:
// - simplify: heat3d: declined: no exact rule applies
// - recognize: u: pointwise: over i0, i1, i2
// - recognize: u: iteration: steps of t, states u
// - recognize: u: stencil: 7 points of u, i -1..=1, j -1..=1, k -1..=1 (radius 1, FLOP/byte 2.25)
// - map: u: declined: points read elements that other points overwrite
// - map: u: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by dram (predicted 31.72 us, sectors/request 16)
// - vectorize: u: elements of one memory access (predicted 31.72 us)
// - launch: u: blocks are limited by warps (predicted 31.72 us, occupancy 1)
// - index: u: accesses of a thread under way at once (predicted 31.72 us)
// - predicate: u: blocks whose tile lies inside test nothing (predicted 31.72 us)
// - lower: loop.t: every step has points for many threads, which need each other's elements
// (threads a block 256)
// - lower: u: points read elements that other points overwrite (kernels 2)
// - index: heat3d: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 18,
// in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ long long add_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a + (unsigned long long)b);
}

__device__ __forceinline__ int sub_wrap(int a, int b) {
  return (int)((unsigned int)a - (unsigned int)b);
}

__device__ __forceinline__ int mul_wrap(int a, int b) {
  return (int)((unsigned int)a * (unsigned int)b);
}

__device__ __forceinline__ long long mul_wrap(long long a, long long b) {
  return (long long)((unsigned long long)a * (unsigned long long)b);
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

// u[i0, i1, i2] = u0[i0, i1, i2]
extern "C" __global__ void __launch_bounds__(256)
heat3d_u(const float* __restrict__ u0, float* __restrict__ u, int D, int H, int W) {
  constexpr int tile_point = 1024;
  constexpr int vector_point = 4;
  float u0_i0_i1_i2[4];
  float u0_i0_i1_i2_2[4];
#line 11 "examples/heat3d.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_point;
  if (add_wrap(point_block, (long long)tile_point) <= mul_wrap((long long)D * H, (long long)W)) {
    load_vector<vector_point>(&u0_i0_i1_i2[0], &u0[add_wrap((int)point_block, point_first)]);
    store_vector<vector_point>(&u[add_wrap((int)point_block, point_first)], &u0_i0_i1_i2[0]);
  } else {
    #pragma unroll 4
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      u0_i0_i1_i2_2[pointv] = add_wrap(point_block, (long long)(point_first + pointv)) <
          mul_wrap((long long)D * H, (long long)W)
          ? u0[add_wrap((int)point_block, point_first + pointv)] : 0.0f;
    }
    #pragma unroll 4
    for (int pointv = 0; pointv < vector_point; ++pointv) {
      if (add_wrap(point_block, (long long)(point_first + pointv)) <
          mul_wrap((long long)D * H, (long long)W)) {
        u[add_wrap((int)point_block, point_first + pointv)] = u0_i0_i1_i2_2[pointv];
      }
    }
  }
}
#line 105 "heat3d.cu"

// u[i, j, k] = u[i, j, k] + c * (u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
// + u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k])
extern "C" __global__ void __launch_bounds__(256)
heat3d_u_2(const float* __restrict__ u, float* __restrict__ u_next, int D, int H, int W, float c) {
#line 12 "examples/heat3d.cdsl"
  const int i_count = max(D - 1 - 1, 0);
  const int j_count = max(H - 1 - 1, 0);
  const int k_count = max(W - 1 - 1, 0);
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x;
      point < (long long)i_count * j_count * k_count; point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / k_count;
    const long long i = rest / j_count + 1;
    const long long j = rest % j_count + 1;
    const long long k = point % k_count + 1;
    const float u_i_j_k = u[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), (int)j), W), (int)k)];
    const float t_0 = u[add_wrap(mul_wrap(add_wrap(mul_wrap(sub_wrap((int)i, 1), H), (int)j), W),
        (int)k)] + u[add_wrap(mul_wrap(add_wrap(mul_wrap(add_wrap((int)i, 1), H), (int)j), W),
        (int)k)] + u[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), sub_wrap((int)j, 1)), W),
        (int)k)] + u[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), add_wrap((int)j, 1)), W),
        (int)k)];
    u_next[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), (int)j), W), (int)k)] = u_i_j_k + c *
        (t_0 + u[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), (int)j), W),
        sub_wrap((int)k, 1))] + u[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), (int)j), W),
        add_wrap((int)k, 1))] - 6.0f * u_i_j_k);
  }
}
#line 134 "heat3d.cu"

// u: the new values take the place of the old
extern "C" __global__ void __launch_bounds__(256)
heat3d_u_copy(const float* __restrict__ u_next, float* __restrict__ u, int D, int H, int W) {
#line 12 "examples/heat3d.cdsl"
  const int i_count = max(D - 1 - 1, 0);
  const int j_count = max(H - 1 - 1, 0);
  const int k_count = max(W - 1 - 1, 0);
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x;
      point < (long long)i_count * j_count * k_count; point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / k_count;
    const long long i = rest / j_count + 1;
    const long long j = rest % j_count + 1;
    const long long k = point % k_count + 1;
    u[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), (int)j), W), (int)k)] =
        u_next[add_wrap(mul_wrap(add_wrap(mul_wrap((int)i, H), (int)j), W), (int)k)];
  }
}
#line 154 "heat3d.cu"

// u[i0, i1, i2] = u0[i0, i1, i2]
extern "C" __global__ void __launch_bounds__(256)
heat3d_u_general(const float* __restrict__ u0, float* __restrict__ u, long long D, long long H,
    long long W) {
  constexpr int tile_point = 1024;
  constexpr int step_point = 256;
  float u0_i0_i1_i2[4];
  float u0_i0_i1_i2_2[4];
#line 11 "examples/heat3d.cdsl"
  const long long point_block = (long long)blockIdx.x * tile_point;
  const int point_first = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (add_wrap(point_block, (long long)tile_point) <= mul_wrap(mul_wrap(D, H), W)) {
    #pragma unroll 4
    for (int pointr = 0; pointr < 4; ++pointr) {
      u0_i0_i1_i2[pointr] = u0[point_block + point_first + pointr * step_point];
    }
    #pragma unroll 4
    for (int pointr = 0; pointr < 4; ++pointr) {
      u[point_block + point_first + pointr * step_point] = u0_i0_i1_i2[pointr];
    }
  } else {
    #pragma unroll 4
    for (int pointr = 0; pointr < 4; ++pointr) {
      u0_i0_i1_i2_2[pointr] = add_wrap(point_block,
          (long long)(point_first + pointr * step_point)) < mul_wrap(mul_wrap(D, H), W)
          ? u0[point_block + point_first + pointr * step_point] : 0.0f;
    }
    #pragma unroll 4
    for (int pointr = 0; pointr < 4; ++pointr) {
      if (add_wrap(point_block, (long long)(point_first + pointr * step_point)) <
          mul_wrap(mul_wrap(D, H), W)) {
        u[point_block + point_first + pointr * step_point] = u0_i0_i1_i2_2[pointr];
      }
    }
  }
}
#line 192 "heat3d.cu"

// u[i, j, k] = u[i, j, k] + c * (u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
// + u[i, j, k - 1] + u[i, j, k + 1] - 6.0 * u[i, j, k])
extern "C" __global__ void __launch_bounds__(256)
heat3d_u_2_general(const float* __restrict__ u, float* __restrict__ u_next, long long D,
    long long H, long long W, float c) {
#line 12 "examples/heat3d.cdsl"
  const long long i_count = max(D - 1 - 1, 0LL);
  const long long j_count = max(H - 1 - 1, 0LL);
  const long long k_count = max(W - 1 - 1, 0LL);
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x;
      point < i_count * j_count * k_count; point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / k_count;
    const long long i = rest / j_count + 1;
    const long long j = rest % j_count + 1;
    const long long k = point % k_count + 1;
    const float u_i_j_k = u[(i * H + j) * W + k];
    const float t_0 = u[((i - 1) * H + j) * W + k] + u[((i + 1) * H + j) * W + k] +
        u[(i * H + j - 1) * W + k] + u[(i * H + j + 1) * W + k];
    u_next[(i * H + j) * W + k] = u_i_j_k + c *
        (t_0 + u[(i * H + j) * W + k - 1] + u[(i * H + j) * W + k + 1] - 6.0f * u_i_j_k);
  }
}
#line 217 "heat3d.cu"

// u: the new values take the place of the old
extern "C" __global__ void __launch_bounds__(256)
heat3d_u_copy_general(const float* __restrict__ u_next, float* __restrict__ u, long long D,
    long long H, long long W) {
#line 12 "examples/heat3d.cdsl"
  const long long i_count = max(D - 1 - 1, 0LL);
  const long long j_count = max(H - 1 - 1, 0LL);
  const long long k_count = max(W - 1 - 1, 0LL);
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x;
      point < i_count * j_count * k_count; point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / k_count;
    const long long i = rest / j_count + 1;
    const long long j = rest % j_count + 1;
    const long long k = point % k_count + 1;
    u[(i * H + j) * W + k] = u_next[(i * H + j) * W + k];
  }
}
#line 237 "heat3d.cu"

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

// Blocks for `items` elements, one a thread at first: no more than `most`, since threads take turns.
inline unsigned int grid_for(long long items, int threads, long long most) {
  if (items <= 0) return 0;
  const long long blocks = (items - 1) / threads + 1;
  return static_cast<unsigned int>(blocks < most ? blocks : most);
}

// Pieces of the workspace start at multiples of 256 bytes.
inline long long aligned_256(long long bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

// Arguments of one call of heat3d. Pointers are to device memory.
struct heat3d_args {
  const float* u0;  // f32[D, H, W]
  int steps;
  float c;
  float* u;         // f32[D, H, W], written
  long long D;
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long heat3d_workspace_bytes(const heat3d_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.D * args.H * args.W * 4);  // u_next
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has heat3d_workspace_bytes bytes, aligned to 256.
cudaError_t launch_heat3d(const heat3d_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.D < 0) return refuse(why, "size D is negative: %lld", args.D);
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.D, args.H, args.W, 4})) return refuse(why, "u0 is too large");
  if (!fits({max(args.D - 1 - 1, 0LL), max(args.H - 1 - 1, 0LL), max(args.W - 1 - 1, 0LL)})) {
    return refuse(why, "a statement has too many points");
  }
  const memory_range ranges[] = {
    {"u0", args.u0, args.D * args.H * args.W * 4, 4, false},
    {"u", args.u, args.D * args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && heat3d_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (is_aligned(args.u0, 16) && is_aligned(args.u, 16) && args.D <= 1073741824 &&
      args.H <= 1073741824 && args.W <= 1073741824 &&
      args.D * args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    char* unused = static_cast<char*>(workspace);
    auto* const u_next = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.D * args.H * args.W * 4);
    const long long most_heat3d_u_2 = resident_blocks(heat3d_u_2, 256);
    const long long most_heat3d_u_copy = resident_blocks(heat3d_u_copy, 256);
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.D * args.H * args.W,
        0LL) + 1023, 1024LL)) {
      heat3d_u<<<blocks, 256, 0, stream>>>(args.u0, args.u, (int)args.D, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    for (long long t = 0; t < args.steps; ++t) {
      if (const unsigned int blocks = grid_for(max(args.D - 1 - 1, 0LL) * max(args.H - 1 - 1, 0LL) *
          max(args.W - 1 - 1, 0LL), 256, most_heat3d_u_2)) {
        heat3d_u_2<<<blocks, 256, 0, stream>>>(args.u, u_next, (int)args.D, (int)args.H,
            (int)args.W, args.c);
        if (cudaError_t error = cudaGetLastError()) return error;
      }
      if (const unsigned int blocks = grid_for(max(args.D - 1 - 1, 0LL) * max(args.H - 1 - 1, 0LL) *
          max(args.W - 1 - 1, 0LL), 256, most_heat3d_u_copy)) {
        heat3d_u_copy<<<blocks, 256, 0, stream>>>(u_next, args.u, (int)args.D, (int)args.H,
            (int)args.W);
        if (cudaError_t error = cudaGetLastError()) return error;
      }
    }
  } else {
    // Variant general.
    char* unused = static_cast<char*>(workspace);
    auto* const u_next = reinterpret_cast<float*>(unused);
    unused += aligned_256(args.D * args.H * args.W * 4);
    const long long most_heat3d_u_2_general = resident_blocks(heat3d_u_2_general, 256);
    const long long most_heat3d_u_copy_general = resident_blocks(heat3d_u_copy_general, 256);
    if (const unsigned int blocks = (unsigned int)floordiv_positive(max(args.D * args.H * args.W,
        0LL) + 1023, 1024LL)) {
      heat3d_u_general<<<blocks, 256, 0, stream>>>(args.u0, args.u, args.D, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    for (long long t = 0; t < args.steps; ++t) {
      if (const unsigned int blocks = grid_for(max(args.D - 1 - 1, 0LL) * max(args.H - 1 - 1, 0LL) *
          max(args.W - 1 - 1, 0LL), 256, most_heat3d_u_2_general)) {
        heat3d_u_2_general<<<blocks, 256, 0, stream>>>(args.u, u_next, args.D, args.H, args.W,
            args.c);
        if (cudaError_t error = cudaGetLastError()) return error;
      }
      if (const unsigned int blocks = grid_for(max(args.D - 1 - 1, 0LL) * max(args.H - 1 - 1, 0LL) *
          max(args.W - 1 - 1, 0LL), 256, most_heat3d_u_copy_general)) {
        heat3d_u_copy_general<<<blocks, 256, 0, stream>>>(u_next, args.u, args.D, args.H, args.W);
        if (cudaError_t error = cudaGetLastError()) return error;
      }
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
