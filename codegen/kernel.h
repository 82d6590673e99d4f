// Prints one kernel: the comment over it, its signature, and its body.
#pragma once

#include <string>
#include <vector>

#include "codegen/cuda.h"
#include "codegen/helpers.h"
#include "codegen/names.h"
#include "codegen/records.h"
#include "codegen/text.h"

namespace cdsl::cuda {

/// What all parts of one file share.
struct Module {
  Module(const tir::Function& function, const loop::Program& program, const CudaOptions& options);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const tir::Function& function;
  const loop::Program& program;
  const CudaOptions& options;
  Scopes names;                          // at file scope
  std::vector<std::string> kernels;      // spelled, by kernel
  Records records;
  Prelude prelude;
};

void print_kernel(Module& module, std::size_t kernel, Writer& out);

/// "256", or "dim3(32, 8, 1)".
std::string block_shape(const loop::Kernel& kernel);
int threads_of(const loop::Kernel& kernel);

}  // namespace cdsl::cuda
