// histogram, made by cuoptc for sm_90a from examples/histogram.cdsl:9.
//
//   fn histogram(x: u8[N]) -> (h: i32[256]) {
//     scatter[i in 0..N] h[x[i]] += 1;
//   }
//
// Decisions:
// - simplify: histogram: declined: no exact rule applies
// - recognize: h: pointwise: over i0
// - recognize: h: histogram: 256 bins of h, the same amount each time
// - map: h: all accesses are at the statement's own point, so one index runs along the lanes, bound
// by launch (predicted 1.66 us, sectors/request 16)
// - vectorize: h: elements of one memory access (predicted 1.66 us)
// - launch: h: blocks are limited by warps (predicted 1.66 us, occupancy 1)
// - index: h: accesses of a thread under way at once (predicted 1.66 us)
// - predicate: h: blocks whose tile lies inside test nothing (predicted 1.66 us)
// - atomics: h: each block has so many copies of its bins in shared memory that lanes of a warp do
// not wait for each other (predicted 6.89 us, bins 256, threads 1024)
// - copies: h: copies of each bin, one for every lane of a warp modulo that (predicted 6.89 us,
// shared 32 KB, blocks of a multiprocessor 1)
// - prefetch: h: vectors of neighbouring points are on their way while a thread makes the updates
// of one (predicted 6.89 us, points of a vector 16)
// - lower: h: updates of bins that a block shares (kernels 1)
// - index: histogram: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 19, in 64 bits 0)

namespace {

__device__ __forceinline__ int add_wrap(int a, int b) {
  return (int)((unsigned int)a + (unsigned int)b);
}

// A count outside the width shifts everything out.
__device__ __forceinline__ unsigned int shift_right(unsigned int x, long long count) {
  return count >= 0 && count < 32 ? x >> count : 0;
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

// Neighbours in memory to registers, in one access.
template <int Count, class T>
__device__ __forceinline__ void load_vector(T* to, const T* from) {
  const vector_of<T, Count> all = *(const vector_of<T, Count>*)from;
#pragma unroll
  for (int k = 0; k < Count; ++k) to[k] = all.at[k];
}

// Registers to neighbours in memory, in one access.
template <int Count, class T>
__device__ __forceinline__ void store_vector(T* to, const T* from) {
  vector_of<T, Count> all;
#pragma unroll
  for (int k = 0; k < Count; ++k) all.at[k] = from[k];
  *(vector_of<T, Count>*)to = all;
}

}  // namespace

// h[i0] = i32(0)
extern "C" __global__ void __launch_bounds__(256)
histogram_h(int* __restrict__ h) {
  constexpr int tile_i0 = 1024;
  constexpr int vector_i0 = 4;
  int h_out[4];
  int h_out_2[4];
#line 10 "examples/histogram.cdsl"
  const int i0_block = (int)blockIdx.x * tile_i0;
  const int i0_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_i0;
  if (i0_block + tile_i0 <= 256) {
    #pragma unroll 4
    for (int i0v = 0; i0v < vector_i0; ++i0v) {
      h_out[i0v] = 0;
    }
    store_vector<vector_i0>(&h[i0_block + i0_first], &h_out[0]);
  } else if (i0_block + i0_first < 256) {
    #pragma unroll 4
    for (int i0v = 0; i0v < vector_i0; ++i0v) {
      h_out_2[i0v] = 0;
    }
    store_vector<vector_i0>(&h[i0_block + i0_first], &h_out_2[0]);
  }
}
#line 88 "histogram.cu"

// h[i64(x[i])] += i32(1)
extern "C" __global__ void __launch_bounds__(1024, 1)
histogram_h_scatter(const unsigned char* __restrict__ x, int* h, int N) {
  __shared__ int h_bins[8192];
  unsigned int x_part[4];
  unsigned int x_ahead[16];
#line 10 "examples/histogram.cdsl"
  // block-stride
  for (int bin = (int)threadIdx.x; bin < 8192; bin += (int)blockDim.x) {
    h_bins[bin] = 0;
  }
  __syncthreads();
  const int copy = (int)threadIdx.x % 32;
  const int vectors = N / 16;
  const int block = (int)blockIdx.x;
  const int first = block * 4096 + (int)threadIdx.x;
  const int step = (int)gridDim.x * 4096;
  #pragma unroll 4
  for (int slot = 0; slot < 4; ++slot) {
    const int at = first + slot * 1024;
    if (at < vectors) {
      load_vector<4>(&x_ahead[slot * 4], (const unsigned int*)&x[at * 16]);
    }
  }
  // grid-stride, vectors of 16, each loaded a round before
  for (int round_ = first; round_ < vectors; round_ += step) {
    #pragma unroll 4
    for (int slot_2 = 0; slot_2 < 4; ++slot_2) {
      const int at = round_ + slot_2 * 1024;
      if (at < vectors) {
        #pragma unroll 4
        for (int word = 0; word < 4; ++word) {
          x_part[word] = x_ahead[slot_2 * 4 + word];
        }
        const int next = at + step;
        if (next < vectors) {
          load_vector<4>(&x_ahead[slot_2 * 4], (const unsigned int*)&x[next * 16]);
        }
        #pragma unroll 16
        for (int k = 0; k < 16; ++k) {
          const int bin = (int)(unsigned char)shift_right(x_part[k / 4], (unsigned int)(k % 4 * 8));
          atomicAdd_block(&h_bins[bin * 32 + copy], 1);
        }
      }
    }
  }
  if (block * 1024 + (int)threadIdx.x < N - vectors * 16) {
    const int point = vectors * 16 + block * 1024 + (int)threadIdx.x;
    const int bin = (int)x[point];
    atomicAdd_block(&h_bins[bin * 32 + copy], 1);
  }
  __syncthreads();
  // block-stride
  for (int bin = (int)threadIdx.x; bin < 256; bin += (int)blockDim.x) {
    int total = 0;
    #pragma unroll 32
    for (int turn = 0; turn < 32; ++turn) {
      total = add_wrap(total, h_bins[bin * 32 + (turn + bin) % 32]);
    }
    if (total != 0) {
      atomicAdd(&h[bin], total);
    }
  }
}
#line 154 "histogram.cu"

// h[i0] = i32(0)
extern "C" __global__ void __launch_bounds__(256)
histogram_h_general(int* __restrict__ h) {
  constexpr int tile_i0 = 256;
#line 10 "examples/histogram.cdsl"
  const int i0_block = (int)blockIdx.x * tile_i0;
  const int i0 = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  h[i0_block + i0] = 0;
}
#line 165 "histogram.cu"

// h[i64(x[i])] += i32(1)
extern "C" __global__ void __launch_bounds__(1024)
histogram_h_scatter_general(const unsigned char* __restrict__ x, int* h, long long N) {
  __shared__ int h_bins[8192];
#line 10 "examples/histogram.cdsl"
  // block-stride
  for (int bin = (int)threadIdx.x; bin < 8192; bin += (int)blockDim.x) {
    h_bins[bin] = 0;
  }
  __syncthreads();
  const int copy = (int)threadIdx.x % 32;
  // grid-stride, 4 at a time
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * 4096) {
    const long long at = x[i];
    const long long next = i + (long long)gridDim.x * 1024;
    const long long i_2 = min(next, N - 1);
    const long long at_2 = x[i_2];
    const long long next_2 = next + (long long)gridDim.x * 1024;
    const long long i_3 = min(next_2, N - 1);
    const long long at_3 = x[i_3];
    const long long next_3 = next_2 + (long long)gridDim.x * 1024;
    const long long i_4 = min(next_3, N - 1);
    const long long at_4 = x[i_4];
    const int bin = (int)at;
    atomicAdd_block(&h_bins[bin * 32 + copy], 1);
    if (next < N) {
      const int bin_2 = (int)at_2;
      atomicAdd_block(&h_bins[bin_2 * 32 + copy], 1);
    }
    if (next_2 < N) {
      const int bin_3 = (int)at_3;
      atomicAdd_block(&h_bins[bin_3 * 32 + copy], 1);
    }
    if (next_3 < N) {
      const int bin_4 = (int)at_4;
      atomicAdd_block(&h_bins[bin_4 * 32 + copy], 1);
    }
  }
  __syncthreads();
  // block-stride
  for (int bin = (int)threadIdx.x; bin < 256; bin += (int)blockDim.x) {
    int total = 0;
    #pragma unroll 32
    for (int turn = 0; turn < 32; ++turn) {
      total = add_wrap(total, h_bins[bin * 32 + (turn + bin) % 32]);
    }
    if (total != 0) {
      atomicAdd(&h[bin], total);
    }
  }
}
#line 219 "histogram.cu"

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

