// named_barrier, made by cuoptc for sm_90a from tests/gpu/lane/named_barrier.lir:1.
//
//   function named_barrier {
//     input x: f32[32];
//     output y: f32[32];
//     parameters(x, y);
//     stage [i in 0..32] {
//       y[i] = x[31 - i];
//     }
//   }

namespace {

// Some warps of the block meet.
__device__ __forceinline__ void barrier_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Counts at the barrier and goes on.
__device__ __forceinline__ void barrier_pass(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

}  // namespace

// one warp fills, another waits for it; the third does neither
extern "C" __global__ void __launch_bounds__(96)
named_barrier_y(const float* __restrict__ x, float* y) {
  __shared__ float cell[32];
#line 15 "tests/gpu/lane/named_barrier.lir"
  if ((threadIdx.x / 32) == 1) {
#line 16 "tests/gpu/lane/named_barrier.lir"
    cell[(int)(threadIdx.x & 31)] = x[(int)(threadIdx.x & 31)];
#line 17 "tests/gpu/lane/named_barrier.lir"
    barrier_pass(2, 64);
  }
#line 19 "tests/gpu/lane/named_barrier.lir"
  if ((threadIdx.x / 32) == 2) {
#line 20 "tests/gpu/lane/named_barrier.lir"
    barrier_sync(2, 64);
#line 21 "tests/gpu/lane/named_barrier.lir"
    y[(int)(threadIdx.x & 31)] = cell[31 - (int)(threadIdx.x & 31)];
  }
}
#line 46 "named_barrier.cu"

#ifndef __CUDACC_RTC__
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace {

// Says why a call is refused, with values. The text is kept for the calling thread until its next
// refusal.
template <class... Values>
cudaError_t refuse(const char** why, const char* format, Values... values) {
  static thread_local char text[256];
  std::snprintf(text, sizeof text, format, values...);
  if (why != nullptr) *why = text;
  return cudaErrorInvalidValue;
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

}  // namespace

// Arguments of one call of named_barrier. Pointers are to device memory.
struct named_barrier_args {
  const float* x;  // f32[32]
  float* y;        // f32[32], written
};

// Bytes of device memory that a call needs besides its arguments.
long long named_barrier_workspace_bytes(const named_barrier_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_named_barrier(const named_barrier_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"x", args.x, 128, 4, false},
    {"y", args.y, 128, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  named_barrier_y<<<1, 96, 0, stream>>>(args.x, args.y);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
