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
// - lower: gx: no point reads an element that another point overwrites (kernels 1)
// - lower: gy: no point reads an element that another point overwrites (kernels 1)
// - lower: edges: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

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

}  // namespace

// gx[i, j] = sum<i32>[a in 0..3, b in 0..3](smooth[a] * slope[b] * i32(img[i + a - 1 @clamp, j + b
// - 1 @clamp]))
extern "C" __global__ void __launch_bounds__(256)
sobel_gx(const int* __restrict__ smooth, const int* __restrict__ slope,
    const unsigned char* __restrict__ img, int* __restrict__ gx, long long H, long long W) {
#line 15 "examples/sobel.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    int sum = 0;
    for (long long a = 0; a < 3; ++a) {
      for (long long b = 0; b < 3; ++b) {
        sum = add_wrap(sum, mul_wrap(mul_wrap(smooth[a], slope[b]),
            (int)img[min(max(i + a - 1, 0LL), H - 1) * W + min(max(j + b - 1, 0LL), W - 1)]));
      }
    }
    gx[point] = sum;
  }
}
#line 57 "sobel.cu"

// gy[i, j] = sum<i32>[a in 0..3, b in 0..3](slope[a] * smooth[b] * i32(img[i + a - 1 @clamp, j + b
// - 1 @clamp]))
extern "C" __global__ void __launch_bounds__(256)
sobel_gy(const unsigned char* __restrict__ img, const int* __restrict__ smooth,
    const int* __restrict__ slope, int* __restrict__ gy, long long H, long long W) {
#line 16 "examples/sobel.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    int sum = 0;
    for (long long a = 0; a < 3; ++a) {
      for (long long b = 0; b < 3; ++b) {
        sum = add_wrap(sum, mul_wrap(mul_wrap(slope[a], smooth[b]),
            (int)img[min(max(i + a - 1, 0LL), H - 1) * W + min(max(j + b - 1, 0LL), W - 1)]));
      }
    }
    gy[point] = sum;
  }
}
#line 80 "sobel.cu"

// edges[i, j] = u8(sqrt(f32(gx[i, j] * gx[i, j] + gy[i, j] * gy[i, j])))
extern "C" __global__ void __launch_bounds__(256)
sobel_edges(const int* __restrict__ gx, const int* __restrict__ gy,
    unsigned char* __restrict__ edges, long long H, long long W) {
#line 17 "examples/sobel.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const int gx_i_j = gx[point];
    const int gy_i_j = gy[point];
    edges[point] = to_u8(sqrtf((float)add_wrap(mul_wrap(gx_i_j, gx_i_j),
        mul_wrap(gy_i_j, gy_i_j))));
  }
}
#line 96 "sobel.cu"

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
  bytes += aligned_256(args.H * args.W * 4);  // gx
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
  if (!fits({args.H, args.W, 4})) return refuse(why, "gx is too large");
  const memory_range ranges[] = {
    {"img", args.img, args.H * args.W, 1, false},
    {"edges", args.edges, args.H * args.W, 1, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && sobel_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  const int* smooth = nullptr;
  if (cudaError_t error = cudaGetSymbolAddress((void**)&smooth, launch_sobel_smooth)) return error;
  const int* slope = nullptr;
  if (cudaError_t error = cudaGetSymbolAddress((void**)&slope, launch_sobel_slope)) return error;
  char* unused = static_cast<char*>(workspace);
  auto* const gx = reinterpret_cast<int*>(unused);
  unused += aligned_256(args.H * args.W * 4);
  auto* const gy = reinterpret_cast<int*>(unused);
  unused += aligned_256(args.H * args.W * 4);
  const long long most_sobel_gx = resident_blocks(sobel_gx, 256);
  const long long most_sobel_gy = resident_blocks(sobel_gy, 256);
  const long long most_sobel_edges = resident_blocks(sobel_edges, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_sobel_gx)) {
    sobel_gx<<<blocks, 256, 0, stream>>>(smooth, slope, args.img, gx, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_sobel_gy)) {
    sobel_gy<<<blocks, 256, 0, stream>>>(args.img, smooth, slope, gy, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_sobel_edges)) {
    sobel_edges<<<blocks, 256, 0, stream>>>(gx, gy, args.edges, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
