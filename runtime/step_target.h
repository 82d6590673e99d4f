// Where the steps of a plan go once their values are known: to a device that carries them out (DeviceTarget), or on a list
// (StepRecorder). Memory is named by the plan's buffers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dsl/loop/program.h"
#include "runtime/device.h"

namespace cdsl::runtime {

/// An argument of a launch: a buffer from its start, a tensor map of a buffer, or a value.
struct StepArgument {
  enum class Kind : uint8_t { Buffer, Map, Value };
  Kind kind = Kind::Value;
  uint32_t buffer = 0;
  std::shared_ptr<const TensorMapView> view;
  ScalarType type = ScalarType::I64;  // of the value, or of the map's elements
  Value value;
  ExprId expression;                  // whose value it is
};

class StepTarget {
 public:
  virtual ~StepTarget() = default;
  virtual LaunchShape shape(uint32_t kernel) = 0;
  virtual std::vector<const loop::TensorMap*> maps(uint32_t kernel) const = 0;
  /// `resident`: all blocks have to run at once. Requires: blocks >= 1.
  virtual void launch(uint32_t kernel, int64_t blocks, bool resident, std::span<const StepArgument> arguments) = 0;
  virtual void fill(uint32_t buffer, std::span<const std::byte> pattern) = 0;
  virtual void copy(uint32_t to, uint32_t from, int64_t bytes) = 0;
};

}  // namespace cdsl::runtime
