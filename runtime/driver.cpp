#include "runtime/driver.h"

#include <cstdint>

#include <fmt/format.h>

#include "runtime/library.h"

namespace cdsl::runtime {
namespace {

using Status = int;
using DeviceId = int;

// CUdevice_attribute of cuda.h.
constexpr int kMultiprocessorCount = 16, kComputeMajor = 75, kComputeMinor = 76;

struct Api {
  Status (*init)(unsigned) = nullptr;
  Status (*version)(int*) = nullptr;
  Status (*count)(int*) = nullptr;
  Status (*device)(DeviceId*, int) = nullptr;
  Status (*name)(char*, int, DeviceId) = nullptr;
  Status (*attribute)(int*, int, DeviceId) = nullptr;
  Status (*memory)(std::size_t*, DeviceId) = nullptr;
  Status (*error_name)(Status, const char**) = nullptr;

  bool load(const SharedLibrary& from) {
    return from.load(init, "cuInit") && from.load(version, "cuDriverGetVersion") &&
           from.load(count, "cuDeviceGetCount") && from.load(device, "cuDeviceGet") &&
           from.load(name, "cuDeviceGetName") && from.load(attribute, "cuDeviceGetAttribute") &&
           from.load(memory, "cuDeviceTotalMem_v2") && from.load(error_name, "cuGetErrorName");
  }

  std::string failure(const char* function, Status status) const {
    const char* text = nullptr;
    if (error_name(status, &text) != 0 || text == nullptr)
      return fmt::format("{} failed with code {}", function, status);
    return fmt::format("{} failed with {}", function, text);
  }
};

DeviceInfo describe(const Api& api, int ordinal) {
  DeviceInfo info;
  DeviceId device = 0;
  if (api.device(&device, ordinal) != 0) return info;
  char name[256] = {};
  if (api.name(name, sizeof name - 1, device) == 0) info.name = name;
  api.attribute(&info.major, kComputeMajor, device);
  api.attribute(&info.minor, kComputeMinor, device);
  api.attribute(&info.multiprocessors, kMultiprocessorCount, device);
  std::size_t bytes = 0;
  if (api.memory(&bytes, device) == 0) info.memory_bytes = bytes;
  return info;
}

}  // namespace

DriverInfo probe_driver() {
  DriverInfo info;
  const std::vector<std::string> candidates = {"libcuda.so.1", "libcuda.so",
                                               "/usr/lib/wsl/lib/libcuda.so.1"};
  const auto library = SharedLibrary::open(candidates);
  if (!library) {
    info.problem = "libcuda.so.1 was not found: no NVIDIA driver is installed";
    return info;
  }
  info.found = true;
  info.path = library->path();
  Api api;
  if (!api.load(*library)) {
    info.problem = "the driver is older than CUDA 11: functions are missing";
    return info;
  }
  api.version(&info.version);
  if (const Status status = api.init(0); status != 0) {
    info.problem = api.failure("cuInit", status);
    return info;
  }
  int count = 0;
  if (const Status status = api.count(&count); status != 0) {
    info.problem = api.failure("cuDeviceGetCount", status);
    return info;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) info.devices.push_back(describe(api, ordinal));
  if (count == 0) info.problem = "the driver reports no device";
  return info;
}

}  // namespace cdsl::runtime
