// heads_first, made by cuoptc for sm_90a from examples/permute_batched.cdsl:8.
//
//   fn heads_first(X: bf16[B, S, H, D]) -> (Y: bf16[B, H, S, D]) {
//     Y[b, h, s, d] = X[b, s, h, d];
//   }
//
// Decisions:
// - simplify: heads_first: declined: no exact rule applies
// - recognize: Y: permute: X from (b, s, h, d) to (b, h, s, d), the same index is contiguous
// - map: Y: lanes along d, 8 for a row and 4 rows a warp, bound by dram (predicted 18.19 us,
// sectors/request 16)
// - vectorize: Y: elements of one memory access (predicted 18.19 us)
// - reduce: Y: blocks that divide one reduction between them (predicted 18.19 us)
// - launch: Y: blocks are limited by registers (predicted 18.19 us, occupancy 0.75)
// - predicate: Y: blocks whose tile lies inside test nothing (predicted 18.19 us)
// - index: heads_first: guards bound the sizes, so that no index leaves 32 bits (indices in 32 bits
// 9, in 64 bits 0)

struct bf16 {
  unsigned short bits;
};

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

// Y[b, h, s, d] = X[b, s, h, d]
extern "C" __global__ void __launch_bounds__(256)
heads_first_Y(const bf16* __restrict__ X, bf16* __restrict__ Y, int H, int S, int D) {
  constexpr int tile_d = 64;
  constexpr int tile_s = 32;
  constexpr int vector_d = 8;
  bf16 X_b_s_h_d[8];
  bf16 X_b_s_h_d_2[8];
#line 9 "examples/permute_batched.cdsl"
  const int d_tiles = max((D + 63) / tile_d, 1);
  const int rest = (int)blockIdx.x / d_tiles;
  const int d_block = (int)blockIdx.x % d_tiles * tile_d;
  const int s_tiles = max((S + 31) / tile_s, 1);
  const int rest_2 = rest / s_tiles;
  const int s_block = rest % s_tiles * tile_s;
  const int h_tiles = max(H, 1);
  const int rest_3 = rest_2 / h_tiles;
  const int h_block = rest_2 % h_tiles;
  const int s = (int)(threadIdx.x / 32) * 4 + (int)(threadIdx.x & 31) / 8;
  const int d_first = (int)(threadIdx.x & 31) % 8 * vector_d;
  if (s_block + tile_s <= S && d_block + tile_d <= D) {
    load_vector<vector_d>(&X_b_s_h_d[0],
        &X[((rest_3 * S + s_block + s) * H + h_block) * D + d_block + d_first]);
    store_vector<vector_d>(&Y[((rest_3 * H + h_block) * S + s_block + s) * D + d_block + d_first],
        &X_b_s_h_d[0]);
  } else {
    if (s_block + s < S && d_block + d_first < D) {
      load_vector<vector_d>(&X_b_s_h_d_2[0],
          &X[((rest_3 * S + s_block + s) * H + h_block) * D + d_block + d_first]);
    } else {
      #pragma unroll 8
      for (int dv = 0; dv < vector_d; ++dv) {
        X_b_s_h_d_2[dv] = bf16{0x0000};
      }
    }
    if (d_block + d_first < D && s_block + s < S) {
      store_vector<vector_d>(&Y[((rest_3 * H + h_block) * S + s_block + s) * D + d_block + d_first],
          &X_b_s_h_d_2[0]);
    }
  }
}
#line 92 "heads_first.cu"

// Y[b, h, s, d] = X[b, s, h, d]
extern "C" __global__ void __launch_bounds__(512)
heads_first_Y_general(const bf16* __restrict__ X, bf16* __restrict__ Y, long long H, long long S,
    long long D) {
  constexpr int tile_d = 32;
  constexpr int tile_s = 16;
#line 9 "examples/permute_batched.cdsl"
  const int d_tiles = (int)max((D + 31) / tile_d, 1LL);
  const int rest = (int)blockIdx.x / d_tiles;
  const long long d_block = (long long)((int)blockIdx.x % d_tiles) * tile_d;
  const int s_tiles = (int)max((S + 15) / tile_s, 1LL);
  const int rest_2 = rest / s_tiles;
  const long long s_block = (long long)(rest % s_tiles) * tile_s;
  const int h_tiles = (int)max(H, 1LL);
  const int rest_3 = rest_2 / h_tiles;
  const int h_block = rest_2 % h_tiles;
  if (s_block + tile_s <= S && d_block + tile_d <= D) {
    const bf16 X_b_s_h_d = X[((rest_3 * S + s_block + (threadIdx.x / 32)) * H + h_block) * D +
        d_block + (threadIdx.x & 31)];
    Y[((rest_3 * H + h_block) * S + s_block + (threadIdx.x / 32)) * D + d_block +
        (threadIdx.x & 31)] = X_b_s_h_d;
  } else {
    const bf16 X_b_s_h_d = s_block + (threadIdx.x / 32) < S && d_block + (threadIdx.x & 31) < D
        ? X[((rest_3 * S + s_block + (threadIdx.x / 32)) * H + h_block) * D + d_block +
        (threadIdx.x & 31)] : bf16{0x0000};
    if (d_block + (threadIdx.x & 31) < D && s_block + (threadIdx.x / 32) < S) {
      Y[((rest_3 * H + h_block) * S + s_block + (threadIdx.x / 32)) * D + d_block +
          (threadIdx.x & 31)] = X_b_s_h_d;
    }
  }
}
#line 125 "heads_first.cu"

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

// Arguments of one call of heads_first. Pointers are to device memory.
struct heads_first_args {
  const bf16* X;  // bf16[B, S, H, D]
  bf16* Y;        // bf16[B, H, S, D], written
  long long B;
  long long S;
  long long H;
  long long D;
};

// Bytes of device memory that a call needs besides its arguments.
long long heads_first_workspace_bytes(const heads_first_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_heads_first(const heads_first_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.B < 0) return refuse(why, "size B is negative: %lld", args.B);
  if (args.S < 0) return refuse(why, "size S is negative: %lld", args.S);
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.D < 0) return refuse(why, "size D is negative: %lld", args.D);
  if (!fits({args.B, args.S, args.H, args.D, 2})) return refuse(why, "X is too large");
  if (!fits({args.B, args.H, args.S, args.D, 2})) return refuse(why, "Y is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.B * args.S * args.H * args.D * 2, 2, false},
    {"Y", args.Y, args.B * args.H * args.S * args.D * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (args.D % 8 == 0 && is_aligned(args.X, 16) && is_aligned(args.Y, 16) && args.B <= 1073741824 &&
      args.S <= 1073741824 && args.H <= 1073741824 && args.D <= 1073741824 &&
      args.B * args.S * args.H * args.D * 2 <= 4294967294LL &&
      args.B * args.H * args.S * args.D * 2 <= 4294967294LL) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)(args.B * args.H * ((args.S + 31) / 32) *
        ((args.D + 63) / 64))) {
      heads_first_Y<<<blocks, 256, 0, stream>>>(args.X, args.Y, (int)args.H, (int)args.S,
          (int)args.D);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)(args.B * args.H * ((args.S + 15) / 16) *
        ((args.D + 31) / 32))) {
      heads_first_Y_general<<<blocks, 512, 0, stream>>>(args.X, args.Y, args.H, args.S, args.D);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
