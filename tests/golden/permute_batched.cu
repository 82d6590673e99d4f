// heads_first, made by cuoptc for sm_90a from examples/permute_batched.cdsl:8.
//
//   fn heads_first(X: bf16[B, S, H, D]) -> (Y: bf16[B, H, S, D]) {
//     Y[b, h, s, d] = X[b, s, h, d];
//   }
//
// Decisions:
// - simplify: heads_first: declined: no exact rule applies
// - lower: Y: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

struct bf16 {
  unsigned short bits;
};

// Y[b, h, s, d] = X[b, s, h, d]
extern "C" __global__ void __launch_bounds__(256)
heads_first_Y(const bf16* __restrict__ X, bf16* __restrict__ Y, long long B, long long H,
    long long S, long long D) {
#line 9 "examples/permute_batched.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < B * H * S * D;
      point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / D;
    const long long rest_2 = rest / S;
    const long long b = rest_2 / H;
    const long long h = rest_2 % H;
    const long long s = rest % S;
    const long long d = point % D;
    Y[point] = X[((b * S + s) * H + h) * D + d];
  }
}
#line 34 "heads_first.cu"

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

// Blocks for `items` elements, one a thread at first: no more than `most`, since threads take turns.
inline unsigned int grid_for(long long items, int threads, long long most) {
  if (items <= 0) return 0;
  const long long blocks = (items - 1) / threads + 1;
  return static_cast<unsigned int>(blocks < most ? blocks : most);
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
  const long long most_heads_first_Y = resident_blocks(heads_first_Y, 256);
  if (const unsigned int blocks = grid_for(args.B * args.H * args.S * args.D, 256,
      most_heads_first_Y)) {
    heads_first_Y<<<blocks, 256, 0, stream>>>(args.X, args.Y, args.B, args.H, args.S, args.D);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
