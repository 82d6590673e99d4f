// One program of the embedded runtime: parsed once, its functions compiled as they are asked for. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/jit/runtime.h"
#include "api/pipeline.h"

namespace cdsl::jit {

class JitModule {
 public:
  /// `open_sizes`: kernels hold for all sizes, instead of one set each. Throws JitFailure with the diagnostics where the program
  /// has errors.
  JitModule(std::shared_ptr<JitRuntime> runtime, SourceInput input, CompileOptions options, bool open_sizes);

  JitRuntime& runtime() const { return *runtime_; }
  std::shared_ptr<JitRuntime> shared_runtime() const { return runtime_; }
  const std::vector<std::string>& functions() const { return functions_; }
  const CompileOptions& options() const { return options_; }
  bool has_open_sizes() const { return open_sizes_; }
  std::shared_ptr<const Source> source() const { return source_; }
  /// The same program with more text at its end.
  SourceInput extended(std::string_view more) const;

  /// One at a time: analysis writes to the source's diagnostics. All throw JitFailure.
  tir::Function analyze(const std::string& function, const CompileOptions& options);
  Compiled compile(const std::string& function, const CompileOptions& options);
  std::string text(const Compiled& unit, const CompileOptions& options);

 private:
  [[noreturn]] void fail(const std::string& function) const;

  std::shared_ptr<JitRuntime> runtime_;
  SourceInput input_;
  std::shared_ptr<Source> source_;
  CompileOptions options_;
  bool open_sizes_;
  std::vector<std::string> functions_;
  std::mutex mutex_;
};

}  // namespace cdsl::jit
