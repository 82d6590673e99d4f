// nbody, made by cuoptc for sm_90a from examples/nbody.cdsl:13.
//
//   fn nbody(p: Body[N], soft: f32) -> (acc: Vector[N]) {
//     let dx = p[j].x - p[i].x;
//     let dy = p[j].y - p[i].y;
//     let dz = p[j].z - p[i].z;
//     let r2 = dx * dx + dy * dy + dz * dz + soft * soft;
//     let pull = p[j].m / (r2 * sqrt(r2));
//     acc[i] = Vector(x: sum[j](pull * dx), y: sum[j](pull * dy), z: sum[j](pull * dz));
//   }
//
// Decisions:
// - simplify: nbody: declined: no exact rule applies
// - lower: acc: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

struct Body {
  float x;
  float y;
  float z;
  float m;
};
static_assert(sizeof(Body) == 16, "Body is laid out as C does");

struct Vector {
  float x;
  float y;
  float z;
};
static_assert(sizeof(Vector) == 12, "Vector is laid out as C does");

// acc[i].x = sum<f32>[j in 0..N](p.m[j] / (((p.x[j] - p.x[i]) * (p.x[j] - p.x[i]) + (p.y[j] -
// p.y[i]) * (p.y[j] - p.y[i]) + (p.z[j] - p.z[i]) * (p.z[j] - p.z[i]) + soft * soft) * sqrt((p.x[j]
// - p.x[i]) * (p.x[j] - p.x[i]) + (p.y[j] - p.y[i]) * (p.y[j] - p.y[i]) + (p.z[j] - p.z[i]) *
// (p.z[j] - p.z[i]) + soft * soft)) * (p.x[j] - p.x[i]))
extern "C" __global__ void __launch_bounds__(256)
nbody_acc(const Body* __restrict__ p, Vector* __restrict__ acc, long long N, float soft) {
#line 19 "examples/nbody.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * blockDim.x) {
    float sum = 0.0f;
    for (long long j = 0; j < N; ++j) {
      const float t = p[j].x - p[i].x;
      const float t_2 = p[j].y - p[i].y;
      const float t_3 = p[j].z - p[i].z;
      const float t_4 = t * t + t_2 * t_2 + t_3 * t_3 + soft * soft;
      const float t_5 = p[j].m / (t_4 * sqrtf(t_4));
      sum += t_5 * t;
    }
    float sum_2 = 0.0f;
    for (long long j = 0; j < N; ++j) {
      const float t = p[j].x - p[i].x;
      const float t_2 = p[j].y - p[i].y;
      const float t_3 = p[j].z - p[i].z;
      const float t_4 = t * t + t_2 * t_2 + t_3 * t_3 + soft * soft;
      const float t_5 = p[j].m / (t_4 * sqrtf(t_4));
      sum_2 += t_5 * t_2;
    }
    float sum_3 = 0.0f;
    for (long long j = 0; j < N; ++j) {
      const float t = p[j].x - p[i].x;
      const float t_2 = p[j].y - p[i].y;
      const float t_3 = p[j].z - p[i].z;
      const float t_4 = t * t + t_2 * t_2 + t_3 * t_3 + soft * soft;
      const float t_5 = p[j].m / (t_4 * sqrtf(t_4));
      sum_3 += t_5 * t_3;
    }
    acc[i].x = sum;
    acc[i].y = sum_2;
    acc[i].z = sum_3;
  }
}
#line 75 "nbody.cu"

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

// Arguments of one call of nbody. Pointers are to device memory.
struct nbody_args {
  const Body* p;  // Body[N]
  float soft;
  Vector* acc;    // Vector[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long nbody_workspace_bytes(const nbody_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_nbody(const nbody_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 16})) return refuse(why, "p is too large");
  if (!fits({args.N, 12})) return refuse(why, "acc is too large");
  const memory_range ranges[] = {
    {"p", args.p, args.N * 16, 4, false},
    {"acc", args.acc, args.N * 12, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_nbody_acc = resident_blocks(nbody_acc, 256);
  if (const unsigned int blocks = grid_for(args.N, 256, most_nbody_acc)) {
    nbody_acc<<<blocks, 256, 0, stream>>>(args.p, args.acc, args.N, args.soft);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
