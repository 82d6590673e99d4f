// Goes through the steps of a plan in order, once, and hands each to a target with its values.
#pragma once

#include <vector>

#include "dsl/loop/program.h"
#include "dsl/plan/plan.h"
#include "runtime/plan_values.h"
#include "runtime/step_target.h"

namespace cdsl::runtime {

class StepRunner {
 public:
  /// Keeps references.
  StepRunner(StepTarget& target, PlanValues& values) : target_(target), values_(values) {}

  void run(const std::vector<plan::Step>& steps);

 private:
  void run(const plan::Launch& launch);
  void run(const plan::Fill& fill);
  void run(const plan::Copy& copy);
  void run(const plan::Loop& loop);
  StepArgument view_of(const loop::TensorMap& map);
  int64_t blocks_of(const plan::Grid& grid, const LaunchShape& shape);

  StepTarget& target_;
  PlanValues& values_;
  std::vector<StepArgument> arguments_;
};

}  // namespace cdsl::runtime
