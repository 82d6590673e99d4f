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
// - recognize: call: pointwise: over i, normcdf, sqrt, log, exp (FLOP/byte 1.19)
// - recognize: put: pointwise: over i, normcdf, sqrt, log, exp; fused with call (FLOP/byte 1.19)
// - fuse: put: one kernel, whose intermediates are never stored (statements 2, predicted 94.4392
// us)
// - map: put: all accesses are at the statement's own point, so one index runs along the lanes,
// bound by fp32 (predicted 94.44 us, sectors/request 16)
// - vectorize: put: elements of one memory access (predicted 94.44 us)
// - launch: put: blocks are limited by registers (predicted 94.44 us, occupancy 0.75)
// - index: put: accesses of a thread under way at once (predicted 94.44 us)
// - predicate: put: blocks whose tile lies inside test nothing (predicted 94.44 us)
// - predicate: put: both arms are computed, and one of their values is selected (operations of the
// first arm 0, of the second 0, predicted 94.44 us)
// - mirror: put: functions of x and of -x share one evaluation, of the smaller tail (pairs 2)
// - index: black_scholes: guards bound the sizes, so that no index leaves 32 bits (indices in 32
// bits 51, in 64 bits 0)

namespace {

// Neighbouring elements that move in one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) vector_of {
  T at[Count];
};

// Neighbours in memory to registers, in one access.
template <int Count, class T>
__device__ __forceinline__ void load_vector(T* to, const T* from) {
  const vector_of<T, Count> all = *(const vector_of<T, Count>*)from;
#pragma unroll
  for (int k = 0; k < Count; ++k) to[k] = all.at[k];
}

// Registers to neighbours in memory, in one access.
template <int Count, class T>
__device__ __forceinline__ void store_vector(T* to, const T* from) {
  vector_of<T, Count> all;
#pragma unroll
  for (int k = 0; k < Count; ++k) all.at[k] = from[k];
  *(vector_of<T, Count>*)to = all;
}

}  // namespace

// put[i] = strike[i] * exp(-rate * years[i]) * (if (log(spot[i] / strike[i]) + (rate + vol * vol *
// 0.5) * years[i]) / (vol * sqrt(years[i])) - vol * sqrt(years[i]) < 0.0 { 1.0 -
// normcdf(-abs((log(spot[...] / strike[...]) + (rate + ... * ...) * years[i]) / (vol *
// sqrt(years[i])) - vol * sqrt(years[i]))) } else { normcdf(-abs((log(spot[i] / strike[i]) + (rate
// + ... * ... * 0.5) * years[i]) / (vol * sqrt(years[i])) - vol * sqrt(years[i]))) }) - spot[i] *
// (if (log(spot[i] / strike[i]) + (rate + vol * vol * 0.5) * years[i]) / (vol * sqrt(years[i])) <
// 0.0 { 1.0 - normcdf(-abs((log(spot[i] / strike[i]) + (rate + ... * ... * 0.5) * years[i]) / (vol
// * sqrt(years[i])))) } else { normcdf(-abs((log(spot[i] / strike[i]) + (rate + vol * vol * 0.5) *
// years[i]) / (vol * sqrt(years[i])))) })
extern "C" __global__ void __launch_bounds__(256)
black_scholes_put(const float* __restrict__ spot, const float* __restrict__ strike,
    const float* __restrict__ years, float* __restrict__ call, float* __restrict__ put, int N,
    float rate, float vol) {
  constexpr int tile_i = 1024;
  constexpr int vector_i = 4;
  float strike_i[4];
  float years_i[4];
  float spot_i[4];
  bool holds[4];
  float normcdf_of[4];
  float t[4];
  bool holds_2[4];
  float normcdf_of_2[4];
  float t_3[4];
  float t_2[4];
  bool holds_2_2[4];
  bool holds_3[4];
  float strike_i_2[4];
  float years_i_2[4];
  float spot_i_2[4];
  float call_out[4];
  float put_out[4];
#line 18 "examples/black_scholes.cdsl"
  const int i_block = (int)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 128 + (int)(threadIdx.x & 31) * vector_i;
  if (i_block + tile_i <= N) {
#line 17 "examples/black_scholes.cdsl"
    load_vector<vector_i>(&spot_i[0], &spot[i_block + i_first]);
    load_vector<vector_i>(&strike_i[0], &strike[i_block + i_first]);
    load_vector<vector_i>(&years_i[0], &years[i_block + i_first]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      t[iv] = strike_i[iv] * expf(-rate * years_i[iv]);
      t_2[iv] = vol * sqrtf(years_i[iv]);
      t_3[iv] = (logf(spot_i[iv] / strike_i[iv]) + (rate + vol * vol * 0.5f) * years_i[iv]) /
          t_2[iv];
      normcdf_of[iv] = normcdff(-fabsf(t_3[iv]));
      normcdf_of_2[iv] = normcdff(-fabsf(t_3[iv] - t_2[iv]));
      holds[iv] = t_3[iv] < 0.0f;
      holds_2[iv] = t_3[iv] - t_2[iv] < 0.0f;
    }
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      call_out[iv] = spot_i[iv] * (holds[iv] ? normcdf_of[iv] : 1.0f - normcdf_of[iv]) - t[iv] *
          (holds_2[iv] ? normcdf_of_2[iv] : 1.0f - normcdf_of_2[iv]);
    }
    store_vector<vector_i>(&call[i_block + i_first], &call_out[0]);
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
#line 18 "examples/black_scholes.cdsl"
      holds_3[iv] = t_3[iv] < 0.0f;
      holds_2_2[iv] = t_3[iv] - t_2[iv] < 0.0f;
    }
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
      put_out[iv] = t[iv] * (holds_2_2[iv] ? 1.0f - normcdf_of_2[iv] : normcdf_of_2[iv]) -
          spot_i[iv] * (holds_3[iv] ? 1.0f - normcdf_of[iv] : normcdf_of[iv]);
    }
    store_vector<vector_i>(&put[i_block + i_first], &put_out[0]);
  } else {
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
#line 17 "examples/black_scholes.cdsl"
      spot_i_2[iv] = i_block + (i_first + iv) < N ? spot[i_block + i_first + iv] : 0.0f;
      strike_i_2[iv] = i_block + (i_first + iv) < N ? strike[i_block + i_first + iv] : 0.0f;
      years_i_2[iv] = i_block + (i_first + iv) < N ? years[i_block + i_first + iv] : 0.0f;
    }
