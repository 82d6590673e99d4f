// box_clamp, made by cuoptc for sm_90a from examples/box_filter.cdsl:16.
//
//   fn box_clamp(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.clamp[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_clamp: declined: no exact rule applies
// - lower: v: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// box_wrap, made by cuoptc for sm_90a from examples/box_filter.cdsl:20.
//
//   fn box_wrap(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.wrap[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_wrap: declined: no exact rule applies
// - lower: v: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// box_reflect, made by cuoptc for sm_90a from examples/box_filter.cdsl:24.
//
//   fn box_reflect(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.reflect[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_reflect: declined: no exact rule applies
// - lower: v: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// box_symmetric, made by cuoptc for sm_90a from examples/box_filter.cdsl:28.
//
//   fn box_symmetric(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.symmetric[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_symmetric: declined: no exact rule applies
// - lower: v: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// box_zero, made by cuoptc for sm_90a from examples/box_filter.cdsl:32.
//
//   fn box_zero(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.zero[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_zero: declined: no exact rule applies
// - lower: v: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// box_fill, made by cuoptc for sm_90a from examples/box_filter.cdsl:36.
//
//   fn box_fill(u: f32[H, W]) -> (v: f32[H, W]) {
//     v[i, j] = sum[a in -2..=2, b in -2..=2](u.fill(128)[i + a, j + b]) / 25;
//   }
//
// Decisions:
// - simplify: box_fill: declined: no exact rule applies
// - lower: v: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

namespace {

// What floordiv leaves, for b > 0: from 0 to b - 1.
__device__ __forceinline__ long long floormod_positive(long long a, long long b) {
  const long long r = a % b;
  return r < 0 ? r + b : r;
}

}  // namespace

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @clamp, j + b @clamp]) / 25.0
extern "C" __global__ void __launch_bounds__(256)
box_clamp_v(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
#line 17 "examples/box_filter.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    float sum = 0.0f;
    for (long long a = -2; a < 3; ++a) {
      for (long long b = -2; b < 3; ++b) {
        sum += u[min(max(i + a, 0LL), H - 1) * W + min(max(j + b, 0LL), W - 1)];
      }
    }
    v[point] = sum / 25.0f;
  }
}
#line 96 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @wrap, j + b @wrap]) / 25.0
extern "C" __global__ void __launch_bounds__(256)
box_wrap_v(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
#line 21 "examples/box_filter.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    float sum = 0.0f;
    for (long long a = -2; a < 3; ++a) {
      for (long long b = -2; b < 3; ++b) {
        sum += u[floormod_positive(i + a, H) * W + floormod_positive(j + b, W)];
      }
    }
    v[point] = sum / 25.0f;
  }
}
#line 116 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @reflect, j + b @reflect]) / 25.0
extern "C" __global__ void __launch_bounds__(256)
box_reflect_v(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
#line 25 "examples/box_filter.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    float sum = 0.0f;
    for (long long a = -2; a < 3; ++a) {
      for (long long b = -2; b < 3; ++b) {
        sum += u[(H - 1 - abs(H - 1 - floormod_positive(i + a, max(2 * (H - 1), 1LL)))) * W + W -
            1 - abs(W - 1 - floormod_positive(j + b, max(2 * (W - 1), 1LL)))];
      }
    }
    v[point] = sum / 25.0f;
  }
}
#line 137 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @symmetric, j + b @symmetric]) / 25.0
extern "C" __global__ void __launch_bounds__(256)
box_symmetric_v(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
#line 29 "examples/box_filter.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    float sum = 0.0f;
    for (long long a = -2; a < 3; ++a) {
      for (long long b = -2; b < 3; ++b) {
        sum += u[min(floormod_positive(i + a, 2 * H), 2 * H - 1 - floormod_positive(i + a, 2 * H)) *
            W + min(floormod_positive(j + b, 2 * W), 2 * W - 1 - floormod_positive(j + b, 2 * W))];
      }
    }
    v[point] = sum / 25.0f;
  }
}
#line 158 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @zero, j + b @zero]) / 25.0
extern "C" __global__ void __launch_bounds__(256)
box_zero_v(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
#line 33 "examples/box_filter.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    float sum = 0.0f;
    for (long long a = -2; a < 3; ++a) {
      for (long long b = -2; b < 3; ++b) {
        sum += i + a >= 0 && i + a < H && j + b >= 0 && j + b < W ? u[(i + a) * W + j + b] : 0.0f;
      }
    }
    v[point] = sum / 25.0f;
  }
}
#line 178 "box_clamp.cu"

