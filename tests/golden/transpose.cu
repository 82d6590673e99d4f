// transpose, made by cuoptc for sm_90a from examples/transpose.cdsl:10.
//
//   fn transpose(X: f32[M, N]) -> (Y: f32[N, M]) {
//     Y[j, i] = X[i, j];
//   }
//
// Decisions:
// - simplify: transpose: declined: no exact rule applies
// - recognize: Y: permute: X from (i, j) to (j, i), another index is contiguous
// - map: Y: read along j and stored along i, both contiguous through a tile, blocks of 4 by 4
// elements turned in registers, bound by dram (predicted 31.72 us, sectors/request 16)
// - tile: Y: points that a block holds in shared memory at once (predicted 31.72 us)
// - pad: Y: elements between rows of the tile, so that its columns fall into different banks
// (predicted 31.72 us, bank degree 1)
// - vectorize: Y: elements of one memory access (predicted 31.72 us)
// - launch: Y: blocks are limited by registers (predicted 31.72 us, occupancy 0.5)
// - index: transpose: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 12, in 64 bits 0)

namespace {

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

// Y[j, i] = X[i, j]
extern "C" __global__ void __launch_bounds__(256)
transpose_Y(const float* __restrict__ X, float* Y, int N, int M) {
  constexpr int tile_i = 128;
  constexpr int tile_j = 64;
  constexpr int vector_j = 4;
  constexpr int vector_i = 4;
  constexpr int vector_X_column = 4;
  constexpr int step_X_row = 16;
  constexpr int pad_X = 4;
  constexpr int pitch_X = 64;
  constexpr int step_j = 32;
  __shared__ alignas(16) float X_tile[8320];
  float X_value[32];
  float X_now[32];
#line 11 "examples/transpose.cdsl"
  const int i_tiles = max((M + 127) / tile_i, 1);
  const int rest = (int)blockIdx.x / i_tiles;
  const int i_block = (int)blockIdx.x % i_tiles * tile_i;
  const int j_block = rest * tile_j;
  const int j_first = (int)(threadIdx.x / 32) * vector_j;
  const int i_first = (int)(threadIdx.x & 31) * vector_i;
  const int X_row_first = (int)(threadIdx.x / 32) * 2 + (int)(threadIdx.x & 31) / 16;
  const int X_column_first = (int)(threadIdx.x & 31) % 16 * vector_X_column;
  #pragma unroll 8
  for (int X_rowr = 0; X_rowr < 8; ++X_rowr) {
    if (i_block + (X_row_first + X_rowr * step_X_row) < M && j_block + X_column_first < N) {
      load_vector<vector_X_column>(&X_value[X_rowr * 4],
          &X[(i_block + X_row_first + X_rowr * step_X_row) * N + j_block + X_column_first]);
    } else {
      #pragma unroll 4
      for (int X_columnv = 0; X_columnv < vector_X_column; ++X_columnv) {
        X_value[X_rowr * 4 + X_columnv] = 0.0f;
      }
    }
  }
  #pragma unroll 8
  for (int X_rowr = 0; X_rowr < 8; ++X_rowr) {
    store_vector<vector_X_column>(&X_tile[(X_row_first + X_rowr * step_X_row) * pitch_X +
        (X_rowr * 4 + (int)(threadIdx.x / 32) / 2) * pad_X + X_column_first], &X_value[X_rowr * 4]);
  }
  __syncthreads();
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      const vector_of<float, 4> X_now0_vector =
          *(const vector_of<float, 4>*)&X_tile[(i_first + ir) * pitch_X + (int)(threadIdx.x & 31) *
          pad_X + j_first + jr * step_j];
      const float X_now0 = X_now0_vector.at[0];
      const float X_now1 = X_now0_vector.at[1];
      const float X_now2 = X_now0_vector.at[2];
      const float X_now3 = X_now0_vector.at[3];
      X_now[jr * 4 * 4 + ir] = X_now0;
      X_now[(jr * 4 + 1) * 4 + ir] = X_now1;
      X_now[(jr * 4 + 2) * 4 + ir] = X_now2;
      X_now[(jr * 4 + 3) * 4 + ir] = X_now3;
    }
  }
  #pragma unroll 2
  for (int jr = 0; jr < 2; ++jr) {
    #pragma unroll 4
    for (int jr_2 = 0; jr_2 < 4; ++jr_2) {
      if (i_block + i_first < M && j_block + (j_first + jr * step_j + jr_2) < N) {
        store_vector<vector_i>(&Y[(j_block + j_first + jr * step_j + jr_2) * M + i_block + i_first],
            &X_now[(jr * 4 + jr_2) * 4]);
      }
    }
  }
}
#line 118 "transpose.cu"

