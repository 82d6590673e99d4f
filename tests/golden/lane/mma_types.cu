// mma_tf32, made by cuoptc for sm_90a from tests/gpu/lane/mma_types.lir:1.
//
//   function mma_tf32 {
//     input a: bf16[16, 8];
//     input b: bf16[8, 8];
//     output y: f32[16, 8];
//     parameters(a, b, y);
//     stage [m in 0..16, n in 0..8] {
//       y[m, n] = sum<f32>[k in 0..8](f32(a[m, k]) * f32(b[k, n]));
//     }
//   }

// mma_f64, made by cuoptc for sm_90a from tests/gpu/lane/mma_types.lir:39.
//
//   function mma_f64 {
//     input a: f64[8, 4];
//     input b: f64[4, 8];
//     output y: f64[8, 8];
//     parameters(a, b, y);
//     stage [m in 0..8, n in 0..8] {
//       y[m, n] = sum<f64>[k in 0..4](a[m, k] * b[k, n]);
//     }
//   }

struct bf16 {
  unsigned short bits;
};

namespace {

__device__ __forceinline__ float to_f32(bf16 h) {
  return __uint_as_float((unsigned int)h.bits << 16);
}

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

// The 32 bits of one register of a matrix instruction.
template <class T>
__device__ __forceinline__ unsigned int word_of(const T* elements) {
  unsigned int word;
  memcpy(&word, elements, 4);
  return word;
}

// d += a * b by one warp.
__device__ __forceinline__ void mma_m16n8k8_f32_tf32(float* d, const float* a, const float* b) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(word_of(a + 0)), "r"(word_of(a + 1)), "r"(word_of(a + 2)), "r"(word_of(a + 3)),
                 "r"(word_of(b + 0)), "r"(word_of(b + 1)));
}

// d += a * b by one warp.
__device__ __forceinline__ void mma_m8n8k4_f64_f64(double* d, const double* a, const double* b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(d[0]), "+d"(d[1])
               : "d"(a[0]),
                 "d"(b[0]));
}

}  // namespace

extern "C" __global__ void __launch_bounds__(32)
mma_tf32_y(const bf16* __restrict__ a, const bf16* __restrict__ b, float* __restrict__ y) {
  float d[4];
  float ra[4];
  float rb[2];
#line 17 "tests/gpu/lane/mma_types.lir"
  const int row = (int)(threadIdx.x & 31) / 4;
#line 18 "tests/gpu/lane/mma_types.lir"
  const int along = (int)(threadIdx.x & 31) % 4;
#line 19 "tests/gpu/lane/mma_types.lir"
  ra[0] = to_f32(a[row * 8 + along]);
#line 20 "tests/gpu/lane/mma_types.lir"
  ra[1] = to_f32(a[(row + 8) * 8 + along]);
#line 21 "tests/gpu/lane/mma_types.lir"
  ra[2] = to_f32(a[row * 8 + along + 4]);
#line 22 "tests/gpu/lane/mma_types.lir"
  ra[3] = to_f32(a[(row + 8) * 8 + along + 4]);
#line 23 "tests/gpu/lane/mma_types.lir"
  rb[0] = to_f32(b[along * 8 + row]);
#line 24 "tests/gpu/lane/mma_types.lir"
  rb[1] = to_f32(b[(along + 4) * 8 + row]);
#line 25 "tests/gpu/lane/mma_types.lir"
  #pragma unroll 4
  for (int k = 0; k < 4; ++k) {
#line 26 "tests/gpu/lane/mma_types.lir"
    d[k] = 0.0f;
  }
#line 28 "tests/gpu/lane/mma_types.lir"
  mma_m16n8k8_f32_tf32(d, ra, rb);
#line 29 "tests/gpu/lane/mma_types.lir"
  *(vector_of<float, 2>*)&y[row * 8 + along * 2] = vector_of<float, 2>{{d[0], d[1]}};
#line 30 "tests/gpu/lane/mma_types.lir"
  *(vector_of<float, 2>*)&y[(row + 8) * 8 + along * 2] = vector_of<float, 2>{{d[2], d[3]}};
}
#line 102 "mma_tf32.cu"

extern "C" __global__ void __launch_bounds__(32)
mma_f64_y(const double* __restrict__ a, const double* __restrict__ b, double* __restrict__ y) {
  double d[2];
  double ra[1];
  double rb[1];
#line 55 "tests/gpu/lane/mma_types.lir"
  const int row = (int)(threadIdx.x & 31) / 4;
#line 56 "tests/gpu/lane/mma_types.lir"
  const int along = (int)(threadIdx.x & 31) % 4;
#line 57 "tests/gpu/lane/mma_types.lir"
  ra[0] = a[row * 4 + along];
#line 58 "tests/gpu/lane/mma_types.lir"
  rb[0] = b[along * 8 + row];
#line 59 "tests/gpu/lane/mma_types.lir"
  d[0] = 0.0;
#line 60 "tests/gpu/lane/mma_types.lir"
  d[1] = 0.0;
#line 61 "tests/gpu/lane/mma_types.lir"
  mma_m8n8k4_f64_f64(d, ra, rb);
#line 62 "tests/gpu/lane/mma_types.lir"
  *(vector_of<double, 2>*)&y[row * 8 + along * 2] = vector_of<double, 2>{{d[0], d[1]}};
}
#line 126 "mma_tf32.cu"

#ifndef __CUDACC_RTC__
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

namespace {

// Says why a call is refused, with values. The text is kept for the calling thread until its next
// refusal.
template <class... Values>
cudaError_t refuse(const char** why, const char* format, Values... values) {
  static thread_local char text[256];
  std::snprintf(text, sizeof text, format, values...);
  if (why != nullptr) *why = text;
  return cudaErrorInvalidValue;
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

// Arguments of one call of mma_tf32. Pointers are to device memory.
struct mma_tf32_args {
  const bf16* a;  // bf16[16, 8]
  const bf16* b;  // bf16[8, 8]
  float* y;       // f32[16, 8], written
};

// Bytes of device memory that a call needs besides its arguments.
long long mma_tf32_workspace_bytes(const mma_tf32_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_mma_tf32(const mma_tf32_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"a", args.a, 256, 2, false},
    {"b", args.b, 128, 2, false},
    {"y", args.y, 512, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  mma_tf32_y<<<1, 32, 0, stream>>>(args.a, args.b, args.y);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}

// Arguments of one call of mma_f64. Pointers are to device memory.
struct mma_f64_args {
  const double* a;  // f64[8, 4]
  const double* b;  // f64[4, 8]
  double* y;        // f64[8, 8], written
};

// Bytes of device memory that a call needs besides its arguments.
long long mma_f64_workspace_bytes(const mma_f64_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_mma_f64(const mma_f64_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"a", args.a, 256, 8, false},
    {"b", args.b, 256, 8, false},
    {"y", args.y, 512, 8, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  mma_f64_y<<<1, 32, 0, stream>>>(args.a, args.b, args.y);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
