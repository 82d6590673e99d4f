// Carries out the steps of a plan on a device, in order, once.
#pragma once

#include <vector>

#include "dsl/loop/program.h"
#include "dsl/plan/plan.h"
#include "runtime/call_memory.h"
#include "runtime/device.h"
#include "runtime/plan_values.h"

namespace cdsl::runtime {

class StepRunner {
 public:
  /// Keeps references. Requires: the memory that the steps name is allocated when they run.
  StepRunner(Device& device, const CallMemory& memory, PlanValues& values)
      : device_(device), memory_(memory), values_(values) {}

  void run(const std::vector<plan::Step>& steps);

 private:
  void run(const plan::Launch& launch);
  void run(const plan::Fill& fill);
  void run(const plan::Copy& copy);
  void run(const plan::Loop& loop);
  KernelArgument view_of(const loop::TensorMap& map);
  int64_t blocks_of(const plan::Grid& grid, const LaunchShape& shape);

  Device& device_;
  const CallMemory& memory_;
  PlanValues& values_;
  std::vector<KernelArgument> arguments_;
};

}  // namespace cdsl::runtime
