// What emitted text, compiled as C++, and the machine that runs it (machine.h) know of each other. A shared object of units holds
// none of the machine's code: it calls through one table that the machine hands it, so that nothing of it has to be exported by
// name, and a test program with sanitizers of its own keeps them apart from the units' instrumentation.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace emulated {

struct Index3 {
  unsigned int x, y, z;
};

enum class Use : unsigned char { Read, Write, Volatile, Atomic };
enum class Shuffle : unsigned char { Index, Up, Down, Xor };
enum class Vote : unsigned char { Any, All, Ballot };
enum class Fence : unsigned char { Block, Device };
/// Functions that no two libraries round alike, or that C has not: by what the reference evaluator uses for them. The name in CUDA,
/// that of the operator, and how many arguments.
#define EMULATED_FUNCTIONS(F)                                                                                                \
  F(rsqrt, Rsqrt, 1) F(cbrt, Cbrt, 1) F(rcbrt, Rcbrt, 1) F(exp, Exp, 1) F(exp2, Exp2, 1) F(exp10, Exp10, 1)                 \
  F(expm1, Expm1, 1) F(log, Log, 1) F(log2, Log2, 1) F(log10, Log10, 1) F(log1p, Log1p, 1) F(sin, Sin, 1) F(cos, Cos, 1)    \
  F(tan, Tan, 1) F(sinpi, Sinpi, 1) F(cospi, Cospi, 1) F(asin, Asin, 1) F(acos, Acos, 1) F(atan, Atan, 1)                   \
  F(sinh, Sinh, 1) F(cosh, Cosh, 1) F(tanh, Tanh, 1) F(asinh, Asinh, 1) F(acosh, Acosh, 1) F(atanh, Atanh, 1) F(erf, Erf, 1) \
  F(erfc, Erfc, 1) F(erfinv, Erfinv, 1) F(erfcinv, Erfcinv, 1) F(normcdf, Normcdf, 1) F(lgamma, Lgamma, 1)                  \
  F(tgamma, Tgamma, 1) F(hypot, Hypot, 2) F(atan2, Atan2, 2) F(pow, Pow, 2)
#define EMULATED_OPERATOR(name, Operator, arguments) Operator,
enum class Math : unsigned char { EMULATED_FUNCTIONS(EMULATED_OPERATOR) };

/// What the machine does for a unit. `pc` is where the unit calls from.
struct Api {
  void (*access)(uintptr_t address, size_t bytes, Use use, const void* pc);
  void (*misaligned)(uintptr_t address, size_t alignment, const void* pc);
  void (*bad_index)(int64_t index, size_t count, const void* pc);
  void (*fault)(const char* kind, const char* message, const void* pc);
  void (*atomic)(uintptr_t address, size_t bytes, const void* pc);  // checks, and lets other threads go first
  void (*fence)(Fence fence);
  void (*sync_block)(unsigned int site, const void* pc);
  void (*sync_cluster)(unsigned int site, const void* pc);
  void (*sync_some)(int barrier, int threads, bool wait, const void* pc);
  void (*sync_warp)(unsigned int site, unsigned int mask, const void* pc);
  uint64_t (*shuffle)(unsigned int site, unsigned int mask, Shuffle kind, uint64_t bits, int operand, int width, const void* pc);
  unsigned int (*vote)(unsigned int site, unsigned int mask, Vote kind, bool predicate, const void* pc);
  uint64_t (*match)(unsigned int site, unsigned int mask, bool all, uint64_t bits, const void* pc);
  void* (*dynamic_shared)();
  int (*cluster_rank)();
  void* (*at_rank)(void* place, int rank, const void* pc);
  void (*copy_async)(void* to, const void* from, int bytes, bool reads, const void* pc);
  void (*commit_async)();
  void (*wait_async)(int pending);
  double (*math)(Math function, double x, double y, bool single);
  float (*to_float)(unsigned int bits, int mantissa);  // half: 10, bfloat16: 7, e4m3: 3, e5m2: 2
  unsigned int (*from_float)(float x, int mantissa);
  void (*out_of_steps)(const void* pc);
  uint64_t* steps_left;   // of the launch
  const Index3* current;  // threadIdx, blockIdx, blockDim, gridDim
};

/// A kernel of a unit.
struct Kernel {
  const char* name;
  void (*run)(void* const* arguments);  // pointers to the bytes of each
  const size_t* sizes;                  // of the arguments
  size_t arguments;
};

struct Unit {
  const Kernel* kernels;
  size_t count;
  unsigned char *shared, *shared_end;  // all static shared memory of its kernels
};

}  // namespace emulated
