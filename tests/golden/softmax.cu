// softmax, made by cuoptc for sm_90a from examples/softmax.cdsl:10.
//
//   fn softmax(X: f32[M, N]) -> (Y: f32[M, N]) {
//     top[i]  = max[j](X[i, j]);
//     den[i]  = sum[j](exp(X[i, j] - top[i]));
//     Y[i, j] = exp(X[i, j] - top[i]) / den[i];
//   }
//
// Decisions:
// - simplify: softmax: declined: no exact rule applies
// - lower: top: no point reads an element that another point overwrites (kernels 1)
// - lower: den: no point reads an element that another point overwrites (kernels 1)
// - lower: Y: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

namespace {

__device__ __forceinline__ float inf_f32() { return __int_as_float(0x7f800000); }

// The greater; NaN if either is, and -0 < +0.
__device__ __forceinline__ float max_nan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
#else
  if (a == b) return signbit(a) ? b : a;
  return a > b || a != a ? a : b;
#endif
}

}  // namespace

// top[i] = max<f32>[j in 0..N](X[i, j])
extern "C" __global__ void __launch_bounds__(256)
softmax_top(const float* __restrict__ X, float* __restrict__ top, long long M, long long N) {
#line 11 "examples/softmax.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < M;
      i += (long long)gridDim.x * blockDim.x) {
    float greatest = -inf_f32();
    for (long long j = 0; j < N; ++j) {
      greatest = max_nan(greatest, X[i * N + j]);
    }
    top[i] = greatest;
  }
}
#line 49 "softmax.cu"

// den[i] = sum<f32>[j in 0..N](exp(X[i, j] - top[i]))
extern "C" __global__ void __launch_bounds__(256)
softmax_den(const float* __restrict__ top, const float* __restrict__ X, float* __restrict__ den,
    long long M, long long N) {
#line 12 "examples/softmax.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < M;
      i += (long long)gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (long long j = 0; j < N; ++j) {
      sum += expf(X[i * N + j] - top[i]);
    }
    den[i] = sum;
  }
}
#line 66 "softmax.cu"

// Y[i, j] = exp(X[i, j] - top[i]) / den[i]
extern "C" __global__ void __launch_bounds__(256)
softmax_Y(const float* __restrict__ X, const float* __restrict__ top, const float* __restrict__ den,
    float* __restrict__ Y, long long M, long long N) {
#line 13 "examples/softmax.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < M * N;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / N;
    Y[point] = expf(X[point] - top[i]) / den[i];
  }
}
#line 80 "softmax.cu"

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

// Arguments of one call of softmax. Pointers are to device memory.
struct softmax_args {
  const float* X;  // f32[M, N]
  float* Y;        // f32[M, N], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long softmax_workspace_bytes(const softmax_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.M * 4);  // top
  bytes += aligned_256(args.M * 4);  // den
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has softmax_workspace_bytes bytes, aligned to 256.
cudaError_t launch_softmax(const softmax_args& args, void* workspace, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  if (!fits({args.M, 4})) return refuse(why, "top is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"Y", args.Y, args.M * args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && softmax_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  char* unused = static_cast<char*>(workspace);
  auto* const top = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.M * 4);
  auto* const den = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.M * 4);
  const long long most_softmax_top = resident_blocks(softmax_top, 256);
  const long long most_softmax_den = resident_blocks(softmax_den, 256);
  const long long most_softmax_Y = resident_blocks(softmax_Y, 256);
  if (const unsigned int blocks = grid_for(args.M, 256, most_softmax_top)) {
    softmax_top<<<blocks, 256, 0, stream>>>(args.X, top, args.M, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.M, 256, most_softmax_den)) {
    softmax_den<<<blocks, 256, 0, stream>>>(top, args.X, den, args.M, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.M * args.N, 256, most_softmax_Y)) {
    softmax_Y<<<blocks, 256, 0, stream>>>(args.X, top, den, args.Y, args.M, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
