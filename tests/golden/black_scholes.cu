// black_scholes, made by cuoptc for sm_90a from examples/black_scholes.cdsl:10.
//
//   fn black_scholes(spot: f32[N], strike: f32[N], years: f32[N], rate: f32, vol: f32)
//     -> (call: f32[N], put: f32[N])
//   {
//     let spread = vol * sqrt(years[i]);
//     let d1 = (log(spot[i] / strike[i]) + (rate + vol * vol / 2) * years[i]) / spread;
//     let d2 = d1 - spread;
//     let owed = strike[i] * exp(-rate * years[i]);
//     call[i] = spot[i] * normcdf(d1) - owed * normcdf(d2);
//     put[i]  = owed * normcdf(-d2) - spot[i] * normcdf(-d1);
//   }
//
// Decisions:
// - simplify: black_scholes: exact rules applied (divide by a power of two 1)
// - lower: call: no point reads an element that another point overwrites (kernels 1)
// - lower: put: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// call[i] = spot[i] * normcdf((log(spot[i] / strike[i]) + (rate + vol * vol * 0.5) * years[i]) /
// (vol * sqrt(years[i]))) - strike[i] * exp(-rate * years[i]) * normcdf((log(spot[i] / strike[i]) +
// (rate + vol * vol * 0.5) * years[i]) / (vol * sqrt(years[i])) - vol * sqrt(years[i]))
extern "C" __global__ void __launch_bounds__(256)
black_scholes_call(const float* __restrict__ spot, const float* __restrict__ strike,
    const float* __restrict__ years, float* __restrict__ call, long long N, float vol, float rate) {
#line 17 "examples/black_scholes.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * blockDim.x) {
    const float spot_i = spot[i];
    const float strike_i = strike[i];
    const float years_i = years[i];
    const float t = vol * sqrtf(years_i);
    const float t_2 = (logf(spot_i / strike_i) + (rate + vol * vol * 0.5f) * years_i) / t;
    call[i] = spot_i * normcdff(t_2) - strike_i * expf(-rate * years_i) * normcdff(t_2 - t);
  }
}
#line 39 "black_scholes.cu"

// put[i] = strike[i] * exp(-rate * years[i]) * normcdf(-((log(spot[i] / strike[i]) + (rate + vol *
// vol * 0.5) * years[i]) / (vol * sqrt(years[i])) - vol * sqrt(years[i]))) - spot[i] *
// normcdf(-((log(spot[i] / strike[i]) + (rate + vol * vol * 0.5) * years[i]) / (vol *
// sqrt(years[i]))))
extern "C" __global__ void __launch_bounds__(256)
black_scholes_put(const float* __restrict__ strike, const float* __restrict__ years,
    const float* __restrict__ spot, float* __restrict__ put, long long N, float vol, float rate) {
#line 18 "examples/black_scholes.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * blockDim.x) {
    const float strike_i = strike[i];
    const float years_i = years[i];
    const float spot_i = spot[i];
    const float t = vol * sqrtf(years_i);
    const float t_2 = (logf(spot_i / strike_i) + (rate + vol * vol * 0.5f) * years_i) / t;
    put[i] = strike_i * expf(-rate * years_i) * normcdff(-(t_2 - t)) - spot_i * normcdff(-t_2);
  }
}
#line 60 "black_scholes.cu"

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

// Arguments of one call of black_scholes. Pointers are to device memory.
struct black_scholes_args {
  const float* spot;    // f32[N]
  const float* strike;  // f32[N]
  const float* years;   // f32[N]
  float rate;
  float vol;
  float* call;          // f32[N], written
  float* put;           // f32[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long black_scholes_workspace_bytes(const black_scholes_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_black_scholes(const black_scholes_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "spot is too large");
  const memory_range ranges[] = {
    {"spot", args.spot, args.N * 4, 4, false},
    {"strike", args.strike, args.N * 4, 4, false},
    {"years", args.years, args.N * 4, 4, false},
    {"call", args.call, args.N * 4, 4, true},
    {"put", args.put, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_black_scholes_call = resident_blocks(black_scholes_call, 256);
  const long long most_black_scholes_put = resident_blocks(black_scholes_put, 256);
  if (const unsigned int blocks = grid_for(args.N, 256, most_black_scholes_call)) {
    black_scholes_call<<<blocks, 256, 0, stream>>>(args.spot, args.strike, args.years, args.call,
        args.N, args.vol, args.rate);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  if (const unsigned int blocks = grid_for(args.N, 256, most_black_scholes_put)) {
    black_scholes_put<<<blocks, 256, 0, stream>>>(args.strike, args.years, args.spot, args.put,
        args.N, args.vol, args.rate);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
