// push, made by cuoptc for sm_90a from examples/particle_push.cdsl:14.
//
//   fn push(p: Particle[N] layout(auto), E: f32, dt: f32) -> (r: Particle[N] layout(auto)) {
//     let vx = p[i].vx + dt * E * p[i].q / p[i].m;
//     r[i] = p[i] with (
//       x: p[i].x + dt * vx,
//       y: p[i].y + dt * p[i].vy,
//       z: p[i].z + dt * p[i].vz,
//       vx: vx);
//   }
//
// Decisions:
// - simplify: push: declined: no exact rule applies
// - lower: r: no point reads an element that another point overwrites (kernels 1)
// - lower: width: declined: sizes are not known, so that an index may need 64 bits

// r[i].x = p.x[i] + dt * (p.vx[i] + dt * E * p.q[i] / p.m[i])
extern "C" __global__ void __launch_bounds__(256)
push_r(const float* __restrict__ p_x, const float* __restrict__ p_vx, const float* __restrict__ p_q,
    const float* __restrict__ p_m, const float* __restrict__ p_y, const float* __restrict__ p_vy,
    const float* __restrict__ p_z, const float* __restrict__ p_vz, float* __restrict__ r_x,
    float* __restrict__ r_y, float* __restrict__ r_z, float* __restrict__ r_vx,
    float* __restrict__ r_vy, float* __restrict__ r_vz, float* __restrict__ r_m,
    float* __restrict__ r_q, long long N, float dt, float E) {
#line 16 "examples/particle_push.cdsl"
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * blockDim.x) {
    const float p_q_i = p_q[i];
    const float p_m_i = p_m[i];
    const float t = p_vx[i] + dt * E * p_q_i / p_m_i;
    const float p_vy_i = p_vy[i];
    const float p_vz_i = p_vz[i];
    r_x[i] = p_x[i] + dt * t;
    r_y[i] = p_y[i] + dt * p_vy_i;
    r_z[i] = p_z[i] + dt * p_vz_i;
    r_vx[i] = t;
    r_vy[i] = p_vy_i;
    r_vz[i] = p_vz_i;
    r_m[i] = p_m_i;
    r_q[i] = p_q_i;
  }
}
#line 45 "push.cu"

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

// Arguments of one call of push. Pointers are to device memory.
struct push_args {
  const float* p_x;   // float[N]
  const float* p_y;   // float[N]
  const float* p_z;   // float[N]
  const float* p_vx;  // float[N]
  const float* p_vy;  // float[N]
  const float* p_vz;  // float[N]
  const float* p_m;   // float[N]
  const float* p_q;   // float[N]
  float E;
  float dt;
  float* r_x;         // float[N], written
  float* r_y;         // float[N], written
  float* r_z;         // float[N], written
  float* r_vx;        // float[N], written
  float* r_vy;        // float[N], written
  float* r_vz;        // float[N], written
  float* r_m;         // float[N], written
  float* r_q;         // float[N], written
  long long N;
};

// Bytes of device memory that a call needs besides its arguments.
long long push_workspace_bytes(const push_args&) { return 0; }

// Checks the call, then launches it on `stream`, without waiting. A call that is refused leaves the
// reason in *why.
cudaError_t launch_push(const push_args& args, void*, cudaStream_t stream,
    const char** why = nullptr) {
  if (args.N < 0) return refuse(why, "size N is negative: %lld", args.N);
  if (!fits({args.N, 4})) return refuse(why, "p is too large");
  const memory_range ranges[] = {
    {"p_x", args.p_x, args.N * 4, 4, false},
    {"p_y", args.p_y, args.N * 4, 4, false},
    {"p_z", args.p_z, args.N * 4, 4, false},
    {"p_vx", args.p_vx, args.N * 4, 4, false},
    {"p_vy", args.p_vy, args.N * 4, 4, false},
    {"p_vz", args.p_vz, args.N * 4, 4, false},
    {"p_m", args.p_m, args.N * 4, 4, false},
    {"p_q", args.p_q, args.N * 4, 4, false},
    {"r_x", args.r_x, args.N * 4, 4, true},
    {"r_y", args.r_y, args.N * 4, 4, true},
    {"r_z", args.r_z, args.N * 4, 4, true},
    {"r_vx", args.r_vx, args.N * 4, 4, true},
    {"r_vy", args.r_vy, args.N * 4, 4, true},
    {"r_vz", args.r_vz, args.N * 4, 4, true},
    {"r_m", args.r_m, args.N * 4, 4, true},
    {"r_q", args.r_q, args.N * 4, 4, true},
  };
  if (cudaError_t error = check_ranges(ranges, false, why)) return error;
  const long long most_push_r = resident_blocks(push_r, 256);
  if (const unsigned int blocks = grid_for(args.N, 256, most_push_r)) {
    push_r<<<blocks, 256, 0, stream>>>(args.p_x, args.p_vx, args.p_q, args.p_m, args.p_y, args.p_vy,
        args.p_z, args.p_vz, args.r_x, args.r_y, args.r_z, args.r_vx, args.r_vy, args.r_vz,
        args.r_m, args.r_q, args.N, args.dt, args.E);
    if (cudaError_t error = cudaGetLastError()) return error;
  }
  return cudaSuccess;
}
#endif  // __CUDACC_RTC__
