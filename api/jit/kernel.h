// One function of a module, ready to be launched: chooses the specialisation of each call and keeps what calls have in common.
// Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "api/jit/call_shape.h"

namespace cdsl::jit {

class JitKernel {
 public:
  /// Sets of sizes that get kernels of their own without being asked for; calls of further sizes run kernels for all sizes.
  static constexpr std::size_t kMostSpecializations = 16;
  /// Shapes that are remembered; past it the one used longest ago is forgotten, with its workspace.
  static constexpr std::size_t kMostShapes = 512;

  /// Throws JitFailure where the function has errors.
  JitKernel(std::shared_ptr<JitModule> module, std::string function);

  const std::string& name() const { return name_; }
  const Signature& signature() const { return *signature_; }
  JitModule& module() const { return *module_; }

  /// Compiles for these sizes and takes workspace for `stream`. All throw JitFailure and runtime::Error.
  void prepare(std::span<const cdsl_size> sizes, void* stream);
  void prepare_for(std::span<const cdsl_argument> arguments, void* stream);
  void launch(std::span<const cdsl_argument> arguments, void* stream);
  /// Would a call of these sizes run without the compiler?
  bool is_cached(std::span<const cdsl_size> sizes);
  /// JSON.
  std::string plan(std::span<const cdsl_argument> arguments);
  /// CUDA C++.
  std::string source(std::span<const cdsl_size> sizes);

 private:
  using Sizes = std::map<std::string, int64_t>;
  using Key = std::vector<int64_t>;
  struct Known {
    std::shared_ptr<CallShape> shape;
    mutable std::atomic<uint64_t> used{0};
  };

  /// All sizes of the function: as the arguments give them, or as they were named.
  Sizes sizes_of(const CallArguments& call) const;
  Sizes sizes_named(std::span<const cdsl_size> given) const;
  std::shared_ptr<Specialization> specialization_for(const Sizes& sizes, bool asked_for);
  std::shared_ptr<Specialization> make(const Sizes& sizes) const;
  std::shared_ptr<CallShape> shape_for(const CallArguments& call, bool asked_for);
  std::shared_ptr<CallShape> make_shape(const CallArguments& call, bool asked_for);
  Key key_of(const CallArguments& call) const;
  void fix_layouts();

  std::shared_ptr<JitModule> module_;
  std::string name_;
  CompileOptions options_;                     // of every specialisation, with the layouts of parameters held
  tir::Function reference_;
  std::optional<Signature> signature_;
  std::vector<uint32_t> shaping_scalars_;
  std::mutex compile_mutex_;                   // one compilation of this kernel at a time
  mutable std::shared_mutex mutex_;            // of what follows
  std::map<Sizes, std::shared_ptr<Specialization>> specializations_;
  std::map<Key, std::unique_ptr<Known>> shapes_;
  std::atomic<uint64_t> clock_{0};
};

}  // namespace cdsl::jit
