// sobel, made by cuoptc for sm_90a from examples/sobel.cdsl:13.
//
//   fn sobel(img: u8[H, W]) -> (edges: u8[H, W]) {
//     let pixel = i32(img.clamp[i + a - 1, j + b - 1]);
//     gx[i in 0..H, j in 0..W] = sum[a, b](smooth[a] * slope[b] * pixel);
//     gy[i in 0..H, j in 0..W] = sum[a, b](slope[a] * smooth[b] * pixel);
//     edges[i, j] = u8(sqrt(f32(gx[i, j] * gx[i, j] + gy[i, j] * gy[i, j])));
//   }
//
// Decisions:
// - simplify: sobel: declined: no exact rule applies
// - recognize: gx: convolution: rows i, j, contracted a, b, window along i (3), j (3) (window 9)
// - recognize: gy: convolution: rows i, j, contracted a, b, window along i (3), j (3) (window 9)
// - recognize: edges: convolution: rows i, j, contracted a, b, window along i (3), j (3), epilogue
// sqrt, with gy; fused with gx (window 9, FLOP/byte 0.167)
// - fuse: edges: one kernel, whose intermediates are never stored (statements 2, predicted 35.6464
// us)
// - map: edges: lanes along j, bound by int (predicted 35.65 us, sectors/request 3.86)
// - vectorize: edges: elements of one memory access (predicted 35.65 us)
// - reduce: edges: blocks that divide one reduction between them (predicted 35.65 us)
// - launch: edges: blocks are limited by registers (predicted 35.65 us, occupancy 0.75)
// - predicate: edges: blocks whose tile lies inside test nothing (predicted 35.65 us)
// - launch: edges: declined: tiles are taken row by row: bands would save too little (memory 86.71
// MB)
// - fuse: gy: declined: a kernel a statement takes less time (statements 2, predicted 65.6583 us)
// - map: gy: lanes along j, bound by l2 (predicted 32.83 us, sectors/request 3.86)
// - vectorize: gy: elements of one memory access (predicted 32.83 us)
// - reduce: gy: blocks that divide one reduction between them (predicted 32.83 us)
// - launch: gy: blocks are limited by warps (predicted 32.83 us, occupancy 1)
// - predicate: gy: blocks whose tile lies inside test nothing (predicted 32.83 us)
// - index: sobel: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits 26,
// in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ int mul_wrap(int a, int b) {
  return (int)((unsigned int)a * (unsigned int)b);
}

__device__ __forceinline__ unsigned int to_u32(float x) { return __float2uint_rz(x); }

__device__ __forceinline__ unsigned char to_u8(float x) {
  return (unsigned char)min(to_u32(x), 255u);
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

// gy[i, j] = sum<i32>[a in 0..3, b in 0..3](slope[a] * smooth[b] * i32(img[i + a - 1 @clamp, j + b
// - 1 @clamp]))
extern "C" __global__ void __launch_bounds__(256, 1)
sobel_gy(const unsigned char* __restrict__ img, const int* __restrict__ smooth,
    const int* __restrict__ slope, int* __restrict__ gy, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 8;
  constexpr int vector_j = 4;
  int sum[4];
  unsigned char img_at[4];
#line 16 "examples/sobel.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  #pragma unroll 4
  for (int jv = 0; jv < vector_j; ++jv) {
    sum[jv] = 0;
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        img_at[jv] = i_block + (int)(threadIdx.x / 32) < H && j_block + (j_first + jv) < W
            ? img[min(max(i_block + (int)(threadIdx.x / 32) + a - 1, 0), H - 1) * W +
            min(max(j_block + j_first + jv + b - 1, 0), W - 1)] : 0;
      }
      const int smooth_b = smooth[b];
      const int slope_a = slope[a];
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[jv] = add_wrap(sum[jv], mul_wrap(mul_wrap(slope_a, smooth_b), (int)img_at[jv]));
      }
    }
  }
  if (j_block + j_first < W && i_block + (int)(threadIdx.x / 32) < H) {
    store_vector<vector_j>(&gy[(i_block + (int)(threadIdx.x / 32)) * W + j_block + j_first],
        &sum[0]);
  }
}
#line 117 "sobel.cu"

