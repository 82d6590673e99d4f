// Measures the constants of the machine table (dsl/machine/architectures.cpp) that no data sheet
// gives: latencies, L2 bandwidth, rates of atomics by type and place, launch and block overheads.
// Each line is a name and a figure; docs/decisions/0019-machine-model.md says where they are used.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 machine_constants.cu -o machine_constants &&
//   ./machine_constants
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(x)                                                                  \
  do {                                                                            \
    const cudaError_t error = (x);                                                \
    if (error != cudaSuccess) {                                                   \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

constexpr int kSteps = 4096;

double median_us(const std::function<void()>& run, int samples = 9) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int sample = -2; sample < samples; ++sample) {
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (sample >= 0) times.push_back(ms * 1e3f);
  }
  CHECK(cudaGetLastError());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

enum class Chain { Fma, Dfma, Imad, Ex2, Shuffle };

template <Chain chain>
__global__ void dependent(float seed, long long* clocks, float* sink) {
  float x = seed;
  double d = seed;
  int i = static_cast<int>(seed) + threadIdx.x;
  const long long begin = clock64();
#pragma unroll 64
  for (int step = 0; step < kSteps; ++step) {
    if constexpr (chain == Chain::Fma) x = fmaf(x, seed, seed);
    if constexpr (chain == Chain::Dfma) d = fma(d, double(seed), double(seed));
    if constexpr (chain == Chain::Imad) i = i * i + 7;
    if constexpr (chain == Chain::Ex2) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    if constexpr (chain == Chain::Shuffle) i = __shfl_xor_sync(~0u, i, 1);
  }
  clocks[0] = clock64() - begin;
  sink[threadIdx.x] = x + float(d) + float(i);
}

template <bool L1>
__global__ void chase(const uint32_t* next, long long* clocks, uint32_t* sink, int warm) {
  uint32_t at = 0;
  long long begin = 0;
  for (int step = -warm; step < kSteps; ++step) {
    if (step == 0) begin = clock64();
    if constexpr (L1)
      asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
    else
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
  }
  clocks[0] = clock64() - begin;
  *sink = at;
}

__global__ void chase_shared(long long* clocks, uint32_t* sink) {
  __shared__ uint32_t next[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) next[i] = (i + 33) % 1024;
  __syncwarp();
  uint32_t at = threadIdx.x;
  const long long begin = clock64();
  for (int step = 0; step < kSteps; ++step) at = next[at];
  clocks[0] = clock64() - begin;
  sink[threadIdx.x] = at;
}

__global__ void barriers(long long* clocks) {
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 16
  for (int step = 0; step < kSteps; ++step) __syncthreads();
  if (threadIdx.x == 0) clocks[0] = clock64() - begin;
}

void latencies() {
  long long* clocks;
  uint32_t* sink;
  CHECK(cudaMallocManaged(&clocks, 8));
  CHECK(cudaMalloc(&sink, 4096));
  auto* floats = reinterpret_cast<float*>(sink);
  const auto say = [&](const char* name) {
    CHECK(cudaDeviceSynchronize());
    std::printf("latency.%-16s %7.1f clk\n", name, double(*clocks) / kSteps);
  };
  const auto twice = [](auto run) {
    run();
    run();
  };
  twice([&] { dependent<Chain::Fma><<<1, 32>>>(1.0f, clocks, floats); }), say("fma");
  twice([&] { dependent<Chain::Dfma><<<1, 32>>>(1.0f, clocks, floats); }), say("dfma");
  twice([&] { dependent<Chain::Imad><<<1, 32>>>(1.0f, clocks, floats); }), say("imad");
  twice([&] { dependent<Chain::Ex2><<<1, 32>>>(1.0f, clocks, floats); }), say("ex2");
  twice([&] { dependent<Chain::Shuffle><<<1, 32>>>(1.0f, clocks, floats); }), say("shuffle");
  twice([&] { chase_shared<<<1, 32>>>(clocks, sink); }), say("shared");
  twice([&] { barriers<<<1, 256>>>(clocks); }), say("barrier256");
  twice([&] { barriers<<<1, 1024>>>(clocks); }), say("barrier1024");
  // A ring of cache lines in random order: 16 KiB stays in L1, 8 MiB in L2, 2 GiB in neither.
  for (const auto& [name, lines, warm] :
       {std::tuple("l1", 128, 128), std::tuple("l2", 1 << 16, 1 << 16),
        std::tuple("dram", 1 << 24, 0)}) {
    std::vector<uint32_t> order(lines);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
    std::vector<uint32_t> host(std::size_t(lines) * 32);
    for (int i = 0; i < lines; ++i) host[std::size_t(order[i]) * 32] = order[(i + 1) % lines] * 32;
    uint32_t* ring;
    CHECK(cudaMalloc(&ring, host.size() * 4));
    CHECK(cudaMemcpy(ring, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
    if (lines == 128)
      chase<true><<<1, 1>>>(ring, clocks, sink, warm);
    else
      chase<false><<<1, 1>>>(ring, clocks, sink, warm);
    say(name);
    CHECK(cudaFree(ring));
  }
}

__global__ void read_l2(const float4* data, int count, int rounds, float* sink) {
  float sum = 0;
  const int threads = gridDim.x * blockDim.x;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
      const float4 v = __ldcg(data + i);
      sum += v.x + v.y + v.z + v.w;
    }
  }
  if (sum == 1.5f) *sink = sum;
}

__global__ void empty() {}

template <class T>
__device__ void reduce(T* where, T value) {
  atomicAdd(where, value);
}
template <>
__device__ void reduce(__half2* where, __half2 value) {
  atomicAdd(where, value);
}

struct Maximum {
  float value;
};
__device__ void reduce(Maximum* where,
                       Maximum m) {  // the loop that a type without an instruction takes
  auto* bits = reinterpret_cast<unsigned*>(where);
  unsigned old = *bits, seen;
  do {
    seen = old;
    old = atomicCAS(bits, seen, __float_as_uint(fmaxf(__uint_as_float(seen), m.value)));
  } while (old != seen);
}

enum class Spread { Random, Consecutive, OneAWarp, One };

__device__ uint32_t slot(Spread spread, uint32_t i, uint32_t slots) {
  uint32_t h = i * 2654435761u;
  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  switch (spread) {
    case Spread::Random: return h % slots;
    case Spread::Consecutive: return i % slots;
    case Spread::OneAWarp: return i / 32 * 97 % slots;
    default: return 0;
  }
}

template <class T>
__global__ void global_atomics(T* targets, uint32_t slots, Spread spread, int each, T value) {
  const uint32_t threads = gridDim.x * blockDim.x;
  const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < each; ++k) reduce(targets + slot(spread, first + k * threads, slots), value);
}

