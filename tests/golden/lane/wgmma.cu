// wgmma, made by cuoptc for sm_90a from tests/gpu/lane/wgmma.lir:1.
//
//   function wgmma {
//     input a: bf16[64, 64];
//     input b: bf16[64, 64];
//     output y: f32[64, 64];
//     parameters(a, b, y);
//     stage [m in 0..64, n in 0..64] {
//       y[m, n] = sum<f32>[k in 0..64](f32(a[m, k]) * f32(b[k, n]));
//     }
//   }

struct bf16 {
  unsigned short bits;
};

struct alignas(64) TensorMap {  // how the copy engine finds boxes of a tensor; the host encodes it
  unsigned long long words[16];
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

// `count` arrivals end each phase of the barrier.
__device__ __forceinline__ void barrier_init(unsigned long long* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}

// One arrival; the phase ends after `bytes` more were copied.
__device__ __forceinline__ void barrier_expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

// Until the phase of this parity is over.
__device__ __forceinline__ void barrier_wait(const unsigned long long* barrier, unsigned int parity) {
  asm volatile(
      "{\n\t"
      ".reg .pred done;\n\t"
      "again:\n\t"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@done bra ready;\n\t"
      "bra again;\n\t"
      "ready:\n\t"
      "}" ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}

// Initialised barriers are seen by the cluster and by the copy engine.
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Some warps of the block meet.
__device__ __forceinline__ void barrier_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// True in one lane of the warp.
__device__ __forceinline__ bool elect_one() {
  unsigned int elected;
  asm volatile("{ .reg .pred one; elect.sync _|one, 0xffffffff; selp.u32 %0, 1, 0, one; }" : "=r"(elected));
  return elected != 0;
}

// This warpgroup keeps `Count` registers a thread.
template <int Count>
__device__ __forceinline__ void lower_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

// This warpgroup takes `Count` registers a thread.
template <int Count>
__device__ __forceinline__ void raise_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

// A matrix in shared memory as wgmma takes it; addresses and offsets count in 16 bytes.
template <int Leading, int Stride, int Swizzle>
__device__ __forceinline__ unsigned long long matrix_descriptor(const void* start) {
  constexpr unsigned long long mode = Swizzle == 128 ? 1 : Swizzle == 64 ? 2 : Swizzle == 32 ? 3 : 0;
  return (unsigned long long)((shared_address(start) & 0x3ffff) >> 4) | (unsigned long long)(Leading >> 4) << 16 |
         (unsigned long long)(Stride >> 4) << 32 | mode << 62;
}

// Registers that this warpgroup wrote are ready for wgmma.
__device__ __forceinline__ void mma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Closes a batch of wgmma.
__device__ __forceinline__ void mma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Until at most `Pending` batches of wgmma are under way.
template <int Pending>
__device__ __forceinline__ void mma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

// Copies a box to shared memory; its bytes count at the barrier.
__device__ __forceinline__ void copy_box_2d(void* to, const TensorMap* map, unsigned long long* barrier, int x0, int x1) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)), "r"(x0), "r"(x1) : "memory");
}

// d = a * b (+ d) by one warpgroup, in the background.
__device__ __forceinline__ void wgmma_m64n32k16_bf16(float* d, unsigned long long a, unsigned long long b, bool accumulate) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %18, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
      "}, %16, %17, add, 1, 1, 0, 1; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
      : "l"(a), "l"(b), "r"((int)accumulate));
}

}  // namespace

