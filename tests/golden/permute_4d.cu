// reverse_axes, made by cuoptc for sm_90a from examples/permute_4d.cdsl:7.
//
//   fn reverse_axes(X: f32[I, J, K, L]) -> (Y: f32[L, K, J, I]) {
//     Y[l, k, j, i] = X[i, j, k, l];
//   }
//
// Decisions:
// - simplify: reverse_axes: declined: no exact rule applies
// - recognize: Y: permute: X from (i, j, k, l) to (l, k, j, i), another index is contiguous
// - map: Y: read along l and stored along i, both contiguous through a tile, blocks of 4 by 4
// elements turned in registers, bound by dram (predicted 31.72 us, sectors/request 16)
// - tile: Y: points that a block holds in shared memory at once (predicted 31.72 us)
// - pad: Y: elements between rows of the tile, so that its columns fall into different banks
// (predicted 31.72 us, bank degree 1)
// - vectorize: Y: elements of one memory access (predicted 31.72 us)
// - launch: Y: blocks are limited by registers (predicted 31.72 us, occupancy 0.5)
// - index: reverse_axes: guards bound the sizes, so that no index leaves 32 bits (indices in 32
// bits 12, in 64 bits 0)

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

// Y[l, k, j, i] = X[i, j, k, l]
extern "C" __global__ void __launch_bounds__(128)
reverse_axes_Y(const float* __restrict__ X, float* Y, int L, int K, int J, int I) {
  constexpr int tile_i = 64;
  constexpr int tile_l = 64;
  constexpr int vector_l = 4;
  constexpr int vector_i = 4;
  constexpr int vector_X_column = 4;
  constexpr int step_X_row = 8;
  constexpr int pad_X = 4;
  constexpr int pitch_X = 64;
  constexpr int step_l = 32;
  __shared__ alignas(16) float X_tile[4160];
  float X_value[32];
  float X_now[32];
#line 8 "examples/permute_4d.cdsl"
  const int i_tiles = max((I + 63) / tile_i, 1);
  const int rest = (int)blockIdx.x / i_tiles;
  const int i_block = (int)blockIdx.x % i_tiles * tile_i;
  const int j_tiles = max(J, 1);
  const int rest_2 = rest / j_tiles;
  const int j_block = rest % j_tiles;
  const int k_tiles = max(K, 1);
  const int rest_3 = rest_2 / k_tiles;
  const int k_block = rest_2 % k_tiles;
  const int l_block = rest_3 * tile_l;
  const int l_first = (int)(threadIdx.x / 32) * 8 + (int)(threadIdx.x & 31) / 16 * vector_l;
  const int i_first = (int)(threadIdx.x & 31) % 16 * vector_i;
  const int X_row_first = (int)(threadIdx.x / 32) * 2 + (int)(threadIdx.x & 31) / 16;
  const int X_column_first = (int)(threadIdx.x & 31) % 16 * vector_X_column;
  #pragma unroll 8
  for (int X_rowr = 0; X_rowr < 8; ++X_rowr) {
    if (i_block + (X_row_first + X_rowr * step_X_row) < I && l_block + X_column_first < L) {
      load_vector<vector_X_column>(&X_value[X_rowr * 4],
          &X[(((i_block + X_row_first + X_rowr * step_X_row) * J + j_block) * K + k_block) * L +
          l_block + X_column_first]);
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
        (X_rowr * 2 + (int)(threadIdx.x / 32) / 2) * pad_X + X_column_first], &X_value[X_rowr * 4]);
  }
  __syncthreads();
  #pragma unroll 2
  for (int lr = 0; lr < 2; ++lr) {
    #pragma unroll 4
    for (int ir = 0; ir < 4; ++ir) {
      const vector_of<float, 4> X_now0_vector =
          *(const vector_of<float, 4>*)&X_tile[(i_first + ir) * pitch_X + (int)(threadIdx.x & 31) %
          16 * pad_X + l_first + lr * step_l];
      const float X_now0 = X_now0_vector.at[0];
      const float X_now1 = X_now0_vector.at[1];
      const float X_now2 = X_now0_vector.at[2];
      const float X_now3 = X_now0_vector.at[3];
      X_now[lr * 4 * 4 + ir] = X_now0;
      X_now[(lr * 4 + 1) * 4 + ir] = X_now1;
      X_now[(lr * 4 + 2) * 4 + ir] = X_now2;
      X_now[(lr * 4 + 3) * 4 + ir] = X_now3;
    }
  }
  #pragma unroll 2
  for (int lr = 0; lr < 2; ++lr) {
    #pragma unroll 4
    for (int lr_2 = 0; lr_2 < 4; ++lr_2) {
      if (i_block + i_first < I && l_block + (l_first + lr * step_l + lr_2) < L) {
        store_vector<vector_i>(&Y[(((l_block + l_first + lr * step_l + lr_2) * K + k_block) * J +
            j_block) * I + i_block + i_first], &X_now[(lr * 4 + lr_2) * 4]);
      }
    }
  }
}
#line 125 "reverse_axes.cu"

