// cluster_sum, made by cuoptc for sm_90a from tests/gpu/lane/cluster_sum.lir:1.
//
//   function cluster_sum {
//     input x: f32[1024];
//     output y: f32[];
//     parameters(x, y);
//     stage [] {
//       y[] = sum<f32>[i in 0..1024](x[i]);
//     }
//   }

namespace {

// A count outside the width leaves the sign.
__device__ __forceinline__ int shift_right(int x, long long count) {
  return x >> (count >= 0 && count < 32 ? count : 32 - 1);
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

// All threads of the cluster arrive before any leaves.
__device__ __forceinline__ void cluster_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

// The place of this block in its cluster.
__device__ __forceinline__ int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// The same place in the shared memory of another block of the cluster.
template <class T>
__device__ __forceinline__ T* at_rank(T* place, int rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(place), "r"(rank));
  return there;
}

}  // namespace

// a sum by shuffles, shared memory and the memory of the other blocks of the cluster
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
cluster_sum_y(const float* __restrict__ x, float* y) {
  __shared__ float parts[8];
  __shared__ alignas(16) float total[4];
  __shared__ int count[1];
#line 17 "tests/gpu/lane/cluster_sum.lir"
  if (threadIdx.x == 0) {
#line 18 "tests/gpu/lane/cluster_sum.lir"
    count[0] = 0;
  }
#line 20 "tests/gpu/lane/cluster_sum.lir"
  float sum = x[(int)blockIdx.x * 256 + (int)threadIdx.x];
#line 21 "tests/gpu/lane/cluster_sum.lir"
  #pragma unroll 5
  for (int k = 0; k < 5; ++k) {
#line 22 "tests/gpu/lane/cluster_sum.lir"
    const float other = __shfl_xor_sync(0xffffffffu, sum, shift_right(16, k));
#line 23 "tests/gpu/lane/cluster_sum.lir"
    sum += other;
  }
#line 25 "tests/gpu/lane/cluster_sum.lir"
  if ((threadIdx.x & 31) == 0) {
#line 26 "tests/gpu/lane/cluster_sum.lir"
    parts[(int)(threadIdx.x / 32)] = sum;
  }
#line 28 "tests/gpu/lane/cluster_sum.lir"
  cluster_sync();
#line 29 "tests/gpu/lane/cluster_sum.lir"
  if (threadIdx.x == 0) {
#line 30 "tests/gpu/lane/cluster_sum.lir"
    float all = 0.0f;
#line 31 "tests/gpu/lane/cluster_sum.lir"
    for (int k = 0; k < 8; ++k) {
#line 32 "tests/gpu/lane/cluster_sum.lir"
      all += parts[k];
    }
#line 34 "tests/gpu/lane/cluster_sum.lir"
    *at_rank(&total[(int)cluster_rank()], 0) = all;
#line 35 "tests/gpu/lane/cluster_sum.lir"
    atomicAdd(&*at_rank(&count[0], 0), 1);
  }
#line 37 "tests/gpu/lane/cluster_sum.lir"
  cluster_sync();
#line 38 "tests/gpu/lane/cluster_sum.lir"
  if (threadIdx.x == 0 && cluster_rank() == 1) {
#line 39 "tests/gpu/lane/cluster_sum.lir"
    const float a = *at_rank(&total[0], 0);
#line 40 "tests/gpu/lane/cluster_sum.lir"
    const float b = *at_rank(&total[1], 0);
#line 41 "tests/gpu/lane/cluster_sum.lir"
    const vector_of<float, 2> c_vector = *(const vector_of<float, 2>*)&*at_rank(&total[2], 0);
    const float c = c_vector.at[0];
    const float d = c_vector.at[1];
#line 42 "tests/gpu/lane/cluster_sum.lir"
    const int n = *at_rank(&count[0], 0);
#line 43 "tests/gpu/lane/cluster_sum.lir"
    if (n == 4) {
#line 44 "tests/gpu/lane/cluster_sum.lir"
      y[0] = a + b + (c + d);
    }
  }
#line 47 "tests/gpu/lane/cluster_sum.lir"
  cluster_sync();
}
#line 115 "cluster_sum.cu"

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

// Arguments of one call of cluster_sum. Pointers are to device memory.
struct cluster_sum_args {
  const float* x;  // f32[1024]
  float* y;        // f32[], written
};

// Bytes of device memory that a call needs besides its arguments.
long long cluster_sum_workspace_bytes(const cluster_sum_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_cluster_sum(const cluster_sum_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"x", args.x, 4096, 4, false},
    {"y", args.y, 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  cluster_sum_y<<<4, 256, 0, stream>>>(args.x, args.y);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
