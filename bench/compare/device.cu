// What the clock needs on the device: markers around a sample, a flushed L2, a head start for the host, and plain kernels that
// only read and write, whose best time is the floor of a mix of streams.
//
// All functions return a CUDA error code and launch on `stream` without waiting.
#include <cuda_runtime.h>

#include <cstddef>

extern "C" __global__ void cdsl_sample_begin() {}
extern "C" __global__ void cdsl_sample_end() {}

__global__ void wait_ns(unsigned long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < ns);
}

__global__ void read_all(const float4* from, size_t n, float* sink) {
  float sum = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.678f) *sink = sum;
}

struct Streams {
  const float4* read[3];
  float4* write[2];
};

// Reads R streams and writes their sum to W streams of n vectors each; U vectors of each are in flight a thread.
template <int R, int W, int U>
__global__ void mix(Streams s, size_t n, float* sink) {
  float sum = 0;
  const size_t tile = size_t(blockDim.x) * U;
  for (size_t base = blockIdx.x * tile + threadIdx.x; base < n; base += size_t(gridDim.x) * tile) {
    float4 v[R][U];
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
      for (int u = 0; u < U; ++u) {
        const size_t i = base + u * size_t(blockDim.x);
        v[r][u] = i < n ? __ldcs(s.read[r] + i) : make_float4(0, 0, 0, 0);
      }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const size_t i = base + u * size_t(blockDim.x);
      float4 x = v[0][u];
#pragma unroll
      for (int r = 1; r < R; ++r) x.x += v[r][u].x, x.y += v[r][u].y, x.z += v[r][u].z, x.w += v[r][u].w;
#pragma unroll
      for (int w = 0; w < W; ++w)
        if (i < n) __stcs(s.write[w] + i, x);
      if (W == 0) sum += x.x + x.y + x.z + x.w;
    }
  }
  if (W == 0 && sum == 12345.678f) *sink = sum;
}

namespace {

constexpr int kBlocks[] = {256, 512, 1024};
constexpr int kUnrolls = 4, kGrids = 3, kVariants = kUnrolls * 3 * kGrids;

using Kernel = void (*)(Streams, size_t, float*);

template <int R, int W>
Kernel with_unroll(int which) {
  const Kernel kernels[kUnrolls] = {mix<R, W, 1>, mix<R, W, 2>, mix<R, W, 4>, mix<R, W, 8>};
  return kernels[which];
}

Kernel kernel_of(int reads, int writes, int unroll) {
  if (reads == 1 && writes == 0) return with_unroll<1, 0>(unroll);
  if (reads == 1 && writes == 1) return with_unroll<1, 1>(unroll);
  if (reads == 2 && writes == 0) return with_unroll<2, 0>(unroll);
  if (reads == 2 && writes == 1) return with_unroll<2, 1>(unroll);
  if (reads == 3 && writes == 1) return with_unroll<3, 1>(unroll);
  if (reads == 3 && writes == 2) return with_unroll<3, 2>(unroll);
  return nullptr;
}

int last_error(cudaError_t error = cudaSuccess) { return int(error != cudaSuccess ? error : cudaGetLastError()); }

}  // namespace

extern "C" {

const char* bench_error(int code) { return cudaGetErrorString(cudaError_t(code)); }

int bench_begin(cudaStream_t stream) {
  cdsl_sample_begin<<<1, 1, 0, stream>>>();
  return last_error();
}

int bench_end(cudaStream_t stream) {
  cdsl_sample_end<<<1, 1, 0, stream>>>();
  return last_error();
}

int bench_wait(cudaStream_t stream, unsigned long long ns) {
  wait_ns<<<1, 1, 0, stream>>>(ns);
  return last_error();
}

// Writes `bytes` at `written`, then reads as many at `read`, which nothing writes: no dirty line is left whose write-back would
// fall into the sample.
int bench_flush(cudaStream_t stream, void* written, const void* read, size_t bytes, float* sink) {
  const cudaError_t error = cudaMemsetAsync(written, 0, bytes, stream);
  if (error != cudaSuccess) return int(error);
  read_all<<<1056, 512, 0, stream>>>(static_cast<const float4*>(read), bytes / 16, sink);
  return last_error();
}

int bench_floor_variants() { return kVariants; }

// Variant `which` of a kernel that reads and writes so many streams of n vectors of 16 bytes. -1: no such kernel, or this one
// does not fit the device or the size.
int bench_floor(cudaStream_t stream, int reads, int writes, int which, void* const* pointers, size_t n, float* sink) {
  const int unroll = which % kUnrolls, block = kBlocks[which / kUnrolls % 3], shape = which / (kUnrolls * 3);
  const Kernel kernel = which < kVariants ? kernel_of(reads, writes, unroll) : nullptr;
  if (kernel == nullptr) return -1;
  Streams streams{};
  for (int r = 0; r < reads; ++r) streams.read[r] = static_cast<const float4*>(pointers[r]);
  for (int w = 0; w < writes; ++w) streams.write[w] = static_cast<float4*>(pointers[reads + w]);
  int device = 0, processors = 0, resident = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block, 0);
  if (error != cudaSuccess) return int(error);
  const size_t tile = size_t(block) * (size_t(1) << unroll);
  const size_t all = (n + tile - 1) / tile, wave = size_t(processors) * resident;
  const size_t grid = shape == 0 ? all : shape == 1 ? wave : 4 * wave;
  if (grid == 0 || grid > all) return -1;
  kernel<<<unsigned(grid), block, 0, stream>>>(streams, n, sink);
  return last_error();
}

}  // extern "C"
