// What the header and the sources of a library share.
#pragma once

#include <deque>
#include <string>

#include "codegen/launcher_context.h"
#include "codegen/library.h"

namespace cdsl::cuda {

/// The functions as callers see them: parameters alone, without kernels, so that no name and no type comes from those.
class PublicFunctions {
 public:
  PublicFunctions(std::span<const CudaUnit> units, const CudaOptions& options);

  struct Function {
    std::string name;               // spelled
    LauncherContext& context;
  };
  const std::deque<Function>& functions() const { return functions_; }
  File& file() { return file_; }

 private:
  CudaOptions options_;
  std::deque<loop::Program> programs_;
  File file_;
  std::deque<Module> modules_;
  std::deque<LauncherContext> contexts_;
  std::deque<Function> functions_;
};

/// "const float* x, float a, long long N", and "x, a, N".
std::string parameter_list(const LauncherContext& context);
std::string argument_list(const LauncherContext& context);

/// The opening of a file of the library.
void print_library_opening(const LibraryOptions& options, std::string_view what, Writer& out);

}  // namespace cdsl::cuda
