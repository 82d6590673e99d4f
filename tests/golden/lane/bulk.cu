// bulk, made by cuoptc for sm_90a from tests/gpu/lane/bulk.lir:1.
//
//   function bulk {
//     input x: f32[65536];
//     inout z: f32[65536];
//     output y: f32[65536];
//     parameters(x, z, y);
//     stage [i in 0..65536] {
//       y[i] = x[i] + 1.0;
//     }
//     stage [i in 0..65536] {
//       z[i] = z[i] + (x[i] + 1.0);
//     }
//   }

namespace {

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

// Until all but `Pending` batches have read their sources.
template <int Pending>
__device__ __forceinline__ void wait_bulk_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

// Copies to shared memory; the bytes count at the barrier.
__device__ __forceinline__ void copy_bulk(void* to, const void* from, int bytes, unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier)) : "memory");
}

// Copies from shared to global memory.
__device__ __forceinline__ void store_bulk(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
               "r"(bytes) : "memory");
}

// Adds elements of shared memory to global memory.
__device__ __forceinline__ void add_bulk_f32(float* to, const float* from, int bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes) : "memory");
}

}  // namespace

// 64 KB in, one added, out again and added to z; persistent blocks, all at once
extern "C" __global__ void __launch_bounds__(256)
bulk_y(const float* __restrict__ x, float* z, float* y) {
  extern __shared__ __align__(1024) unsigned char shared_memory[];  // 65552 bytes
  float* const tile = (float*)(shared_memory + 0);  // 16384
  unsigned long long* const full = (unsigned long long*)(shared_memory + 65536);  // 1
#line 20 "tests/gpu/lane/bulk.lir"
  if (threadIdx.x == 0) {
#line 21 "tests/gpu/lane/bulk.lir"
    barrier_init(&full[0], 1);
#line 22 "tests/gpu/lane/bulk.lir"
    fence_init();
  }
#line 24 "tests/gpu/lane/bulk.lir"
  __syncthreads();
#line 25 "tests/gpu/lane/bulk.lir"
  int parity = 0;
#line 26 "tests/gpu/lane/bulk.lir"
  for (int t = (int)blockIdx.x; t < 4; t += (int)gridDim.x) {
#line 27 "tests/gpu/lane/bulk.lir"
    if (threadIdx.x == 0) {
#line 28 "tests/gpu/lane/bulk.lir"
      barrier_expect(&full[0], 65536);
#line 29 "tests/gpu/lane/bulk.lir"
      copy_bulk(&tile[0], &x[t * 16384], 65536, &full[0]);
    }
#line 31 "tests/gpu/lane/bulk.lir"
    barrier_wait(&full[0], parity);
#line 32 "tests/gpu/lane/bulk.lir"
    parity = parity ^ 1;
#line 33 "tests/gpu/lane/bulk.lir"
    for (int k = 0; k < 64; ++k) {
#line 34 "tests/gpu/lane/bulk.lir"
      tile[k * 256 + (int)threadIdx.x] += 1.0f;
    }
#line 36 "tests/gpu/lane/bulk.lir"
    fence_proxy();
#line 37 "tests/gpu/lane/bulk.lir"
    __syncthreads();
#line 38 "tests/gpu/lane/bulk.lir"
    if (threadIdx.x == 0) {
#line 39 "tests/gpu/lane/bulk.lir"
      store_bulk(&y[t * 16384], &tile[0], 65536);
#line 40 "tests/gpu/lane/bulk.lir"
      add_bulk_f32(&z[t * 16384], &tile[0], 65536);
#line 41 "tests/gpu/lane/bulk.lir"
      commit_bulk();
#line 42 "tests/gpu/lane/bulk.lir"
      wait_bulk_read<0>();
    }
#line 44 "tests/gpu/lane/bulk.lir"
    __syncthreads();
  }
#line 46 "tests/gpu/lane/bulk.lir"
  wait_bulk<0>();
}
#line 151 "bulk.cu"

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

// The same of blocks that ask for shared memory, or come in clusters.
template <class Kernel>
long long resident_blocks(Kernel* kernel, int threads, int shared_bytes, int cluster) {
  int device = 0, processors = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return cluster;
  if (cluster > 1) {
    cudaLaunchAttribute shape = {};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim.x = cluster;
    shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(cluster);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &shape;
    config.numAttrs = 1;
    cudaOccupancyMaxActiveClusters(&count, kernel, &config);
    return count > 0 ? static_cast<long long>(count) * cluster : cluster;
  }
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, threads, shared_bytes);
  const long long blocks = static_cast<long long>(processors) * count;
  return blocks > 0 ? blocks : 1;
}

// Blocks for `wanted` ones: whole clusters, and no more than `most`, since blocks take turns.
inline unsigned int blocks_for(long long wanted, int cluster, long long most) {
  if (wanted <= 0) return 0;
  const long long whole = ((wanted - 1) / cluster + 1) * cluster;
  return static_cast<unsigned int>(whole < most ? whole : most);
}

// Launches blocks that have to run all at once.
template <class... Parameters, class... Arguments>
cudaError_t launch_resident(void (*kernel)(Parameters...), unsigned int blocks, dim3 threads,
                            int shared_bytes, cudaStream_t stream, Arguments... arguments) {
  cudaLaunchAttribute together = {};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &together;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace

// Arguments of one call of bulk. Pointers are to device memory.
struct bulk_args {
  const float* x;  // f32[65536]
  float* z;        // f32[65536], read and written
  float* y;        // f32[65536], written
};

// Bytes of device memory that a call needs besides its arguments.
long long bulk_workspace_bytes(const bulk_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_bulk(const bulk_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"x", args.x, 262144, 4, false},
    {"z", args.z, 262144, 4, true},
    {"y", args.y, 262144, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (cudaError_t error = cudaFuncSetAttribute(bulk_y, cudaFuncAttributeMaxDynamicSharedMemorySize,
      65552)) {
    return error;
  }
  const long long most_bulk_y = resident_blocks(bulk_y, 256, 65552, 1);
  if (const unsigned int blocks = blocks_for(4, 1, most_bulk_y)) {
    if (blocks > most_bulk_y) return refuse(why, "not all blocks of bulk_y can run at once");
    if (cudaError_t error = launch_resident(bulk_y, blocks, dim3(256), 65552, stream, args.x,
        args.z, args.y)) {
      return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