// Y[l, k, j, i] = X[i, j, k, l]
extern "C" __global__ void __launch_bounds__(256)
reverse_axes_Y_general(const float* __restrict__ X, float* Y, long long L, long long K, long long J,
    long long I) {
  constexpr int tile_i = 32;
  constexpr int tile_l = 32;
  constexpr int step_X_row = 8;
  constexpr int pitch_X = 33;
  constexpr int step_l = 8;
  __shared__ float X_tile[1056];
  float X_value[4];
  float X_now[4];
#line 8 "examples/permute_4d.cdsl"
  const int i_tiles = (int)max((I + 31) / tile_i, 1LL);
  const int rest = (int)blockIdx.x / i_tiles;
  const long long i_block = (long long)((int)blockIdx.x % i_tiles) * tile_i;
  const int j_tiles = (int)max(J, 1LL);
  const int rest_2 = rest / j_tiles;
  const int j_block = rest % j_tiles;
  const int k_tiles = (int)max(K, 1LL);
  const int rest_3 = rest_2 / k_tiles;
  const int k_block = rest_2 % k_tiles;
  const long long l_block = (long long)rest_3 * tile_l;
  #pragma unroll 4
  for (int X_rowr = 0; X_rowr < 4; ++X_rowr) {
    X_value[X_rowr] = i_block + ((int)(threadIdx.x / 32) + X_rowr * step_X_row) < I &&
        l_block + (threadIdx.x & 31) < L
        ? X[(((i_block + (int)(threadIdx.x / 32) + X_rowr * step_X_row) * J + j_block) * K +
        k_block) * L + l_block + (threadIdx.x & 31)] : 0.0f;
  }
  #pragma unroll 4
  for (int X_rowr = 0; X_rowr < 4; ++X_rowr) {
    X_tile[((int)(threadIdx.x / 32) + X_rowr * step_X_row) * pitch_X + (int)(threadIdx.x & 31)] =
        X_value[X_rowr];
  }
  __syncthreads();
  #pragma unroll 4
  for (int lr = 0; lr < 4; ++lr) {
    X_now[lr] = X_tile[(int)(threadIdx.x & 31) * pitch_X + (int)(threadIdx.x / 32) + lr * step_l];
  }
  #pragma unroll 4
  for (int lr = 0; lr < 4; ++lr) {
    if (i_block + (threadIdx.x & 31) < I && l_block + ((int)(threadIdx.x / 32) + lr * step_l) < L) {
      Y[(((l_block + (int)(threadIdx.x / 32) + lr * step_l) * K + k_block) * J + j_block) * I +
          i_block + (threadIdx.x & 31)] = X_now[lr];
    }
  }
}
#line 175 "reverse_axes.cu"

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

// Arguments of one call of reverse_axes. Pointers are to device memory.
struct reverse_axes_args {
  const float* X;  // f32[I, J, K, L]
  float* Y;        // f32[L, K, J, I], written
  long long I;
  long long J;
  long long K;
  long long L;
};

// Bytes of device memory that a call needs besides its arguments.
long long reverse_axes_workspace_bytes(const reverse_axes_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_reverse_axes(const reverse_axes_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.I < 0) return refuse(why, "size I is negative: %lld", args.I);
  if (args.J < 0) return refuse(why, "size J is negative: %lld", args.J);
  if (args.K < 0) return refuse(why, "size K is negative: %lld", args.K);
  if (args.L < 0) return refuse(why, "size L is negative: %lld", args.L);
  if (!fits({args.I, args.J, args.K, args.L, 4})) return refuse(why, "X is too large");
  if (!fits({args.L, args.K, args.J, args.I, 4})) return refuse(why, "Y is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.I * args.J * args.K * args.L * 4, 4, false},
    {"Y", args.Y, args.L * args.K * args.J * args.I * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.L % 4 == 0 && args.I % 4 == 0 && is_aligned(args.X, 16) && is_aligned(args.Y, 16) &&
      args.I <= 1073741824 && args.J <= 1073741824 && args.K <= 1073741824 &&
      args.L <= 1073741824 && args.I * args.J * args.K * args.L * 4 <= 8589934588LL &&
      args.L * args.K * args.J * args.I * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.L + 63) / 64 * args.K * args.J *
        ((args.I + 63) / 64))) {
      reverse_axes_Y<<<blocks, 128, 0, stream>>>(args.X, args.Y, (int)args.L, (int)args.K,
          (int)args.J, (int)args.I);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.L + 31) / 32 * args.K * args.J *
        ((args.I + 31) / 32))) {
      reverse_axes_Y_general<<<blocks, 256, 0, stream>>>(args.X, args.Y, args.L, args.K, args.J,
          args.I);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
