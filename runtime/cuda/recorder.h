// The steps of a plan kept as a list, with loops written out: what a call at known sizes does every time.
#pragma once

#include <stdexcept>
#include <variant>
#include <vector>

#include "runtime/cuda/program.h"
#include "runtime/step_target.h"

namespace cdsl::runtime {

struct RecordedLaunch {
  uint32_t kernel = 0;
  int64_t blocks = 0;
  bool resident = false;
  std::vector<StepArgument> arguments;
};
struct RecordedFill {
  uint32_t buffer = 0;
  std::vector<std::byte> pattern;
};
struct RecordedCopy {
  uint32_t to = 0, from = 0;
  int64_t bytes = 0;
};
using RecordedStep = std::variant<RecordedLaunch, RecordedFill, RecordedCopy>;

class StepRecorder final : public StepTarget {
 public:
  /// More steps than any list should hold: they are better carried out as they come.
  struct TooMany : std::runtime_error {
    TooMany() : std::runtime_error("too many steps to record") {}
  };
  static constexpr std::size_t kMostSteps = 4096;

  explicit StepRecorder(const CudaProgram& program) : program_(program) {}
  std::vector<RecordedStep> take() { return std::move(steps_); }

  LaunchShape shape(uint32_t kernel) override { return program_.kernel(kernel).shape(); }
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const override { return program_.maps(kernel); }
  void launch(uint32_t kernel, int64_t blocks, bool resident, std::span<const StepArgument> arguments) override {
    add(RecordedLaunch{kernel, blocks, resident, {arguments.begin(), arguments.end()}});
  }
  void fill(uint32_t buffer, std::span<const std::byte> pattern) override {
    add(RecordedFill{buffer, {pattern.begin(), pattern.end()}});
  }
  void copy(uint32_t to, uint32_t from, int64_t bytes) override { add(RecordedCopy{to, from, bytes}); }

 private:
  void add(RecordedStep step) {
    if (steps_.size() == kMostSteps) throw TooMany();
    steps_.push_back(std::move(step));
  }

  const CudaProgram& program_;
  std::vector<RecordedStep> steps_;
};

}  // namespace cdsl::runtime
