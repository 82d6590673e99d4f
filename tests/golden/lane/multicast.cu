// multicast, made by cuoptc for sm_90a from tests/gpu/lane/multicast.lir:1.
//
//   function multicast {
//     input x: f32[2, 256];
//     output y: f32[4, 256];
//     parameters(x, y);
//     stage [i in 0..4, j in 0..256] {
//       y[i, j] = x[i / 2, j];
//     }
//   }

struct alignas(64) TensorMap {  // how the copy engine finds boxes of a tensor; the host encodes it
  unsigned long long words[16];
};

namespace {

// All threads of the cluster arrive before any leaves.
__device__ __forceinline__ void cluster_sync() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

// The address of shared memory as instructions take it.
__device__ __forceinline__ unsigned int shared_address(const void* place) {
  return (unsigned int)__cvta_generic_to_shared(place);
}

// The place of this block in its cluster.
__device__ __forceinline__ int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// `count` arrivals end each phase of the barrier.
__device__ __forceinline__ void barrier_init(unsigned long long* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

// One arrival; the phase ends after `bytes` more were copied.
__device__ __forceinline__ void barrier_expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

// Until the phase of this parity is over.
__device__ __forceinline__ void barrier_wait(const unsigned long long* barrier, unsigned int parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra ready;\n\t"
      "bra again;\n\t"
      "ready:\n\t"
      "}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

// Initialised barriers are seen by the cluster and by the copy engine.
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// True in one lane of the warp.
__device__ __forceinline__ bool elect_one() {
  unsigned int elected;
  asm volatile("{ .reg .pred one; elect.sync _|one, 0xffffffff; selp.u32 %0, 1, 0, one; }" : "=r"(elected));
  return elected != 0;
}

// Copies a box to shared memory of the blocks `ranks`; its bytes count at the barrier of each.
__device__ __forceinline__ void copy_box_2d_multicast(void* to, const TensorMap* map, unsigned long long* barrier, unsigned short ranks, int x0, int x1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%4, %5}], [%2], %3;" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "h"(ranks), "r"(x0), "r"(x1) : "memory");
}

}  // namespace

// one block of each cluster copies half a row to both, the other the other half
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128)
multicast_y(float* y, const __grid_constant__ TensorMap rows) {
  __shared__ alignas(128) float tile[256];
  __shared__ unsigned long long full[1];
#line 16 "tests/gpu/lane/multicast.lir"
  if (threadIdx.x == 0) {
#line 17 "tests/gpu/lane/multicast.lir"
    barrier_init(&full[0], 1);
#line 18 "tests/gpu/lane/multicast.lir"
    fence_init();
#line 19 "tests/gpu/lane/multicast.lir"
    barrier_expect(&full[0], 1024);
  }
#line 21 "tests/gpu/lane/multicast.lir"
  cluster_sync();
#line 22 "tests/gpu/lane/multicast.lir"
  const bool leader = elect_one();
#line 23 "tests/gpu/lane/multicast.lir"
  if (leader && (threadIdx.x / 32) == 0) {
#line 24 "tests/gpu/lane/multicast.lir"
    copy_box_2d_multicast(&tile[(int)cluster_rank() * 128], &rows, &full[0], (unsigned short)3,
        (int)cluster_rank() * 128, (int)blockIdx.x / 2);
  }
#line 26 "tests/gpu/lane/multicast.lir"
  barrier_wait(&full[0], 0);
#line 27 "tests/gpu/lane/multicast.lir"
  y[(int)blockIdx.x * 256 + (int)threadIdx.x] = tile[(int)threadIdx.x];
#line 28 "tests/gpu/lane/multicast.lir"
  y[(int)blockIdx.x * 256 + 128 + (int)threadIdx.x] = tile[128 + (int)threadIdx.x];
#line 29 "tests/gpu/lane/multicast.lir"
  cluster_sync();
}
#line 116 "multicast.cu"

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

// Encodes how boxes of a tensor are found: extents in elements, strides in bytes, innermost axis
// first. The numbers of types and swizzles are those of cuda.h.
template <int Rank>
cudaError_t encode_map(TensorMap* map, int type, const void* memory,
                       const unsigned long long (&extents)[Rank],
                       const unsigned long long (&strides)[Rank], const unsigned int (&box)[Rank],
                       int swizzle) {
  using Encode = int (*)(TensorMap*, int, unsigned int, void*, const unsigned long long*,
                         const unsigned long long*, const unsigned int*, const unsigned int*, int,
                         int, int, int);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                             cudaEnableDefault, &found);
#else
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess || entry == nullptr) return cudaErrorNotSupported;
  unsigned int steps[Rank];
  for (unsigned int& step : steps) step = 1;
  constexpr int promote_to_256_bytes = 3;
  const int status = reinterpret_cast<Encode>(entry)(map, type, Rank, const_cast<void*>(memory), extents,
                                                     strides + 1, box, steps, 0, swizzle,
                                                     promote_to_256_bytes, 0);
  return status == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

// Arguments of one call of multicast. Pointers are to device memory.
struct multicast_args {
  const float* x;  // f32[2, 256]
  float* y;        // f32[4, 256], written
};

// Bytes of device memory that a call needs besides its arguments.
long long multicast_workspace_bytes(const multicast_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_multicast(const multicast_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"x", args.x, 2048, 4, false},
    {"y", args.y, 4096, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  TensorMap rows;
  if (cudaError_t error = encode_map(&rows, 7, args.x,
      {(unsigned long long)256, (unsigned long long)2}, {4, (unsigned long long)1024}, {128, 1},
      0)) {
    return error;
  }
  multicast_y<<<4, 128, 0, stream>>>(args.y, rows);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