// a tile of 64 columns, 32 for each of two warpgroups; a producer warp copies it by tensor maps and
// gives up registers
extern "C" __global__ void __launch_bounds__(384, 1)
wgmma_y(float* y, const __grid_constant__ TensorMap as, const __grid_constant__ TensorMap bs) {
  __shared__ alignas(1024) bf16 sa[4096];
  __shared__ alignas(1024) bf16 sb[4096];
  __shared__ unsigned long long full[1];
  float acc[16];
#line 19 "tests/gpu/lane/wgmma.lir"
  if (threadIdx.x == 0) {
#line 20 "tests/gpu/lane/wgmma.lir"
    barrier_init(&full[0], 1);
#line 21 "tests/gpu/lane/wgmma.lir"
    fence_init();
  }
#line 23 "tests/gpu/lane/wgmma.lir"
  __syncthreads();
#line 24 "tests/gpu/lane/wgmma.lir"
  if ((threadIdx.x / 32) < 4) {
#line 25 "tests/gpu/lane/wgmma.lir"
    lower_registers<40>();
#line 26 "tests/gpu/lane/wgmma.lir"
    const bool leader = elect_one();
#line 27 "tests/gpu/lane/wgmma.lir"
    if (leader && (threadIdx.x / 32) == 0) {
#line 28 "tests/gpu/lane/wgmma.lir"
      barrier_expect(&full[0], 16384);
#line 29 "tests/gpu/lane/wgmma.lir"
      copy_box_2d(&sa[0], &as, &full[0], 0, 0);
#line 30 "tests/gpu/lane/wgmma.lir"
      copy_box_2d(&sb[0], &bs, &full[0], 0, 0);
    }
  } else {
#line 33 "tests/gpu/lane/wgmma.lir"
    raise_registers<232>();
#line 34 "tests/gpu/lane/wgmma.lir"
    const int group = (int)(threadIdx.x / 32) / 4 - 1;
#line 35 "tests/gpu/lane/wgmma.lir"
    barrier_wait(&full[0], 0);
#line 36 "tests/gpu/lane/wgmma.lir"
    mma_fence();
#line 37 "tests/gpu/lane/wgmma.lir"
    #pragma unroll 4
    for (int k = 0; k < 4; ++k) {
#line 38 "tests/gpu/lane/wgmma.lir"
      wgmma_m64n32k16_bf16(acc, matrix_descriptor<0, 1024, 128>(&sa[k * 16]),
          matrix_descriptor<8192, 1024, 128>(&sb[k * 1024 + group * 32]), k > 0);
    }
#line 40 "tests/gpu/lane/wgmma.lir"
    mma_commit();
#line 41 "tests/gpu/lane/wgmma.lir"
    mma_wait<0>();
#line 42 "tests/gpu/lane/wgmma.lir"
    const int row = (int)(threadIdx.x / 32) % 4 * 16 + (int)(threadIdx.x & 31) / 4;
#line 43 "tests/gpu/lane/wgmma.lir"
    const int column = group * 32 + (int)(threadIdx.x & 31) % 4 * 2;
#line 44 "tests/gpu/lane/wgmma.lir"
    #pragma unroll 4
    for (int j = 0; j < 4; ++j) {
#line 45 "tests/gpu/lane/wgmma.lir"
      *(vector_of<float, 2>*)&y[row * 64 + j * 8 + column] =
          vector_of<float, 2>{{acc[j * 4], acc[j * 4 + 1]}};
#line 46 "tests/gpu/lane/wgmma.lir"
      *(vector_of<float, 2>*)&y[(row + 8) * 64 + j * 8 + column] =
          vector_of<float, 2>{{acc[j * 4 + 2], acc[j * 4 + 3]}};
    }
#line 48 "tests/gpu/lane/wgmma.lir"
    barrier_sync(group + 1, 128);
  }
}
#line 203 "wgmma.cu"

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

// Encodes how boxes of a tensor are found: extents in elements, strides in bytes, innermost axis
// first. The numbers of types and swizzles are those of cuda.h.
template <int Rank>
cudaError_t encode_map(TensorMap* map, int type, const void* memory,
                       const unsigned long long (&extents)[Rank],
                       const unsigned long long (&strides)[Rank], const unsigned int (&box)[Rank],
                       int swizzle) {
  using Encode = int (*)(TensorMap*, int, unsigned int, void*, const unsigned long long*,
                         const unsigned long long*, const unsigned int*, const unsigned int*, int,
                         int, int, int);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                                             cudaEnableDefault, &found);
#else
  const cudaError_t error =
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess || entry == nullptr) return cudaErrorNotSupported;
  unsigned int steps[Rank];
  for (unsigned int& step : steps) step = 1;
  constexpr int promote_to_256_bytes = 3;
  const int status = reinterpret_cast<Encode>(entry)(map, type, Rank, const_cast<void*>(memory), extents,
                                                     strides + 1, box, steps, 0, swizzle,
                                                     promote_to_256_bytes, 0);
  return status == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

// Arguments of one call of wgmma. Pointers are to device memory.
struct wgmma_args {
  const bf16* a;  // bf16[64, 64]
  const bf16* b;  // bf16[64, 64]
  float* y;       // f32[64, 64], written
};

// Bytes of device memory that a call needs besides its arguments.
long long wgmma_workspace_bytes(const wgmma_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_wgmma(const wgmma_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  const memory_range ranges[] = {
    {"a", args.a, 8192, 2, false},
    {"b", args.b, 8192, 2, false},
    {"y", args.y, 16384, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  TensorMap as;
  if (cudaError_t error = encode_map(&as, 9, args.a,
      {(unsigned long long)64, (unsigned long long)64}, {2, (unsigned long long)128}, {64, 64},
      3)) {
    return error;
  }
  TensorMap bs;
  if (cudaError_t error = encode_map(&bs, 9, args.b,
      {(unsigned long long)64, (unsigned long long)64}, {2, (unsigned long long)128}, {64, 64},
      3)) {
    return error;
  }
  wgmma_y<<<1, 384, 0, stream>>>(args.y, as, bs);
  if (cudaError_t error = cudaGetLastError()) return error;
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
