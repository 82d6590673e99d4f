// The memory of one call: a piece of the device for every buffer of the plan, filled from the
// arguments, and read back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/plan/plan.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/bind.h"
#include "runtime/device.h"
#include "runtime/host_layout.h"
#include "runtime/plan_values.h"

namespace cdsl::runtime {

struct ExecuteOptions;

class CallMemory {
 public:
  /// Decides where the elements of each parameter lie. Keeps references to all of them.
  CallMemory(const tir::Function& function, const plan::Plan& plan, const tir::Bound& bound,
             Device& device, const ExecuteOptions& options);
  ~CallMemory();
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  /// Allocates parameters and constants; uploads inputs, `inout`s and constants, poisons outputs.
  void allocate(const Arguments& arguments, PlanValues& values);
  /// Allocates the workspace that `variant` uses, poisoned.
  void allocate_workspace(const plan::Variant& variant, PlanValues& values);
  /// Outputs and `inout`s as host arrays. `arguments` are those that were uploaded.
  std::map<std::string, Array> download(const Arguments& arguments);

  /// Requires: allocated.
  MemoryHandle buffer(uint32_t index) const { return handles_[index].value(); }
  int64_t bytes(uint32_t index) const { return bytes_[index]; }
  /// Requires: a parameter.
  const Placement& placement(TensorId tensor) const { return placements_.at(tensor); }

 private:
  MemoryHandle add(uint32_t index, int64_t bytes, int64_t past = 0);
  void fill_parameter(const plan::Buffer& buffer, MemoryHandle memory, const Arguments& arguments);

  const tir::Function& function_;
  const plan::Plan& plan_;
  const tir::Bound& bound_;
  Device& device_;
  const ExecuteOptions& options_;
  std::map<TensorId, Placement> placements_;
  std::vector<std::optional<MemoryHandle>> handles_;  // by buffer of the plan, as are these
  std::vector<int64_t> bytes_;
};

}  // namespace cdsl::runtime
