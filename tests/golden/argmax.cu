// row_argmax, made by cuoptc for sm_90a from examples/argmax.cdsl:9.
//
//   fn row_argmax(X: f32[M, N]) -> (v: f32[M], at: i32[M]) {
//     (v[i], at[i]) = argmax[j](X[i, j]);
//   }
//
// Decisions:
// - simplify: row_argmax: declined: no exact rule applies
// - lower: v_at: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// Run-time reports of one site in the source: how many, and the value of the first.
struct cdsl_report {
  unsigned long long count;
  long long value;
};

namespace {

__device__ __forceinline__ float inf_f32() { return __int_as_float(0x7f800000); }

// Counts a report of a site; the value of the first one is kept.
__device__ __forceinline__ void report_at(cdsl_report* reports, int site, long long value) {
  if (reports == nullptr) return;
  if (atomicAdd(&reports[site].count, 1ull) == 0) reports[site].value = value;
}

}  // namespace

// v[i] = argmax<f32>[j in 0..N](X[i, j]).0
extern "C" __global__ void __launch_bounds__(256)
row_argmax_v_at(const float* __restrict__ X, float* __restrict__ v, int* __restrict__ at,
    long long M, long long N, cdsl_report* reports) {
#line 10 "examples/argmax.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < M;
      i += (long long)gridDim.x * blockDim.x) {
    float best = -inf_f32();
    long long where = -1;
    bool found = false;
    for (long long j = 0; j < N; ++j) {
      const float candidate = X[i * N + j];
      if (!found || candidate > best || (isnan(candidate) && !isnan(best))) {
        best = candidate;
        where = j;
        found = true;
      }
    }
    if (!found) {
      report_at(reports, 0, -1);
    }
    v[i] = best;
    at[i] = (int)where;
  }
}
#line 57 "row_argmax.cu"

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
inline constexpr const char* row_argmax_sites[] = {
  "examples/argmax.cdsl:10: row_argmax_v_at: argmax over nothing",
};

// Arguments of one call of row_argmax. Pointers are to device memory.
struct row_argmax_args {
  const float* X;                  // f32[M, N]
  float* v;                        // f32[M], written
  int* at;                         // i32[M], written
  long long M;
  long long N;
  cdsl_report* reports = nullptr;  // 1 records, zeroed, or null
};

// Bytes of device memory that a call needs besides its arguments.
long long row_argmax_workspace_bytes(const row_argmax_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_row_argmax(const row_argmax_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.M < 0) return refuse(why, "size M is negative: %lld", args.M);
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.M, args.N, 4})) return refuse(why, "X is too large");
  if (!fits({args.M, 4})) return refuse(why, "v is too large");
  const memory_range ranges[] = {
    {"X", args.X, args.M * args.N * 4, 4, false},
    {"v", args.v, args.M * 4, 4, true},
    {"at", args.at, args.M * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  if (!(args.N <= 2147483647)) {
    return refuse(why, "a count or position up to %lld does not fit i32", (long long)args.N);
  }
  const long long most_row_argmax_v_at = resident_blocks(row_argmax_v_at, 256);
  if (const unsigned int blocks = grid_for(args.M, 256, most_row_argmax_v_at)) {
    row_argmax_v_at<<<blocks, 256, 0, stream>>>(args.X, args.v, args.at, args.M, args.N,
        args.reports);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