// edges[i, j] = u8(sqrt(f32(sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a - 1
// @clamp, j + b - 1 @clamp])) * sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a
// - 1 @clamp, j + b - 1 @clamp])) + gy[i, j] * gy[i, j])))
extern "C" __global__ void __launch_bounds__(256, 1)
sobel_edges(const int* __restrict__ smooth, const int* __restrict__ slope,
    const unsigned char* __restrict__ img, const int* __restrict__ gy,
    unsigned char* __restrict__ edges, int H, int W) {
  constexpr int tile_j = 128;
  constexpr int tile_i = 8;
  constexpr int vector_j = 4;
  int sum[4];
  unsigned char img_at[4];
  int gy_i_j[4];
  unsigned char edges_out[4];
#line 17 "examples/sobel.cdsl"
  const int j_tiles = max((W + 127) / tile_j, 1);
  const int rest = (int)blockIdx.x / j_tiles;
  const int j_block = (int)blockIdx.x % j_tiles * tile_j;
  const int i_block = rest * tile_i;
  const int j_first = (int)(threadIdx.x & 31) * vector_j;
  #pragma unroll 4
  for (int jv = 0; jv < vector_j; ++jv) {
#line 15 "examples/sobel.cdsl"
    sum[jv] = 0;
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const int smooth_a = smooth[a];
      const int slope_b = slope[b];
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        img_at[jv] = i_block + (int)(threadIdx.x / 32) < H && j_block + (j_first + jv) < W
            ? img[min(max(i_block + (int)(threadIdx.x / 32) + a - 1, 0), H - 1) * W +
            min(max(j_block + j_first + jv + b - 1, 0), W - 1)] : 0;
      }
      #pragma unroll 4
      for (int jv = 0; jv < vector_j; ++jv) {
        sum[jv] = add_wrap(sum[jv], mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_at[jv]));
      }
    }
  }
#line 17 "examples/sobel.cdsl"
  if (i_block + (int)(threadIdx.x / 32) < H && j_block + j_first < W) {
    load_vector<vector_j>(&gy_i_j[0],
        &gy[(i_block + (int)(threadIdx.x / 32)) * W + j_block + j_first]);
  } else {
    #pragma unroll 4
    for (int jv = 0; jv < vector_j; ++jv) {
      gy_i_j[jv] = 0;
    }
  }
  if (j_block + j_first < W && i_block + (int)(threadIdx.x / 32) < H) {
    #pragma unroll 4
    for (int jv = 0; jv < vector_j; ++jv) {
      edges_out[jv] = to_u8(sqrtf((float)add_wrap(mul_wrap(sum[jv], sum[jv]),
          mul_wrap(gy_i_j[jv], gy_i_j[jv]))));
    }
    store_vector<vector_j>(&edges[(i_block + (int)(threadIdx.x / 32)) * W + j_block + j_first],
        &edges_out[0]);
  }
}
#line 180 "sobel.cu"

// gy[i, j] = sum<i32>[a in 0..3, b in 0..3](slope[a] * smooth[b] * i32(img[i + a - 1 @clamp, j + b
// - 1 @clamp]))
extern "C" __global__ void __launch_bounds__(512, 1)
sobel_gy_general(const unsigned char* __restrict__ img, const int* __restrict__ smooth,
    const int* __restrict__ slope, int* __restrict__ gy, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 16;
#line 16 "examples/sobel.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
  int sum = 0;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const unsigned char img_at = i_block + (threadIdx.x / 32) < H &&
          j_block + (threadIdx.x & 31) < W
          ? img[min(max(i_block + (threadIdx.x / 32) + a - 1, 0LL), H - 1) * W +
          min(max(j_block + (threadIdx.x & 31) + b - 1, 0LL), W - 1)] : 0;
      const int smooth_b = smooth[b];
      const int slope_a = slope[a];
      sum = add_wrap(sum, mul_wrap(mul_wrap(slope_a, smooth_b), (int)img_at));
    }
  }
  if (j_block + (threadIdx.x & 31) < W && i_block + (threadIdx.x / 32) < H) {
    gy[(i_block + (threadIdx.x / 32)) * W + j_block + (threadIdx.x & 31)] = sum;
  }
}
#line 210 "sobel.cu"