// v[i, j] = sum<f32>[a in -2..3, b in -2..3](u[i + a @fill(128.0), j + b @fill(128.0)]) / 25.0
extern "C" __global__ void __launch_bounds__(256)
box_fill_v(const float* __restrict__ u, float* __restrict__ v, long long H, long long W) {
#line 37 "examples/box_filter.cdsl"
  // grid-stride
  for (long long point = (long long)blockIdx.x * blockDim.x + threadIdx.x; point < H * W;
      point += (long long)gridDim.x * blockDim.x) {
    const long long i = point / W;
    const long long j = point % W;
    float sum = 0.0f;
    for (long long a = -2; a < 3; ++a) {
      for (long long b = -2; b < 3; ++b) {
        sum += i + a >= 0 && i + a < H && j + b >= 0 && j + b < W ? u[(i + a) * W + j + b] : 128.0f;
      }
    }
    v[point] = sum / 25.0f;
  }
}
#line 198 "box_clamp.cu"

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

// Arguments of one call of box_clamp. Pointers are to device memory.
struct box_clamp_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_clamp_workspace_bytes(const box_clamp_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_clamp(const box_clamp_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_box_clamp_v = resident_blocks(box_clamp_v, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_box_clamp_v)) {
    box_clamp_v<<<blocks, 256, 0, stream>>>(args.u, args.v, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

// Arguments of one call of box_wrap. Pointers are to device memory.
struct box_wrap_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_wrap_workspace_bytes(const box_wrap_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_wrap(const box_wrap_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_box_wrap_v = resident_blocks(box_wrap_v, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_box_wrap_v)) {
    box_wrap_v<<<blocks, 256, 0, stream>>>(args.u, args.v, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

// Arguments of one call of box_reflect. Pointers are to device memory.
struct box_reflect_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_reflect_workspace_bytes(const box_reflect_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_reflect(const box_reflect_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_box_reflect_v = resident_blocks(box_reflect_v, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_box_reflect_v)) {
    box_reflect_v<<<blocks, 256, 0, stream>>>(args.u, args.v, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

// Arguments of one call of box_symmetric. Pointers are to device memory.
struct box_symmetric_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_symmetric_workspace_bytes(const box_symmetric_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_symmetric(const box_symmetric_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_box_symmetric_v = resident_blocks(box_symmetric_v, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_box_symmetric_v)) {
    box_symmetric_v<<<blocks, 256, 0, stream>>>(args.u, args.v, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

// Arguments of one call of box_zero. Pointers are to device memory.
struct box_zero_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_zero_workspace_bytes(const box_zero_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_zero(const box_zero_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_box_zero_v = resident_blocks(box_zero_v, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_box_zero_v)) {
    box_zero_v<<<blocks, 256, 0, stream>>>(args.u, args.v, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}

// Arguments of one call of box_fill. Pointers are to device memory.
struct box_fill_args {
  const float* u;  // f32[H, W]
  float* v;        // f32[H, W], written
  long long H;
  long long W;
};

// Bytes of device memory that a call needs besides its arguments.
long long box_fill_workspace_bytes(const box_fill_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_box_fill(const box_fill_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.H < 0) return refuse(why, "size H is negative: %lld", args.H);
  if (args.W < 0) return refuse(why, "size W is negative: %lld", args.W);
  if (!fits({args.H, args.W, 4})) return refuse(why, "u is too large");
  const memory_range ranges[] = {
    {"u", args.u, args.H * args.W * 4, 4, false},
    {"v", args.v, args.H * args.W * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_box_fill_v = resident_blocks(box_fill_v, 256);
  if (const unsigned int blocks = grid_for(args.H * args.W, 256, most_box_fill_v)) {
    box_fill_v<<<blocks, 256, 0, stream>>>(args.u, args.v, args.H, args.W);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
