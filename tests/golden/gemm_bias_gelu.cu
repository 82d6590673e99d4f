// gemm_bias_gelu, made by cuoptc for sm_90a from examples/gemm_bias_gelu.cdsl:13.
//
//   fn gemm_bias_gelu(A: bf16[M, K], B: bf16[K, N], bias: bf16[N]) -> (C: bf16[M, N])
//     where K % 8 == 0, N % 8 == 0
//   {
//     acc[m, n] = sum[k](A[m, k] * B[k, n]);
//     C[m, n]   = bf16(gelu(acc[m, n] + bias[n]));
//   }
//
// Decisions:
// - simplify: gemm_bias_gelu: declined: no exact rule applies
// - lower: acc: no point reads an element that another point overwrites (kernels 1)
// - lower: C: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits
// - variants: gemm_bias_gelu: declined: the facts prove nothing more, or never hold

struct bf16 {
  unsigned short bits;
};

namespace {

__device__ __forceinline__ float to_f32(bf16 h) {
  return __uint_as_float((unsigned int)h.bits << 16);
}

// To nearest even; overflow gives infinity.
__device__ __forceinline__ bf16 to_bf16(float x) {
  bf16 h;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
#else
  const unsigned int bits = __float_as_uint(x);
  const unsigned int rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  h.bits = (unsigned short)(x != x ? 0x7fffu : rounded);
#endif
  return h;
}

__device__ __forceinline__ float gelu(float x) { return x * normcdff(x); }

}  // namespace

// acc[m, n] = sum<f32>[k in 0..K](f32(A[m, k]) * f32(B[k, n]))
extern "C" __global__ void __launch_bounds__(256)
gemm_bias_gelu_acc(const bf16* __restrict__ A, const bf16* __restrict__ B, float* __restrict__ acc,
    long long M, long long N, long long K) {
#line 16 "examples/gemm_bias_gelu.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < M * N;
      point += (long long)gridDim.x * blockDim.x) {
    const long long m = point / N;
    const long long n = point % N;
    float sum = 0.0f;
    for (long long k = 0; k < K; ++k) {
      sum += to_f32(A[m * K + k]) * to_f32(B[k * N + n]);
    }
    acc[point] = sum;
  }
}
#line 62 "gemm_bias_gelu.cu"

// C[m, n] = bf16(gelu(acc[m, n] + f32(bias[n])))
extern "C" __global__ void __launch_bounds__(256)
gemm_bias_gelu_C(const float* __restrict__ acc, const bf16* __restrict__ bias, bf16* __restrict__ C,
    long long M, long long N) {
#line 17 "examples/gemm_bias_gelu.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < M * N;
      point += (long long)gridDim.x * blockDim.x) {
    const long long n = point % N;
    C[point] = to_bf16(gelu(acc[point] + to_f32(bias[n])));
  }
}
#line 76 "gemm_bias_gelu.cu"

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

// Pieces of the workspace start at multiples of 256 bytes.
inline long long aligned_256(long long bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

// Arguments of one call of gemm_bias_gelu. Pointers are to device memory.
struct gemm_bias_gelu_args {
  const bf16* A;     // bf16[M, K]
  const bf16* B;     // bf16[K, N]
  const bf16* bias;  // bf16[N]
  bf16* C;           // bf16[M, N], written
  long long M;
  long long K;
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long gemm_bias_gelu_workspace_bytes(const gemm_bias_gelu_args& args) {
  long long bytes = 0;
  bytes += aligned_256(args.M * args.N * 4);  // acc
  return bytes;
}

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why. The workspace has gemm_bias_gelu_workspace_bytes bytes, aligned to 256.
cudaError_t launch_gemm_bias_gelu(const gemm_bias_gelu_args& args, void* workspace,
    cudaStream_t stream, const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.K < 0) return refuse(why, "size K is negative: %lld", args.K);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.K, 2})) return refuse(why, "A is too large");
  if (!fits({args.K, args.N, 2})) return refuse(why, "B is too large");
  if (!fits({args.N, 2})) return refuse(why, "bias is too large");
  if (!fits({args.M, args.N, 2})) return refuse(why, "C is too large");
  if (!fits({args.M, args.N, 4})) return refuse(why, "acc is too large");
  const memory_range ranges[] = {
    {"A", args.A, args.M * args.K * 2, 2, false},
    {"B", args.B, args.K * args.N * 2, 2, false},
    {"bias", args.bias, args.N * 2, 2, false},
    {"C", args.C, args.M * args.N * 2, 2, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (workspace == nullptr && gemm_bias_gelu_workspace_bytes(args) > 0) {
    return refuse(why, "workspace is null");
  }
  char* unused = static_cast<char*>(workspace);
  auto* const acc = reinterpret_cast<float*>(unused);
  unused += aligned_256(args.M * args.N * 4);
  const long long most_gemm_bias_gelu_acc = resident_blocks(gemm_bias_gelu_acc, 256);
  const long long most_gemm_bias_gelu_C = resident_blocks(gemm_bias_gelu_C, 256);
  if (const unsigned int blocks = grid_for(args.M * args.N, 256, most_gemm_bias_gelu_acc)) {
    gemm_bias_gelu_acc<<<blocks, 256, 0, stream>>>(args.A, args.B, acc, args.M, args.N, args.K);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.M * args.N, 256, most_gemm_bias_gelu_C)) {
    gemm_bias_gelu_C<<<blocks, 256, 0, stream>>>(acc, args.bias, args.C, args.M, args.N);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
