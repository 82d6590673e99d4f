// tensor_map, made by cuoptc for sm_90a from tests/gpu/lane/tensor_map.lir:1.
//
//   function tensor_map {
//     input x: f32[100, 60];
//     output y: f32[100, 60];
//     parameters(x, y);
//     stage [i in 0..100, j in 0..60] {
//       y[i, j] = x[i, j] + x[i, j];
//     }
//   }

struct alignas(64) TensorMap {  // how the copy engine finds boxes of a tensor; the host encodes it
  unsigned long long words[16];
};

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

__device__ __forceinline__ int mul_wrap(int a, int b) {
  return (int)((unsigned int)a * (unsigned int)b);
}

// The address of shared memory as instructions take it.
__device__ __forceinline__ unsigned int shared_address(const void* place) {
  return (unsigned int)__cvta_generic_to_shared(place);
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

// What this thread wrote to shared memory is seen by copies and matrix instructions.
__device__ __forceinline__ void fence_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Closes a batch of this thread's bulk copies to global memory.
__device__ __forceinline__ void commit_bulk() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until at most `Pending` batches of bulk copies are under way.
template <int Pending>
__device__ __forceinline__ void wait_bulk() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

// Copies a box to shared memory; its bytes count at the barrier.
__device__ __forceinline__ void copy_box_2d(void* to, const TensorMap* map, unsigned long long* barrier, int x0, int x1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x0), "r"(x1) : "memory");
}

// Copies a box from shared memory.
__device__ __forceinline__ void store_box_2d(const TensorMap* map, const void* from, int x0, int x1) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(shared_address(from)), "r"(x0), "r"(x1) : "memory");
}

}  // namespace

// boxes of 32 x 32 with a swizzle of 128 bytes, in and out; those at the edges are partly outside
extern "C" __global__ void __launch_bounds__(128)
tensor_map_y(const __grid_constant__ TensorMap xs, const __grid_constant__ TensorMap ys) {
  __shared__ alignas(1024) float tile[1024];
  __shared__ unsigned long long full[1];
#line 16 "tests/gpu/lane/tensor_map.lir"
  const int column = (int)blockIdx.x % 2 * 32;
#line 17 "tests/gpu/lane/tensor_map.lir"
  const int row = (int)blockIdx.x / 2 * 32;
#line 18 "tests/gpu/lane/tensor_map.lir"
  if (threadIdx.x == 0) {
#line 19 "tests/gpu/lane/tensor_map.lir"
    barrier_init(&full[0], 1);
#line 20 "tests/gpu/lane/tensor_map.lir"
    fence_init();
#line 21 "tests/gpu/lane/tensor_map.lir"
    barrier_expect(&full[0], 4096);
#line 22 "tests/gpu/lane/tensor_map.lir"
    copy_box_2d(&tile[0], &xs, &full[0], column, row);
  }
#line 24 "tests/gpu/lane/tensor_map.lir"
  __syncthreads();
#line 25 "tests/gpu/lane/tensor_map.lir"
  barrier_wait(&full[0], 0);
#line 26 "tests/gpu/lane/tensor_map.lir"
  for (int k = 0; k < 8; ++k) {
#line 27 "tests/gpu/lane/tensor_map.lir"
    const int at = k * 128 + (int)threadIdx.x;
#line 28 "tests/gpu/lane/tensor_map.lir"
    const int r = at / 32;
#line 29 "tests/gpu/lane/tensor_map.lir"
    const int c = at % 32;
#line 30 "tests/gpu/lane/tensor_map.lir"
    const int place = add_wrap(add_wrap(r * 32, mul_wrap((c / 4) ^ (r % 8), 4)), c % 4);
#line 31 "tests/gpu/lane/tensor_map.lir"
    tile[place] += tile[place];
  }
#line 33 "tests/gpu/lane/tensor_map.lir"
  fence_proxy();
#line 34 "tests/gpu/lane/tensor_map.lir"
  __syncthreads();
#line 35 "tests/gpu/lane/tensor_map.lir"
  if (threadIdx.x == 0) {
#line 36 "tests/gpu/lane/tensor_map.lir"
    store_box_2d(&ys, &tile[0], column, row);
#line 37 "tests/gpu/lane/tensor_map.lir"
    commit_bulk();
#line 38 "tests/gpu/lane/tensor_map.lir"
    wait_bulk<0>();
  }
}
#line 143 "tensor_map.cu"

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

// Arguments of one call of tensor_map. Pointers are to device memory.
struct tensor_map_args {
  const float* x;  // f32[100, 60]
  float* y;        // f32[100, 60], written
};

// Bytes of device memory that a call needs besides its arguments.
long long tensor_map_workspace_bytes(const tensor_map_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_tensor_map(const tensor_map_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"x", args.x, 24000, 4, false},
    {"y", args.y, 24000, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  TensorMap xs;
  if (cudaError_t error = encode_map(&xs, 7, args.x,
      {(unsigned long long)60, (unsigned long long)100}, {4, (unsigned long long)240}, {32, 32},
      3)) {
    return error;
  }
  TensorMap ys;
  if (cudaError_t error = encode_map(&ys, 7, args.y,
      {(unsigned long long)60, (unsigned long long)100}, {4, (unsigned long long)240}, {32, 32},
      3)) {
    return error;
  }
  tensor_map_y<<<8, 128, 0, stream>>>(xs, ys);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
