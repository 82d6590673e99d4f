// reverse_axes, made by cuoptc for sm_90a from examples/permute_4d.cdsl:7.
//
//   fn reverse_axes(X: f32[I, J, K, L]) -> (Y: f32[L, K, J, I]) {
//     Y[l, k, j, i] = X[i, j, k, l];
//   }
//
// Decisions:
// - simplify: reverse_axes: declined: no exact rule applies
// - lower: Y: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// Y[l, k, j, i] = X[i, j, k, l]
extern "C" __global__ void __launch_bounds__(256)
reverse_axes_Y(const float* __restrict__ X, float* __restrict__ Y, long long L, long long K,
    long long J, long long I) {
#line 8 "examples/permute_4d.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < L * K * J * I;
      point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / I;
    const long long rest_2 = rest / J;
    const long long l = rest_2 / K;
    const long long k = rest_2 % K;
    const long long j = rest % J;
    const long long i = point % I;
    Y[point] = X[((i * J + j) * K + k) * L + l];
  }
}
#line 30 "reverse_axes.cu"

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
  const long long most_reverse_axes_Y = resident_blocks(reverse_axes_Y, 256);
  if (const unsigned int blocks = grid_for(args.L * args.K * args.J * args.I, 256,
      most_reverse_axes_Y)) {
    reverse_axes_Y<<<blocks, 256, 0, stream>>>(args.X, args.Y, args.L, args.K, args.J, args.I);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
