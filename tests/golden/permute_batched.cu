// heads_first, made by cuoptc for sm_90a from examples/permute_batched.cdsl:8.
//
//   fn heads_first(X: bf16[B, S, H, D]) -> (Y: bf16[B, H, S, D]) {
//     Y[b, h, s, d] = X[b, s, h, d];
//   }
//
// Decisions:
// - simplify: heads_first: declined: no exact rule applies
// - map: Y: lanes along d, bound by dram (predicted 27.06 us, sectors/request 8)
// - vectorize: Y: elements of one memory access (predicted 27.06 us)
// - reduce: Y: blocks that divide one reduction between them (predicted 27.06 us)
// - launch: Y: blocks are limited by warps (predicted 27.06 us, occupancy 1)
// - predicate: Y: blocks whose tile lies inside test nothing (predicted 27.06 us)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

struct bf16 {
  unsigned short bits;
};

namespace {

__device__ __forceinline__ long long neg_wrap(long long a) {
  return (long long)(0 - (unsigned long long)a);
}

// Toward zero; x / 0 = 0, and the least value / -1 wraps.
__device__ __forceinline__ long long int_div(long long a, long long b) {
  if (b == 0) return 0;
  return b == -1 ? neg_wrap(a) : a / b;
}

// The sign of a; x % 0 = x.
__device__ __forceinline__ long long int_rem(long long a, long long b) {
  if (b == 0) return a;
  return b == -1 ? 0 : a % b;
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

}  // namespace

// Y[b, h, s, d] = X[b, s, h, d]
extern "C" __global__ void __launch_bounds__(512)
heads_first_Y(const bf16* __restrict__ X, bf16* __restrict__ Y, long long H, long long S,
    long long D) {
  bf16 X_b_s_h_d[4];
  bf16 X_b_s_h_d_2[4];
#line 9 "examples/permute_batched.cdsl"
  const long long tiles = (max(D, 0LL) + 127) / 128;
  const long long rest = int_div((long long)blockIdx.x, tiles);
  const long long d_block = int_rem((long long)blockIdx.x, tiles) * 128;
  const long long tiles_2 = (max(S, 0LL) + 15) / 16;
  const long long rest_2 = int_div(rest, tiles_2);
  const long long s_block = int_rem(rest, tiles_2) * 16;
  const long long tiles_3 = max(H, 0LL);
  const long long rest_3 = int_div(rest_2, tiles_3);
  const long long h_block = int_rem(rest_2, tiles_3);
  const int d_first = (int)(threadIdx.x & 31) * 4;
  if (s_block + 16 <= S && d_block + 128 <= D) {
    const vector_of<bf16, 4> X_b_s_h_d0_vector =
        *(const vector_of<bf16, 4>*)&X[((rest_3 * S + s_block + (threadIdx.x / 32)) * H + h_block) *
        D + d_block + d_first];
    const bf16 X_b_s_h_d0 = X_b_s_h_d0_vector.at[0];
    const bf16 X_b_s_h_d1 = X_b_s_h_d0_vector.at[1];
    const bf16 X_b_s_h_d2 = X_b_s_h_d0_vector.at[2];
    const bf16 X_b_s_h_d3 = X_b_s_h_d0_vector.at[3];
    X_b_s_h_d[0] = X_b_s_h_d0;
    X_b_s_h_d[1] = X_b_s_h_d1;
    X_b_s_h_d[2] = X_b_s_h_d2;
    X_b_s_h_d[3] = X_b_s_h_d3;
    *(vector_of<bf16, 4>*)&Y[((rest_3 * H + h_block) * S + s_block + (threadIdx.x / 32)) * D +
        d_block + d_first] = vector_of<bf16, 4>{{X_b_s_h_d[0], X_b_s_h_d[1], X_b_s_h_d[2],
        X_b_s_h_d[3]}};
  } else {
    if (s_block + (threadIdx.x / 32) < S && d_block + d_first < D) {
      const vector_of<bf16, 4> X_b_s_h_d0_vector =
          *(const vector_of<bf16, 4>*)&X[((rest_3 * S + s_block + (threadIdx.x / 32)) * H +
          h_block) * D + d_block + d_first];
      const bf16 X_b_s_h_d0 = X_b_s_h_d0_vector.at[0];
      const bf16 X_b_s_h_d1 = X_b_s_h_d0_vector.at[1];
      const bf16 X_b_s_h_d2 = X_b_s_h_d0_vector.at[2];
      const bf16 X_b_s_h_d3 = X_b_s_h_d0_vector.at[3];
      X_b_s_h_d_2[0] = X_b_s_h_d0;
      X_b_s_h_d_2[1] = X_b_s_h_d1;
      X_b_s_h_d_2[2] = X_b_s_h_d2;
      X_b_s_h_d_2[3] = X_b_s_h_d3;
    } else {
      X_b_s_h_d_2[0] = bf16{0x0000};
      X_b_s_h_d_2[1] = bf16{0x0000};
      X_b_s_h_d_2[2] = bf16{0x0000};
      X_b_s_h_d_2[3] = bf16{0x0000};
    }
    if (d_block + d_first < D && s_block + (threadIdx.x / 32) < S) {
      *(vector_of<bf16, 4>*)&Y[((rest_3 * H + h_block) * S + s_block + (threadIdx.x / 32)) * D +
          d_block + d_first] = vector_of<bf16, 4>{{X_b_s_h_d_2[0], X_b_s_h_d_2[1], X_b_s_h_d_2[2],
          X_b_s_h_d_2[3]}};
    }
  }
}
#line 105 "heads_first.cu"

// Y[b, h, s, d] = X[b, s, h, d]
extern "C" __global__ void __launch_bounds__(512)
heads_first_Y_general(const bf16* __restrict__ X, bf16* __restrict__ Y, long long H, long long S,
    long long D) {
#line 9 "examples/permute_batched.cdsl"
  const long long tiles = (max(D, 0LL) + 31) / 32;
  const long long rest = int_div((long long)blockIdx.x, tiles);
  const long long d_block = int_rem((long long)blockIdx.x, tiles) * 32;
  const long long tiles_2 = (max(S, 0LL) + 15) / 16;
  const long long rest_2 = int_div(rest, tiles_2);
  const long long s_block = int_rem(rest, tiles_2) * 16;
  const long long tiles_3 = max(H, 0LL);
  const long long rest_3 = int_div(rest_2, tiles_3);
  const long long h_block = int_rem(rest_2, tiles_3);
  if (s_block + 16 <= S && d_block + 32 <= D) {
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
#line 136 "heads_first.cu"

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
  if (args.D % 4 == 0 && is_aligned(args.X, 16) && is_aligned(args.Y, 16)) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)(max(args.B, 0LL) * max(args.H, 0LL) *
        ((max(args.S, 0LL) + 15) / 16) * ((max(args.D, 0LL) + 127) / 128))) {
      heads_first_Y<<<blocks, 512, 0, stream>>>(args.X, args.Y, args.H, args.S, args.D);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)(max(args.B, 0LL) * max(args.H, 0LL) *
        ((max(args.S, 0LL) + 15) / 16) * ((max(args.D, 0LL) + 31) / 32))) {
      heads_first_Y_general<<<blocks, 512, 0, stream>>>(args.X, args.Y, args.H, args.S, args.D);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