#line 18 "examples/black_scholes.cdsl"
    #pragma unroll 4
    for (int iv = 0; iv < vector_i; ++iv) {
#line 17 "examples/black_scholes.cdsl"
      const float t_4 = strike_i_2[iv] * expf(-rate * years_i_2[iv]);
      const float t_2_2 = vol * sqrtf(years_i_2[iv]);
      const float t_3_2 = (logf(spot_i_2[iv] / strike_i_2[iv]) + (rate + vol * vol * 0.5f) *
          years_i_2[iv]) / t_2_2;
      const float normcdf_of_3 = normcdff(-fabsf(t_3_2));
      const float normcdf_of_2_2 = normcdff(-fabsf(t_3_2 - t_2_2));
      const bool holds_4 = t_3_2 < 0.0f;
      const bool holds_2_3 = t_3_2 - t_2_2 < 0.0f;
      if (i_block + (i_first + iv) < N) {
        call[i_block + i_first + iv] = spot_i_2[iv] *
            (holds_4 ? normcdf_of_3 : 1.0f - normcdf_of_3) - t_4 *
            (holds_2_3 ? normcdf_of_2_2 : 1.0f - normcdf_of_2_2);
      }
#line 18 "examples/black_scholes.cdsl"
      const bool holds_3_2 = t_3_2 < 0.0f;
      const bool holds_2_2_2 = t_3_2 - t_2_2 < 0.0f;
      if (i_block + (i_first + iv) < N) {
        put[i_block + i_first + iv] = t_4 * (holds_2_2_2 ? 1.0f - normcdf_of_2_2 : normcdf_of_2_2) -
            spot_i_2[iv] * (holds_3_2 ? 1.0f - normcdf_of_3 : normcdf_of_3);
      }
    }
  }
}
#line 164 "black_scholes.cu"