// Does memory start at a multiple of `bytes`?
inline bool is_aligned(const void* memory, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0;
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

// Blocks for `wanted` ones: whole clusters, and no more than `most`, since blocks take turns.
inline unsigned int blocks_for(long long wanted, int cluster, long long most) {
  if (wanted <= 0) return 0;
  const long long whole = ((wanted - 1) / cluster + 1) * cluster;
  return static_cast<unsigned int>(whole < most ? whole : most);
}

}  // namespace

// Arguments of one call of histogram. Pointers are to device memory.
struct histogram_args {
  const unsigned char* x;  // u8[N]
  int* h;                  // i32[256], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long histogram_workspace_bytes(const histogram_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_histogram(const histogram_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N})) return refuse(why, "x is too large");
  const memory_range ranges[] = {
    {"x", args.x, args.N, 1, false},
    {"h", args.h, 1024, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (is_aligned(args.x, 16) && is_aligned(args.h, 16) && args.N <= 1073741824) {
    // Variant vectors.
    const long long most_histogram_h_scatter = resident_blocks(histogram_h_scatter, 1024);
    histogram_h<<<1, 256, 0, stream>>>(args.h);
    if (cudaError_t error = cudaGetLastError()) return error;
    if (const unsigned int blocks = blocks_for((args.N + 65535) / 65536, 1,
        most_histogram_h_scatter)) {
      histogram_h_scatter<<<blocks, 1024, 0, stream>>>(args.x, args.h, (int)args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    const long long most_histogram_h_scatter_general = resident_blocks(histogram_h_scatter_general,
        1024);
    histogram_h_general<<<1, 256, 0, stream>>>(args.h);
    if (cudaError_t error = cudaGetLastError()) return error;
    if (const unsigned int blocks = blocks_for((args.N + 16383) / 16384, 1,
        most_histogram_h_scatter_general)) {
      histogram_h_scatter_general<<<blocks, 1024, 0, stream>>>(args.x, args.h, args.N);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