template <class T>
__global__ void shared_atomics(Spread spread, int each, T value, T* sink) {
  __shared__ __align__(16) unsigned char raw[1024 * sizeof(T)];
  T* bins = reinterpret_cast<T*>(raw);
  for (int i = threadIdx.x; i < int(1024 * sizeof(T)); i += blockDim.x) raw[i] = 0;
  __syncthreads();
  for (int k = 0; k < each; ++k)
    reduce(bins + slot(spread, threadIdx.x + k * blockDim.x, 1024), value);
  __syncthreads();
  if (threadIdx.x == 0) sink[blockIdx.x] = bins[0];
}

template <class T>
void atomics_of(const char* type, T value, double ghz) {
  constexpr uint32_t kSlots = 1 << 20;
  T* targets;
  CHECK(cudaMalloc(&targets, kSlots * sizeof(T)));
  CHECK(cudaMemset(targets, 0, kSlots * sizeof(T)));
  const std::pair<const char*, Spread> spreads[] = {{"random", Spread::Random},
                                                    {"consecutive", Spread::Consecutive},
                                                    {"one-a-warp", Spread::OneAWarp},
                                                    {"one", Spread::One}};
  for (const auto& [name, spread] : spreads) {
    const int each = spread == Spread::One ? 2 : 64;
    const int blocks = 132 * 8, threads = 256;
    double us = median_us(
        [&] { global_atomics<<<blocks, threads>>>(targets, kSlots, spread, each, value); }, 5);
    std::printf("global.%-5s %-12s %9.3f lanes/ns\n", type, name,
                double(blocks) * threads * each / us / 1e3);
    us = median_us([&] { shared_atomics<<<132 * 2, 1024>>>(spread, each * 4, value, targets); }, 5);
    std::printf("shared.%-5s %-12s %9.3f lanes/clk/SM\n", type, name,
                2048.0 * each * 4 / (us * 1e3 * ghz));
  }
  CHECK(cudaFree(targets));
}

void launches() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 500; ++i) empty<<<1, 32, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  std::printf("launch.graph   %7.3f us\n",
              median_us([&] { CHECK(cudaGraphLaunch(executable, 0)); }) / 500);
  std::printf("launch.stream  %7.3f us\n", median_us([&] {
                                             for (int i = 0; i < 500; ++i) empty<<<1, 32>>>();
                                           }) / 500);
  for (int threads : {32, 128, 256, 1024}) {
    const double us = median_us([&] { empty<<<1 << 20, threads>>>(); });
    std::printf("blocks of %4d  %7.3f ns a block\n", threads, us * 1e3 / (1 << 20));
  }
}

int main() {
  int khz;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  const double ghz = khz * 1e-6;
  std::printf("clock %.3f GHz\n", ghz);
  latencies();
  float4* data;
  CHECK(cudaMalloc(&data, 64 << 20));
  for (int mib : {8, 16, 24, 32, 48}) {
    const double us = median_us(
        [&] { read_l2<<<132 * 4, 512>>>(data, mib << 16, 20, reinterpret_cast<float*>(data)); });
    std::printf("l2 read %2d MiB %9.1f GB/s\n", mib, double(mib << 20) * 20 / us / 1e3);
  }
  atomics_of<int>("i32", 1, ghz);
  atomics_of<unsigned long long>("u64", 1, ghz);
  atomics_of<float>("f32", 1.0f, ghz);
  atomics_of<double>("f64", 1.0, ghz);
  atomics_of<__half2>("f16x2", __float2half2_rn(1.0f), ghz);
  atomics_of<Maximum>("cas", {1.0f}, ghz);
  launches();
}
