// running_total, made by cuoptc for sm_90a from examples/running_total.cdsl:9.
//
//   fn running_total(x: f32[N]) -> (y: f32[N]) {
//     y[i] = sum[k in 0..=i](x[k]);
//   }
//
// Decisions:
// - simplify: running_total: declined: no exact rule applies
// - recognize: y: scan: sum of x, inclusive along i (FLOP/byte 0.125)
// - map: y: declined: the range of a reduction hangs on another index or on data
// - lower: y: no point reads an element that another point overwrites (kernels 1)
// - index: running_total: declined: sizes are open, so that an index may need 64 bits (indices in
// 32 bits 0, in 64 bits 2)

// y[i] = sum<f32>[k in 0..i + 1](x[k])
extern "C" __global__ void __launch_bounds__(256)
running_total_y(const float* __restrict__ x, float* __restrict__ y, long long N) {
#line 10 "examples/running_total.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (long long k = 0; k < i + 1; ++k) {
      sum += x[k];
    }
    y[i] = sum;
  }
}
#line 30 "running_total.cu"

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

}  // namespace

// Arguments of one call of running_total. Pointers are to device memory.
struct running_total_args {
  const float* x;  // f32[N]
  float* y;        // f32[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long running_total_workspace_bytes(const running_total_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_running_total(const running_total_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "x is too large");
  const memory_range ranges[] = {
    {"x", args.x, args.N * 4, 4, false},
    {"y", args.y, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_running_total_y = resident_blocks(running_total_y, 256);
  if (const unsigned int blocks = grid_for(args.N, 256, most_running_total_y)) {
    running_total_y<<<blocks, 256, 0, stream>>>(args.x, args.y, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
