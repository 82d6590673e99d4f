// Steps carried out at once, on the memory of one call.
#pragma once

#include "runtime/call_memory.h"
#include "runtime/step_target.h"

namespace cdsl::runtime {

class DeviceTarget final : public StepTarget {
 public:
  /// Keeps references. Requires: the memory that steps name is allocated when they run.
  DeviceTarget(Device& device, const CallMemory& memory) : device_(device), memory_(memory) {}

  LaunchShape shape(uint32_t kernel) override { return device_.shape(kernel); }
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const override { return device_.maps(kernel); }
  void launch(uint32_t kernel, int64_t blocks, bool resident, std::span<const StepArgument> arguments) override;
  void fill(uint32_t buffer, std::span<const std::byte> pattern) override { device_.fill(memory_.buffer(buffer), pattern); }
  void copy(uint32_t to, uint32_t from, int64_t bytes) override {
    device_.copy(memory_.buffer(to), memory_.buffer(from), bytes);
  }

 private:
  Device& device_;
  const CallMemory& memory_;
  std::vector<KernelArgument> arguments_;
};

}  // namespace cdsl::runtime
