// batched_gemm, made by cuoptc for sm_90a from examples/batched_gemm.cdsl:9.
//
//   fn batched_gemm(A: f32[B, M, K], W: f32[B, K, N]) -> (C: f32[B, M, N]) {
//     C[b, m, n] = sum[k](A[b, m, k] * W[b, k, n]);
//   }
//
// Decisions:
// - simplify: batched_gemm: declined: no exact rule applies
// - lower: C: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// C[b, m, n] = sum<f32>[k in 0..K](A[b, m, k] * W[b, k, n])
extern "C" __global__ void __launch_bounds__(256)
batched_gemm_C(const float* __restrict__ A, const float* __restrict__ W, float* __restrict__ C,
    long long B, long long M, long long N, long long K) {
#line 10 "examples/batched_gemm.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < B * M * N;
      point += (long long)gridDim.x * blockDim.x) {
    const long long rest = point / N;
    const long long b = rest / M;
    const long long n = point % N;
    float sum = 0.0f;
    for (long long k = 0; k < K; ++k) {
      sum += A[rest * K + k] * W[(b * K + k) * N + n];
    }
    C[point] = sum;
  }
}
#line 31 "batched_gemm.cu"

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

// Arguments of one call of batched_gemm. Pointers are to device memory.
struct batched_gemm_args {
  const float* A;  // f32[B, M, K]
  const float* W;  // f32[B, K, N]
  float* C;        // f32[B, M, N], written
  long long B;
  long long M;
  long long K;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long batched_gemm_workspace_bytes(const batched_gemm_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_batched_gemm(const batched_gemm_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.B < 0) return refuse(why, "size B is negative: %lld", args.B);
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.K < 0) return refuse(why, "size K is negative: %lld", args.K);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.B, args.M, args.K, 4})) return refuse(why, "A is too large");
  if (!fits({args.B, args.K, args.N, 4})) return refuse(why, "W is too large");
  if (!fits({args.B, args.M, args.N, 4})) return refuse(why, "C is too large");
  const memory_range ranges[] = {
    {"A", args.A, args.B * args.M * args.K * 4, 4, false},
    {"W", args.W, args.B * args.K * args.N * 4, 4, false},
    {"C", args.C, args.B * args.M * args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_batched_gemm_C = resident_blocks(batched_gemm_C, 256);
  if (const unsigned int blocks = grid_for(args.B * args.M * args.N, 256, most_batched_gemm_C)) {
    batched_gemm_C<<<blocks, 256, 0, stream>>>(args.A, args.W, args.C, args.B, args.M, args.N,
        args.K);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
