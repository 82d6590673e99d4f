// Prints one kernel: the comment over it, its signature, and its body.
#pragma once

#include <string>
#include <vector>

#include "codegen/cuda.h"
#include "codegen/helpers.h"
#include "codegen/launcher_support.h"
#include "codegen/names.h"
#include "codegen/records.h"
#include "codegen/text.h"

namespace cdsl::cuda {

/// What all parts of one file share.
struct File {
  explicit File(const CudaOptions& o) : options(o), records(names), prelude(o.strict) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const CudaOptions& options;
  Scopes names{Scopes::Outermost::File};
  Records records;
  Prelude prelude;
  Support support;  // of the launchers
};

/// One function of a file.
struct Module {
  Module(File& file, const CudaUnit& unit);

  const tir::Function& function;
  const loop::Program& program;
  const Remarks& remarks;
  CudaOptions options;
  Scopes& names;
  Records& records;
  Prelude& prelude;
  Support& support;
  std::vector<std::string> kernels;                         // spelled, by kernel
  std::vector<std::vector<const plan::Launch*>> launches;   // by kernel
};

void print_kernel(Module& module, std::size_t kernel, Writer& out);

/// "256", or "dim3(32, 8, 1)".
std::string block_shape(const loop::Kernel& kernel);
int threads_of(const loop::Kernel& kernel);

}  // namespace cdsl::cuda
