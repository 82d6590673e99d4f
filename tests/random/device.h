// The devices that generated programs run on. Kernels of several programs may be built together: `add` each, `build` once, then ask
// for devices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "api/pipeline.h"
#include "runtime/device.h"

namespace cdsl::random {

class DeviceSource {
 public:
  virtual ~DeviceSource() = default;
  /// Keeps references until the source is gone. The number to name the unit by.
  virtual std::size_t add(const Source& source, const Compiled& compiled, const CompileOptions& options) = 0;
  virtual void build() {}
  /// A fresh device with the kernels of a unit. `small`: few multiprocessors. Throws runtime::Error.
  virtual std::unique_ptr<runtime::Device> device(std::size_t unit, bool small, uint64_t seed) = 0;
};

/// "sim", "text" or "cuda"; nullptr, and `problem` says why, where there is none.
std::unique_ptr<DeviceSource> make_device_source(const std::string& kind, std::string& problem);

}  // namespace cdsl::random
