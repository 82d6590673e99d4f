// The CUDA driver, looked for at run time: what is there, and why it cannot be used where it
// cannot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cdsl::runtime {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  uint64_t memory_bytes = 0;
};

struct DriverInfo {
  bool found = false;  // libcuda was loaded
  std::string path;
  int version = 0;      // of CUDA that the driver supports: 13000 for 13.0
  std::string problem;  // why no device can be used; empty where one can
  std::vector<DeviceInfo> devices;
};

/// Loads libcuda, initialises it and lists devices. Makes no context. Tens of milliseconds where
/// there is a GPU.
DriverInfo probe_driver();

}  // namespace cdsl::runtime
