// transpose, made by cuoptc for sm_90a from examples/transpose.cdsl:10.
//
//   fn transpose(X: f32[M, N]) -> (Y: f32[N, M]) {
//     Y[j, i] = X[i, j];
//   }
//
// Decisions:
// - simplify: transpose: declined: no exact rule applies
// - recognize: Y: permute: X from (i, j) to (j, i), another index is contiguous
// - map: Y: read along j and stored along i, both contiguous through a tile, bound by dram
// (predicted 31.72 us, sectors/request 4)
// - tile: Y: points that a block holds in shared memory at once (predicted 31.72 us)
// - pad: Y: elements between rows of the tile, so that its columns fall into different banks
// (predicted 31.72 us, bank degree 1)
// - launch: Y: blocks are limited by warps (predicted 31.72 us, occupancy 1)
// - index: transpose: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 8, in 64 bits 0)

// Y[j, i] = X[i, j]
extern "C" __global__ void __launch_bounds__(256)
transpose_Y(const float* __restrict__ X, float* Y, int N, int M) {
  constexpr int tile_i = 32;
  constexpr int tile_j = 32;
  constexpr int step_X_row = 8;
  constexpr int pitch_X = 33;
  constexpr int step_j = 8;
  __shared__ float X_tile[1056];
  float X_value[4];
  float X_now[4];
#line 11 "examples/transpose.cdsl"
  const int i_tiles = max((M + 31) / tile_i, 1);
  const int rest = (int)blockIdx.x / i_tiles;
  const int i_block = (int)blockIdx.x % i_tiles * tile_i;
  const int j_block = rest * tile_j;
  #pragma unroll 4
  for (int X_rowr = 0; X_rowr < 4; ++X_rowr) {
    X_value[X_rowr] = i_block + ((int)(threadIdx.x / 32) + X_rowr * step_X_row) < M &&
        j_block + (int)(threadIdx.x & 31) < N
        ? X[(i_block + (int)(threadIdx.x / 32) + X_rowr * step_X_row) * N + j_block +
        (int)(threadIdx.x & 31)] : 0.0f;
  }
  #pragma unroll 4
  for (int X_rowr = 0; X_rowr < 4; ++X_rowr) {
    X_tile[((int)(threadIdx.x / 32) + X_rowr * step_X_row) * pitch_X + (int)(threadIdx.x & 31)] =
        X_value[X_rowr];
  }
  __syncthreads();
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    X_now[jr] = X_tile[(int)(threadIdx.x & 31) * pitch_X + (int)(threadIdx.x / 32) + jr * step_j];
  }
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    if (i_block + (int)(threadIdx.x & 31) < M &&
        j_block + ((int)(threadIdx.x / 32) + jr * step_j) < N) {
      Y[(j_block + (int)(threadIdx.x / 32) + jr * step_j) * M + i_block + (int)(threadIdx.x & 31)] =
          X_now[jr];
    }
  }
}
#line 62 "transpose.cu"

// Y[j, i] = X[i, j]
extern "C" __global__ void __launch_bounds__(256)
transpose_Y_general(const float* __restrict__ X, float* Y, long long N, long long M) {
  constexpr int tile_i = 32;
  constexpr int tile_j = 32;
  constexpr int step_X_row = 8;
  constexpr int pitch_X = 33;
  constexpr int step_j = 8;
  __shared__ float X_tile[1056];
  float X_value[4];
  float X_now[4];
#line 11 "examples/transpose.cdsl"
  const int i_tiles = (int)max((M + 31) / tile_i, 1LL);
  const int rest = (int)blockIdx.x / i_tiles;
  const long long i_block = (long long)((int)blockIdx.x % i_tiles) * tile_i;
  const long long j_block = (long long)rest * tile_j;
  #pragma unroll 4
  for (int X_rowr = 0; X_rowr < 4; ++X_rowr) {
    X_value[X_rowr] = i_block + ((int)(threadIdx.x / 32) + X_rowr * step_X_row) < M &&
        j_block + (threadIdx.x & 31) < N
        ? X[(i_block + (int)(threadIdx.x / 32) + X_rowr * step_X_row) * N + j_block +
        (threadIdx.x & 31)] : 0.0f;
  }
  #pragma unroll 4
  for (int X_rowr = 0; X_rowr < 4; ++X_rowr) {
    X_tile[((int)(threadIdx.x / 32) + X_rowr * step_X_row) * pitch_X + (int)(threadIdx.x & 31)] =
        X_value[X_rowr];
  }
  __syncthreads();
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    X_now[jr] = X_tile[(int)(threadIdx.x & 31) * pitch_X + (int)(threadIdx.x / 32) + jr * step_j];
  }
  #pragma unroll 4
  for (int jr = 0; jr < 4; ++jr) {
    if (i_block + (threadIdx.x & 31) < M && j_block + ((int)(threadIdx.x / 32) + jr * step_j) < N) {
      Y[(j_block + (int)(threadIdx.x / 32) + jr * step_j) * M + i_block + (threadIdx.x & 31)] =
          X_now[jr];
    }
  }
}
#line 105 "transpose.cu"

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
  if (args.M <= 1073741824 && args.N <= 1073741824 && args.M * args.N * 4 <= 8589934588LL &&
      args.N * args.M * 4 <= 8589934588LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 31) / 32 * ((args.M + 31) / 32))) {
      transpose_Y<<<blocks, 256, 0, stream>>>(args.X, args.Y, (int)args.N, (int)args.M);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 31) / 32 * ((args.M + 31) / 32))) {
      transpose_Y_general<<<blocks, 256, 0, stream>>>(args.X, args.Y, args.N, args.M);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
