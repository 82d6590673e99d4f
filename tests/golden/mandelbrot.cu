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
// - lower: c: no point reads an element that another point overwrites (kernels 1)
// - lower: z: no point reads an element that another point overwrites (kernels 1)
// - lower: n: no point reads an element that another point overwrites (kernels 1)
// - lower: loop.t: every step has points for many threads, which need each other's elements
// (threads a block 256)
// - lower: n: no point reads an element that another point overwrites (kernels 1)
// - lower: z: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

struct alignas(8) c64 {
  float re, im;
};

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ c64 operator+(c64 a, c64 b) { return {a.re + b.re, a.im + b.im}; }

__device__ __forceinline__ c64 operator*(c64 a, c64 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace

// c[i, j] = cplx(f32(j) / f32(W) * 3.0 - 2.25, f32(i) / f32(H) * 2.5 - 1.25)
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_c(c64* __restrict__ c, long long H, long long W) {
#line 11 "examples/mandelbrot.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    c[point] = c64{(float)j / (float)W * 3.0f - 2.25f, (float)i / (float)H * 2.5f - 1.25f};
  }
}
#line 54 "mandelbrot.cu"

// z[i0, i1] = c[i0, i1]
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_z(const c64* __restrict__ c, c64* __restrict__ z, long long H, long long W) {
#line 12 "examples/mandelbrot.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    z[point] = c[point];
  }
}
#line 66 "mandelbrot.cu"

// n[i, j] = i32(0)
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_n(int* __restrict__ n, long long H, long long W) {
#line 12 "examples/mandelbrot.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    n[point] = 0;
  }
}
#line 78 "mandelbrot.cu"

// n[i, j] = (if z[i, j].re * z[i, j].re + z[i, j].im * z[i, j].im <= 4.0 { n[i, j] + i32(1) } else
// { n[i, j] })
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_n_2(const c64* __restrict__ z, int* __restrict__ n, long long H, long long W) {
#line 14 "examples/mandelbrot.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const c64 z_i_j = z[point];
    const float re_of = z_i_j.re;
    const float im_of = z_i_j.im;
    const int n_i_j = n[point];
    n[point] = re_of * re_of + im_of * im_of <= 4.0f ? add_wrap(n_i_j, 1) : n_i_j;
  }
}
#line 95 "mandelbrot.cu"

// z[i, j] = (if z[i, j].re * z[i, j].re + z[i, j].im * z[i, j].im <= 4.0 { z[i, j] * z[i, j] + c[i,
// j] } else { z[i, j] })
extern "C" __global__ void __launch_bounds__(256)
mandelbrot_z_2(c64* __restrict__ z, const c64* __restrict__ c, long long H, long long W) {
#line 15 "examples/mandelbrot.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const c64 z_i_j = z[point];
    const float re_of = z_i_j.re;
    const float im_of = z_i_j.im;
    z[point] = re_of * re_of + im_of * im_of <= 4.0f ? z_i_j * z_i_j + c[point] : z_i_j;
  }
}
#line 111 "mandelbrot.cu"

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
  char* unused = static_cast<char*>(workspace);
  auto* const c = reinterpret_cast<c64*>(unused);
  unused += aligned_256(args.H * args.W * 8);
  auto* const z = reinterpret_cast<c64*>(unused);
  unused += aligned_256(args.H * args.W * 8);
  const long long most_mandelbrot_c = resident_blocks(mandelbrot_c, 256);
  const long long most_mandelbrot_z = resident_blocks(mandelbrot_z, 256);
  const long long most_mandelbrot_n = resident_blocks(mandelbrot_n, 256);
  const long long most_mandelbrot_n_2 = resident_blocks(mandelbrot_n_2, 256);
  const long long most_mandelbrot_z_2 = resident_blocks(mandelbrot_z_2, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_mandelbrot_c)) {
    mandelbrot_c<<<blocks, 256, 0, stream>>>(c, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_mandelbrot_z)) {
    mandelbrot_z<<<blocks, 256, 0, stream>>>(c, z, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_mandelbrot_n)) {
    mandelbrot_n<<<blocks, 256, 0, stream>>>(args.n, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  for (long long t = 0; t < args.steps; ++t) {
    if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_mandelbrot_n_2)) {
      mandelbrot_n_2<<<blocks, 256, 0, stream>>>(z, args.n, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
    if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_mandelbrot_z_2)) {
      mandelbrot_z_2<<<blocks, 256, 0, stream>>>(z, c, args.H, args.W);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
