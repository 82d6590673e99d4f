// layer_norm, made by cuoptc for sm_90a from examples/layer_norm.cdsl:11.
//
//   fn layer_norm(X: bf16[M, N], gain: bf16[N], shift: bf16[N]) -> (Y: bf16[M, N]) {
//     mu[i]   = mean[j](X[i, j]);
//     var[i]  = mean[j](sq(X[i, j] - mu[i]));
//     Y[i, j] = bf16((X[i, j] - mu[i]) * rsqrt(var[i] + 1e-5) * gain[j] + shift[j]);
//   }
//
// Decisions:
// - simplify: layer_norm: declined: no exact rule applies
// - lower: mu: no point reads an element that another point overwrites (kernels 1)
// - lower: var: no point reads an element that another point overwrites (kernels 1)
// - lower: Y: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

struct bf16 {
  unsigned short bits;
};

namespace {

__device__ __forceinline__ float to_f32(bf16 h) {
  return __uint_as_float((unsigned int)h.bits << 16);
}

// To nearest even; overflow gives infinity.
__device__ __forceinline__ bf16 to_bf16(float x) {
  bf16 h;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
#else
  const unsigned int bits = __float_as_uint(x);
  const unsigned int rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  h.bits = (unsigned short)(x != x ? 0x7fffu : rounded);
#endif
  return h;
}

}  // namespace

// mu[i] = sum<f32>[j in 0..N](f32(X[i, j])) / f32(N)
extern "C" __global__ void __launch_bounds__(256)
layer_norm_mu(const bf16* __restrict__ X, float* __restrict__ mu, long long M, long long N) {
#line 12 "examples/layer_norm.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < M;
      i += (long long)gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (long long j = 0; j < N; ++j) {
      sum += to_f32(X[i * N + j]);
    }
    mu[i] = sum / (float)N;
  }
}
#line 56 "layer_norm.cu"

// var[i] = sum<f32>[j in 0..N]((f32(X[i, j]) - mu[i]) * (f32(X[i, j]) - mu[i])) / f32(N)
extern "C" __global__ void __launch_bounds__(256)
layer_norm_var(const float* __restrict__ mu, const bf16* __restrict__ X, float* __restrict__ var,
    long long M, long long N) {
#line 13 "examples/layer_norm.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < M;
      i += (long long)gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (long long j = 0; j < N; ++j) {
      const float t = to_f32(X[i * N + j]) - mu[i];
      sum += t * t;
    }
    var[i] = sum / (float)N;
  }
}
#line 74 "layer_norm.cu"

// Y[i, j] = bf16((f32(X[i, j]) - mu[i]) * rsqrt(var[i] + 1e-05) * f32(gain[j]) + f32(shift[j]))
extern "C" __global__ void __launch_bounds__(256)
layer_norm_Y(const bf16* __restrict__ X, const float* __restrict__ mu,
    const float* __restrict__ var, const bf16* __restrict__ gain, const bf16* __restrict__ shift,
    bf16* __restrict__ Y, long long M, long long N) {
#line 14 "examples/layer_norm.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < M * N;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / N;
    const long long j = point % N;
    Y[point] = to_bf16((to_f32(X[point]) - mu[i]) * rsqrtf(var[i] + 1e-05f) * to_f32(gain[j]) +
        to_f32(shift[j]));
  }
}
#line 91 "layer_norm.cu"

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

// Arguments of one call of layer_norm. Pointers are to device memory.
struct layer_norm_args {
  const bf16* X;      // bf16[M, N]
  const bf16* gain;   // bf16[N]
  const bf16* shift;  // bf16[N]
  bf16* Y;            // bf16[M, N], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long layer_norm_workspace_bytes(const layer_norm_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.M * 4);  // mu
  bytes += aligned_256(args.M * 4);  // var
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has layer_norm_workspace_bytes bytes, aligned to 256.
cudaError_t launch_layer_norm(const layer_norm_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 2})) return refuse(why, "X is too large");
  if (!fits({args.N, 2})) return refuse(why, "gain is too large");
  if (!fits({args.M, 4})) return refuse(why, "mu is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 2, 2, false},
    {"gain", args.gain, args.N * 2, 2, false},
    {"shift", args.shift, args.N * 2, 2, false},
    {"Y", args.Y, args.M * args.N * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && layer_norm_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  char* unused = static_cast<char*>(workspace);
  auto* const mu = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.M * 4);
  auto* const var = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.M * 4);
  const long long most_layer_norm_mu = resident_blocks(layer_norm_mu, 256);
  const long long most_layer_norm_var = resident_blocks(layer_norm_var, 256);
  const long long most_layer_norm_Y = resident_blocks(layer_norm_Y, 256);
  if (const unsigned int blocks = grid_for(args.M, 256, most_layer_norm_mu)) {
    layer_norm_mu<<<blocks, 256, 0, stream>>>(args.X, mu, args.M, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.M, 256, most_layer_norm_var)) {
    layer_norm_var<<<blocks, 256, 0, stream>>>(mu, args.X, var, args.M, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.M * args.N, 256, most_layer_norm_Y)) {
    layer_norm_Y<<<blocks, 256, 0, stream>>>(args.X, mu, var, args.gain, args.shift, args.Y, args.M,
        args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
