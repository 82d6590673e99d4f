// One compiled form of a function: for all sizes, or for one set of them. Machine code is made once, loaded once a context.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "api/jit/module.h"
#include "api/jit/signature.h"
#include "runtime/cuda/program.h"

namespace cdsl::jit {

class Specialization {
 public:
  /// Runs the compiler, and NVRTC where the cache has nothing. Throws JitFailure, runtime::Error.
  Specialization(JitModule& module, const std::string& function, CompileOptions options);

  const Compiled& unit() const { return unit_; }
  const plan::Plan& plan() const { return unit_.program.plan; }
  const Signature& signature() const { return signature_; }
  const std::string& text() const { return text_; }
  /// By index into Function::scalars: those whose values decide more than an argument of a launch (checks, guards, grids, bounds
  /// of loops). Calls with other values are other calls.
  const std::vector<uint32_t>& shaping_scalars() const { return shaping_scalars_; }

  /// In this context, which is current.
  std::shared_ptr<runtime::CudaProgram> loaded(const std::shared_ptr<const runtime::CudaContext>& context);

 private:
  JitModule& module_;
  Compiled unit_;
  Signature signature_;
  std::string text_;
  std::vector<std::byte> cubin_;
  std::vector<uint32_t> shaping_scalars_;
  std::mutex mutex_;
  std::map<const runtime::CudaContext*, std::shared_ptr<runtime::CudaProgram>> loaded_;
};

}  // namespace cdsl::jit
