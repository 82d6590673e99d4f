// scatter_add, made by cuoptc for sm_90a from examples/scatter_add.cdsl:9.
//
//   fn scatter_add(inout acc: f32[M], to: i32[N], v: f32[N]) {
//     scatter[i in 0..N] acc[to[i]] += v[i];
//   }
//
// Decisions:
// - simplify: scatter_add: declined: no exact rule applies
// - recognize: acc: scatter: acc += at places that data give
// - atomics: acc: declined: the size of the target is open (predicted 168.43 us)
// - lower: acc: one atomic update a point (kernels 1)
// - index: scatter_add: sizes are open, so that an index may need 64 bits (indices in 32 bits 1, in
// 64 bits 2)

// Run-time reports of one site in the source: how many, and the value of the first.
struct cdsl_report {
  unsigned long long count;
  long long value;
};

namespace {

// Counts a report of a site; the value of the first one is kept.
__device__ __forceinline__ void report_at(cdsl_report* reports, int site, long long value) {
  if (reports == nullptr) return;
  if (atomicAdd(&reports[site].count, 1ull) == 0) reports[site].value = value;
}

}  // namespace

// acc[i64(to[i])] += v[i]
extern "C" __global__ void __launch_bounds__(256)
scatter_add_acc_scatter(const int* __restrict__ to, const float* __restrict__ v,
    float* __restrict__ acc, long long N, long long M, cdsl_report* reports) {
#line 10 "examples/scatter_add.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * blockDim.x) {
    const int t = to[i];
    if (t >= 0 && t < M) {
      atomicAdd(&acc[t], v[i]);
    } else {
      report_at(reports, 0, t);
    }
  }
}
#line 48 "scatter_add.cu"

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

// What the reports of a call mean, by record.
inline constexpr const char* scatter_add_sites[] = {
  "examples/scatter_add.cdsl:10: scatter_add_acc_scatter: acc[i64(to[i])], axis 0 of acc",
};

// Arguments of one call of scatter_add. Pointers are to device memory.
struct scatter_add_args {
  float* acc;                      // f32[M], read and written
  const int* to;                   // i32[N]
  const float* v;                  // f32[N]
  long long M;
  long long N;
  cdsl_report* reports = nullptr;  // 1 records, zeroed, or null
};

// Bytes of device memory that a call needs besides its arguments.
long long scatter_add_workspace_bytes(const scatter_add_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_scatter_add(const scatter_add_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, 4})) return refuse(why, "acc is too large");
  if (!fits({args.N, 4})) return refuse(why, "to is too large");
  const memory_range ranges[] = {
    {"acc", args.acc, args.M * 4, 4, true},
    {"to", args.to, args.N * 4, 4, false},
    {"v", args.v, args.N * 4, 4, false},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_scatter_add_acc_scatter = resident_blocks(scatter_add_acc_scatter, 256);
  if (const unsigned int blocks = grid_for(args.N, 256, most_scatter_add_acc_scatter)) {
    scatter_add_acc_scatter<<<blocks, 256, 0, stream>>>(args.to, args.v, args.acc, args.N, args.M,
        args.reports);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
