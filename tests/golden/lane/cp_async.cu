// cp_async, made by cuoptc for sm_90a from tests/gpu/lane/cp_async.lir:1.
//
//   function cp_async {
//     input x: f32[4096];
//     output y: f32[4096];
//     parameters(x, y);
//     stage [i in 0..4096] {
//       y[i] = x[i] + x[i];
//     }
//   }

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ int mul_wrap(int a, int b) {
  return (int)((unsigned int)a * (unsigned int)b);
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

// The address of shared memory as instructions take it.
__device__ __forceinline__ unsigned int shared_address(const void* place) {
  return (unsigned int)__cvta_generic_to_shared(place);
}

// Copies 4, 8 or 16 bytes to shared memory, in the background.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes) : "memory");
  }
}

// The same where `holds`; else zeros, and nothing is read.
template <int Bytes>
__device__ __forceinline__ void copy_async_when(void* to, const void* from, bool holds) {
  const int read = holds ? Bytes : 0;
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(read) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes), "r"(read) : "memory");
  }
}

// Closes a batch of this thread's copy_async.
__device__ __forceinline__ void commit_async() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until at most `Pending` batches of copy_async are under way.
template <int Pending>
__device__ __forceinline__ void wait_async() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace

// two stages: the next copy is under way while this one is used
extern "C" __global__ void __launch_bounds__(128)
cp_async_y(const float* __restrict__ x, float* y) {
  __shared__ alignas(16) float tile[1024];
#line 15 "tests/gpu/lane/cp_async.lir"
  const int first = (int)blockIdx.x * 2048;
#line 16 "tests/gpu/lane/cp_async.lir"
  const int mine = (int)threadIdx.x * 4;
#line 17 "tests/gpu/lane/cp_async.lir"
  const int other = mul_wrap((int)threadIdx.x ^ 1, 4);
#line 18 "tests/gpu/lane/cp_async.lir"
  copy_async<16>(&tile[mine], &x[first + mine]);
#line 19 "tests/gpu/lane/cp_async.lir"
  commit_async();
#line 20 "tests/gpu/lane/cp_async.lir"
  for (int t = 0; t < 4; ++t) {
#line 21 "tests/gpu/lane/cp_async.lir"
    const int next = t + 1;
#line 22 "tests/gpu/lane/cp_async.lir"
    copy_async_when<16>(&tile[next % 2 * 512 + mine], &x[first + next * 512 + mine], t < 3);
#line 23 "tests/gpu/lane/cp_async.lir"
    commit_async();
#line 24 "tests/gpu/lane/cp_async.lir"
    wait_async<1>();
#line 25 "tests/gpu/lane/cp_async.lir"
    __syncthreads();
#line 26 "tests/gpu/lane/cp_async.lir"
    const vector_of<float, 4> a_vector =
        *(const vector_of<float, 4>*)&tile[add_wrap(t % 2 * 512, other)];
    const float a = a_vector.at[0];
    const float b = a_vector.at[1];
    const float c = a_vector.at[2];
    const float d = a_vector.at[3];
#line 27 "tests/gpu/lane/cp_async.lir"
    *(vector_of<float, 4>*)&y[add_wrap(first + t * 512, other)] =
        vector_of<float, 4>{{a + a, b + b, c + c, d + d}};
#line 28 "tests/gpu/lane/cp_async.lir"
    __syncthreads();
  }
}
#line 108 "cp_async.cu"

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

// Arguments of one call of cp_async. Pointers are to device memory.
struct cp_async_args {
  const float* x;  // f32[4096]
  float* y;        // f32[4096], written
};

// Bytes of device memory that a call needs besides its arguments.
long long cp_async_workspace_bytes(const cp_async_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_cp_async(const cp_async_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"x", args.x, 16384, 4, false},
    {"y", args.y, 16384, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  cp_async_y<<<2, 128, 0, stream>>>(args.x, args.y);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