// Y[j, i] = X[i, j]
extern "C" __global__ void __launch_bounds__(256)
transpose_Y_general(const float* __restrict__ X, float* Y, long long N, long long M) {
  constexpr int tile_i = 128;
  constexpr int tile_j = 64;
  constexpr int step_X_column = 32;
  constexpr int step_X_row = 8;
  constexpr int pitch_X = 65;
  constexpr int step_j = 8;
  constexpr int step_i = 32;
  __shared__ float X_tile[8320];
  float X_value[32];
  float X_now[32];
#line 11 "examples/transpose.cdsl"
  const int i_tiles = (int)max((M + 127) / tile_i, 1LL);
  const int rest = (int)blockIdx.x / i_tiles;
  const long long i_block = (long long)((int)blockIdx.x % i_tiles) * tile_i;
  const long long j_block = (long long)rest * tile_j;
  #pragma unroll 16
  for (int X_rowr = 0; X_rowr < 16; ++X_rowr) {
    #pragma unroll 2
    for (int X_columnr = 0; X_columnr < 2; ++X_columnr) {
      X_value[X_rowr * 2 + X_columnr] = i_block + ((int)(threadIdx.x / 32) + X_rowr * step_X_row) <
          M && j_block + ((int)(threadIdx.x & 31) + X_columnr * step_X_column) < N
          ? X[(i_block + (int)(threadIdx.x / 32) + X_rowr * step_X_row) * N + j_block +
          (int)(threadIdx.x & 31) + X_columnr * step_X_column] : 0.0f;
    }
  }
  #pragma unroll 16
  for (int X_rowr = 0; X_rowr < 16; ++X_rowr) {
    #pragma unroll 2
    for (int X_columnr = 0; X_columnr < 2; ++X_columnr) {
      X_tile[((int)(threadIdx.x / 32) + X_rowr * step_X_row) * pitch_X + (int)(threadIdx.x & 31) +
          X_columnr * step_X_column] = X_value[X_rowr * 2 + X_columnr];
    }
  }
  __syncthreads();
  #pragma unroll 8
  for (int jr = 0; jr < 8; ++jr) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      X_now[jr * 4 + ir] = X_tile[((int)(threadIdx.x & 31) + ir * step_i) * pitch_X +
          (int)(threadIdx.x / 32) + jr * step_j];
    }
  }
  #pragma unroll 8
  for (int jr = 0; jr < 8; ++jr) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      if (i_block + ((int)(threadIdx.x & 31) + ir * step_i) < M &&
          j_block + ((int)(threadIdx.x / 32) + jr * step_j) < N) {
        Y[(j_block + (int)(threadIdx.x / 32) + jr * step_j) * M + i_block +
            (int)(threadIdx.x & 31) + ir * step_i] = X_now[jr * 4 + ir];
      }
    }
  }
}
#line 177 "transpose.cu"

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

}  // namespace

// Arguments of one call of transpose. Pointers are to device memory.
struct transpose_args {
  const float* X;  // f32[M, N]
  float* Y;        // f32[N, M], written
  long long M;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long transpose_workspace_bytes(const transpose_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_transpose(const transpose_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  if (!fits({args.N, args.M, 4})) return refuse(why, "Y is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"Y", args.Y, args.N * args.M * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.N % 4 == 0 && args.M % 4 == 0 && is_aligned(args.X, 16) && is_aligned(args.Y, 16) &&
      args.M <= 1073741824 && args.N <= 1073741824 && args.M * args.N * 4 <= 8589934588LL &&
      args.N * args.M * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 63) / 64 * ((args.M + 127) / 128))) {
      transpose_Y<<<blocks, 256, 0, stream>>>(args.X, args.Y, (int)args.N, (int)args.M);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 63) / 64 * ((args.M + 127) / 128))) {
      transpose_Y_general<<<blocks, 256, 0, stream>>>(args.X, args.Y, args.N, args.M);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