// edges[i, j] = u8(sqrt(f32(sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a - 1
// @clamp, j + b - 1 @clamp])) * sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a
// - 1 @clamp, j + b - 1 @clamp])) + gy[i, j] * gy[i, j])))
extern "C" __global__ void __launch_bounds__(512, 1)
sobel_edges_general(const int* __restrict__ smooth, const int* __restrict__ slope,
    const unsigned char* __restrict__ img, const int* __restrict__ gy,
    unsigned char* __restrict__ edges, long long H, long long W) {
  constexpr int tile_j = 32;
  constexpr int tile_i = 16;
#line 17 "examples/sobel.cdsl"
  const int j_tiles = (int)max((W + 31) / tile_j, 1LL);
  const int rest = (int)blockIdx.x / j_tiles;
  const long long j_block = (long long)((int)blockIdx.x % j_tiles) * tile_j;
  const long long i_block = (long long)rest * tile_i;
#line 15 "examples/sobel.cdsl"
  int sum = 0;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      const int smooth_a = smooth[a];
      const int slope_b = slope[b];
      const unsigned char img_at = i_block + (threadIdx.x / 32) < H &&
          j_block + (threadIdx.x & 31) < W
          ? img[min(max(i_block + (threadIdx.x / 32) + a - 1, 0LL), H - 1) * W +
          min(max(j_block + (threadIdx.x & 31) + b - 1, 0LL), W - 1)] : 0;
      sum = add_wrap(sum, mul_wrap(mul_wrap(smooth_a, slope_b), (int)img_at));
    }
  }
#line 17 "examples/sobel.cdsl"
  const int gy_i_j = i_block + (threadIdx.x / 32) < H && j_block + (threadIdx.x & 31) < W
      ? gy[(i_block + (threadIdx.x / 32)) * W + j_block + (threadIdx.x & 31)] : 0;
  if (j_block + (threadIdx.x & 31) < W && i_block + (threadIdx.x / 32) < H) {
    edges[(i_block + (threadIdx.x / 32)) * W + j_block + (threadIdx.x & 31)] =
        to_u8(sqrtf((float)add_wrap(mul_wrap(sum, sum), mul_wrap(gy_i_j, gy_i_j))));
  }
}
#line 247 "sobel.cu"

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

// Arguments of one call of sobel. Pointers are to device memory.
struct sobel_args {
  const unsigned char* img;  // u8[H, W]
  unsigned char* edges;      // u8[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long sobel_workspace_bytes(const sobel_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.H * args.W * 4);  // gy
  return bytes;
}

__device__ const int launch_sobel_smooth[3] = {1, 2, 1};

__device__ const int launch_sobel_slope[3] = {-1, 0, 1};

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has sobel_workspace_bytes bytes, aligned to 256.
cudaError_t launch_sobel(const sobel_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W})) return refuse(why, "img is too large");
  if (!fits({args.H, args.W, 4})) return refuse(why, "gy is too large");
  const memory_range ranges[] = {
    {"img", args.img, args.H * args.W, 1, false},
    {"edges", args.edges, args.H * args.W, 1, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && sobel_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  if (args.W % 4 == 0 && is_aligned(args.edges, 16) && args.H <= 1073741824 &&
      args.W <= 1073741824 && args.H * args.W <= 2147483647 &&
      args.H * args.W * 4 <= 8589934588LL) {
    // Variant vectors.
    const int* smooth = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&smooth, launch_sobel_smooth)) {
      return error;
    }
    const int* slope = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&slope, launch_sobel_slope)) return error;
    char* unused = static_cast<char*>(workspace);
    auto* const gy = reinterpret_cast<int*>(unused);
    unused += aligned_256(args.H * args.W * 4);
    if (const unsigned int blocks = (unsigned int)((args.H + 7) / 8 * ((args.W + 127) / 128))) {
      sobel_gy<<<blocks, 256, 0, stream>>>(args.img, smooth, slope, gy, (int)args.H, (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((args.H + 7) / 8 * ((args.W + 127) / 128))) {
      sobel_edges<<<blocks, 256, 0, stream>>>(smooth, slope, args.img, gy, args.edges, (int)args.H,
          (int)args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    const int* smooth = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&smooth, launch_sobel_smooth)) {
      return error;
    }
    const int* slope = nullptr;
    if (cudaError_t error = cudaGetSymbolAddress((void**)&slope, launch_sobel_slope)) return error;
    char* unused = static_cast<char*>(workspace);
    auto* const gy = reinterpret_cast<int*>(unused);
    unused += aligned_256(args.H * args.W * 4);
    if (const unsigned int blocks = (unsigned int)((args.H + 15) / 16 * ((args.W + 31) / 32))) {
      sobel_gy_general<<<blocks, 512, 0, stream>>>(args.img, smooth, slope, gy, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = (unsigned int)((args.H + 15) / 16 * ((args.W + 31) / 32))) {
      sobel_edges_general<<<blocks, 512, 0, stream>>>(smooth, slope, args.img, gy, args.edges,
          args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
