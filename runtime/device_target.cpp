#include "runtime/device_target.h"

namespace cdsl::runtime {

void DeviceTarget::launch(uint32_t kernel, int64_t blocks, bool resident, std::span<const StepArgument> arguments) {
  arguments_.clear();
  for (const StepArgument& argument : arguments) {
    switch (argument.kind) {
      case StepArgument::Kind::Buffer:
        arguments_.push_back(KernelArgument::of(memory_.buffer(argument.buffer)));
        break;
      case StepArgument::Kind::Map:
        arguments_.push_back(KernelArgument::of(memory_.buffer(argument.buffer), argument.type, argument.view));
        break;
      case StepArgument::Kind::Value:
        arguments_.push_back(KernelArgument::of(argument.value, argument.type));
        break;
    }
  }
  if (resident)
    device_.launch_resident(kernel, blocks, arguments_);
  else
    device_.launch(kernel, blocks, arguments_);
}

}  // namespace cdsl::runtime
