// mma, made by cuoptc for sm_90a from tests/gpu/lane/mma.lir:1.
//
//   function mma {
//     input a: bf16[16, 16];
//     input b: bf16[16, 8];
//     output y: f32[16, 8];
//     parameters(a, b, y);
//     stage [m in 0..16, n in 0..8] {
//       y[m, n] = sum<f32>[k in 0..16](f32(a[m, k]) * f32(b[k, n]));
//     }
//   }

struct bf16 {
  unsigned short bits;
};

namespace {

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

// The address of shared memory as instructions take it.
__device__ __forceinline__ unsigned int shared_address(const void* place) {
  return (unsigned int)__cvta_generic_to_shared(place);
}

// Copies 4, 8 or 16 bytes to shared memory, in the background.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes) : "memory");
  }
}

// Closes a batch of this thread's copy_async.
__device__ __forceinline__ void commit_async() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until at most `Pending` batches of copy_async are under way.
template <int Pending>
__device__ __forceinline__ void wait_async() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// The 32 bits of one register of a matrix instruction.
template <class T>
__device__ __forceinline__ unsigned int word_of(const T* elements) {
  unsigned int word;
  memcpy(&word, elements, 4);
  return word;
}

// Sets the elements that one register of a matrix instruction holds.
template <class T>
__device__ __forceinline__ void set_word(T* elements, unsigned int word) {
  memcpy(elements, &word, 4);
}

// Loads 4 tiles of 8 rows of 16 bytes, a row from each lane's address.
__device__ __forceinline__ void matrix_load_x4_bf16(bf16* to, const void* from) {
  unsigned int w[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
               : "r"(shared_address(from)) : "memory");
  set_word(to + 0, w[0]);
  set_word(to + 2, w[1]);
  set_word(to + 4, w[2]);
  set_word(to + 6, w[3]);
}

// Loads 2 tiles of 8 rows of 16 bytes, transposed, a row from each lane's address.
__device__ __forceinline__ void matrix_load_x2_transposed_bf16(bf16* to, const void* from) {
  unsigned int w[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(w[0]), "=r"(w[1])
               : "r"(shared_address(from)) : "memory");
  set_word(to + 0, w[0]);
  set_word(to + 2, w[1]);
}

// d += a * b by one warp.
__device__ __forceinline__ void mma_m16n8k16_f32_bf16(float* d, const bf16* a, const bf16* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(word_of(a + 0)), "r"(word_of(a + 2)), "r"(word_of(a + 4)), "r"(word_of(a + 6)),
                 "r"(word_of(b + 0)), "r"(word_of(b + 2)));
}

}  // namespace

// one product of a warp; tiles come through ldmatrix, that of b transposed
extern "C" __global__ void __launch_bounds__(32)
mma_y(const bf16* __restrict__ a, const bf16* __restrict__ b, float* y) {
  __shared__ alignas(16) bf16 sa[256];
  __shared__ alignas(16) bf16 sb[128];
  float d[4];
  alignas(4) bf16 ra[8];
  alignas(4) bf16 rb[4];
#line 20 "tests/gpu/lane/mma.lir"
  copy_async<16>(&sa[(int)(threadIdx.x & 31) * 8], &a[(int)(threadIdx.x & 31) * 8]);
#line 21 "tests/gpu/lane/mma.lir"
  copy_async<8>(&sb[(int)(threadIdx.x & 31) * 4], &b[(int)(threadIdx.x & 31) * 4]);
#line 22 "tests/gpu/lane/mma.lir"
  commit_async();
#line 23 "tests/gpu/lane/mma.lir"
  wait_async<0>();
#line 24 "tests/gpu/lane/mma.lir"
  #pragma unroll 4
  for (int k = 0; k < 4; ++k) {
#line 25 "tests/gpu/lane/mma.lir"
    d[k] = 0.0f;
  }
#line 27 "tests/gpu/lane/mma.lir"
  __syncwarp();
#line 28 "tests/gpu/lane/mma.lir"
  matrix_load_x4_bf16(ra, &sa[(int)(threadIdx.x & 31) % 16 * 16 + (int)(threadIdx.x & 31) / 16 *
      8]);
#line 29 "tests/gpu/lane/mma.lir"
  matrix_load_x2_transposed_bf16(rb, &sb[(int)(threadIdx.x & 31) % 16 * 8]);
#line 30 "tests/gpu/lane/mma.lir"
  mma_m16n8k16_f32_bf16(d, ra, rb);
#line 31 "tests/gpu/lane/mma.lir"
  const int row = (int)(threadIdx.x & 31) / 4;
#line 32 "tests/gpu/lane/mma.lir"
  const int column = (int)(threadIdx.x & 31) % 4 * 2;
#line 33 "tests/gpu/lane/mma.lir"
  *(vector_of<float, 2>*)&y[row * 8 + column] = vector_of<float, 2>{{d[0], d[1]}};
#line 34 "tests/gpu/lane/mma.lir"
  *(vector_of<float, 2>*)&y[(row + 8) * 8 + column] = vector_of<float, 2>{{d[2], d[3]}};
}
#line 138 "mma.cu"

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

// Arguments of one call of mma. Pointers are to device memory.
struct mma_args {
  const bf16* a;  // bf16[16, 16]
  const bf16* b;  // bf16[16, 8]
  float* y;       // f32[16, 8], written
};

// Bytes of device memory that a call needs besides its arguments.
long long mma_workspace_bytes(const mma_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_mma(const mma_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"a", args.a, 512, 2, false},
    {"b", args.b, 256, 2, false},
    {"y", args.y, 512, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  mma_y<<<1, 32, 0, stream>>>(args.a, args.b, args.y);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
