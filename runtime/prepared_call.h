// One call of a function with all that it needs on a device, ready to run any number of times: arguments checked, memory
// allocated and filled, the variant chosen. Between runs nothing is restored: an `inout` goes on from what the last run left.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/call_memory.h"
#include "runtime/device_target.h"
#include "runtime/executor.h"
#include "runtime/plan_values.h"
#include "runtime/step_runner.h"

namespace cdsl::runtime {

class PreparedCall {
 public:
  /// Keeps references to all but `options`. Throws runtime::Error.
  PreparedCall(const tir::Function& function, const plan::Plan& plan, const Arguments& arguments, Device& device,
               const ExecuteOptions& options = {});
  PreparedCall(const PreparedCall&) = delete;
  PreparedCall& operator=(const PreparedCall&) = delete;

  /// What is wrong with the arguments; then nothing was allocated, and nothing else may be called.
  const std::vector<tir::LaunchError>& errors() const { return bound_.errors; }
  /// What the arguments say of sizes and scalars.
  const tir::Bindings& bindings() const { return bound_.bindings; }
  /// The count of variants where the guards of the options do not hold: then `run` may not be called.
  std::size_t variant() const { return variant_; }
  /// Bytes of the parameters that are read, and of those that are written; an `inout` counts as both.
  int64_t given_bytes() const { return parameter_bytes(tir::Role::Input); }
  int64_t result_bytes() const { return parameter_bytes(tir::Role::Output); }

  /// Asks the device for every step of the plan. Neither allocates its memory nor waits.
  void run();
  /// Outputs and `inout`s as host arrays.
  std::map<std::string, Array> download() { return memory_->download(arguments_); }

 private:
  int64_t parameter_bytes(tir::Role role) const;

  const tir::Function& function_;
  const plan::Plan& plan_;
  const Arguments& arguments_;
  ExecuteOptions options_;
  tir::Bound bound_;
  std::optional<CallMemory> memory_;
  std::optional<PlanValues> values_;
  std::optional<DeviceTarget> target_;
  std::optional<StepRunner> runner_;
  std::size_t variant_ = 0;
};

}  // namespace cdsl::runtime