// put[i] = strike[i] * exp(-rate * years[i]) * (if (log(spot[i] / strike[i]) + (rate + vol * vol *
// 0.5) * years[i]) / (vol * sqrt(years[i])) - vol * sqrt(years[i]) < 0.0 { 1.0 -
// normcdf(-abs((log(spot[...] / strike[...]) + (rate + ... * ...) * years[i]) / (vol *
// sqrt(years[i])) - vol * sqrt(years[i]))) } else { normcdf(-abs((log(spot[i] / strike[i]) + (rate
// + ... * ... * 0.5) * years[i]) / (vol * sqrt(years[i])) - vol * sqrt(years[i]))) }) - spot[i] *
// (if (log(spot[i] / strike[i]) + (rate + vol * vol * 0.5) * years[i]) / (vol * sqrt(years[i])) <
// 0.0 { 1.0 - normcdf(-abs((log(spot[i] / strike[i]) + (rate + ... * ... * 0.5) * years[i]) / (vol
// * sqrt(years[i])))) } else { normcdf(-abs((log(spot[i] / strike[i]) + (rate + vol * vol * 0.5) *
// years[i]) / (vol * sqrt(years[i])))) })
extern "C" __global__ void __launch_bounds__(256)
black_scholes_put_general(const float* __restrict__ spot, const float* __restrict__ strike,
    const float* __restrict__ years, float* __restrict__ call, float* __restrict__ put, long long N,
    float rate, float vol) {
  constexpr int tile_i = 512;
  constexpr int step_i = 256;
  float strike_i[2];
  float years_i[2];
  float spot_i[2];
  float strike_i_2[2];
  float years_i_2[2];
  float spot_i_2[2];
#line 18 "examples/black_scholes.cdsl"
  const long long i_block = (long long)blockIdx.x * tile_i;
  const int i_first = (int)(threadIdx.x / 32) * 32 + (int)(threadIdx.x & 31);
  if (i_block + tile_i <= N) {
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
#line 17 "examples/black_scholes.cdsl"
      spot_i[ir] = spot[i_block + i_first + ir * step_i];
      strike_i[ir] = strike[i_block + i_first + ir * step_i];
      years_i[ir] = years[i_block + i_first + ir * step_i];
    }
#line 18 "examples/black_scholes.cdsl"
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
#line 17 "examples/black_scholes.cdsl"
      const float t = strike_i[ir] * expf(-rate * years_i[ir]);
      const float t_2 = vol * sqrtf(years_i[ir]);
      const float t_3 = (logf(spot_i[ir] / strike_i[ir]) + (rate + vol * vol * 0.5f) *
          years_i[ir]) / t_2;
      const float normcdf_of = normcdff(-fabsf(t_3));
      const float normcdf_of_2 = normcdff(-fabsf(t_3 - t_2));
      const bool holds = t_3 < 0.0f;
      const bool holds_2 = t_3 - t_2 < 0.0f;
      call[i_block + i_first + ir * step_i] = spot_i[ir] *
          (holds ? normcdf_of : 1.0f - normcdf_of) - t *
          (holds_2 ? normcdf_of_2 : 1.0f - normcdf_of_2);
#line 18 "examples/black_scholes.cdsl"
      const bool holds_3 = t_3 < 0.0f;
      const bool holds_2_2 = t_3 - t_2 < 0.0f;
      put[i_block + i_first + ir * step_i] = t * (holds_2_2 ? 1.0f - normcdf_of_2 : normcdf_of_2) -
          spot_i[ir] * (holds_3 ? 1.0f - normcdf_of : normcdf_of);
    }
  } else {
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
#line 17 "examples/black_scholes.cdsl"
      spot_i_2[ir] = i_block + (i_first + ir * step_i) < N ? spot[i_block + i_first + ir * step_i]
          : 0.0f;
      strike_i_2[ir] = i_block + (i_first + ir * step_i) < N
          ? strike[i_block + i_first + ir * step_i] : 0.0f;
      years_i_2[ir] = i_block + (i_first + ir * step_i) < N ? years[i_block + i_first + ir * step_i]
          : 0.0f;
    }
#line 18 "examples/black_scholes.cdsl"
    #pragma unroll 2
    for (int ir = 0; ir < 2; ++ir) {
#line 17 "examples/black_scholes.cdsl"
      const float t = strike_i_2[ir] * expf(-rate * years_i_2[ir]);
      const float t_2 = vol * sqrtf(years_i_2[ir]);
      const float t_3 = (logf(spot_i_2[ir] / strike_i_2[ir]) + (rate + vol * vol * 0.5f) *
          years_i_2[ir]) / t_2;
      const float normcdf_of = normcdff(-fabsf(t_3));
      const float normcdf_of_2 = normcdff(-fabsf(t_3 - t_2));
      const bool holds = t_3 < 0.0f;
      const bool holds_2 = t_3 - t_2 < 0.0f;
      if (i_block + (i_first + ir * step_i) < N) {
        call[i_block + i_first + ir * step_i] = spot_i_2[ir] *
            (holds ? normcdf_of : 1.0f - normcdf_of) - t *
            (holds_2 ? normcdf_of_2 : 1.0f - normcdf_of_2);
      }
#line 18 "examples/black_scholes.cdsl"
      const bool holds_3 = t_3 < 0.0f;
      const bool holds_2_2 = t_3 - t_2 < 0.0f;
      if (i_block + (i_first + ir * step_i) < N) {
        put[i_block + i_first + ir * step_i] = t *
            (holds_2_2 ? 1.0f - normcdf_of_2 : normcdf_of_2) - spot_i_2[ir] *
            (holds_3 ? 1.0f - normcdf_of : normcdf_of);
      }
    }
  }
}
#line 258 "black_scholes.cu"

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

// Does memory start at a multiple of `bytes`?
inline bool is_aligned(const void* memory, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0;
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
  if (is_aligned(args.spot, 16) && is_aligned(args.strike, 16) && is_aligned(args.years, 16) &&
      is_aligned(args.call, 16) && is_aligned(args.put, 16) && args.N <= 1073741824) {
    // Variant vectors.
    if (const unsigned int blocks = (unsigned int)((args.N + 1023) / 1024)) {
      black_scholes_put<<<blocks, 256, 0, stream>>>(args.spot, args.strike, args.years, args.call,
          args.put, (int)args.N, args.rate, args.vol);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  } else {
    // Variant general.
    if (const unsigned int blocks = (unsigned int)((args.N + 511) / 512)) {
      black_scholes_put_general<<<blocks, 256, 0, stream>>>(args.spot, args.strike, args.years,
          args.call, args.put, args.N, args.rate, args.vol);
      if (cudaError_t error = cudaGetLastError()) return error;
    }
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
