#include "runtime/cuda/context.h"

#include <array>
#include <cstring>

namespace cdsl::runtime {
namespace {

constexpr int kMultiprocessorCount = 16, kComputeMajor = 75, kComputeMinor = 76;

}  // namespace

int device_attribute(const CudaApi& api, int which, int device) {
  int value = 0;
  api.check(api.device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

std::shared_ptr<const CudaContext> CudaContext::of_thread() {
  auto api = CudaApi::load();
  CudaContextHandle* handle = nullptr;
  int device = 0;
  api->check(api->get_current(&handle), "cuCtxGetCurrent");
  const bool is_primary = handle == nullptr;
  if (is_primary) {
    api->check(api->device_get(&device, 0), "cuDeviceGet", "there is no device");
    api->check(api->primary_retain(&handle, device), "cuDevicePrimaryCtxRetain");
    api->check(api->set_current(handle), "cuCtxSetCurrent");
  } else {
    api->check(api->context_device(&device), "cuCtxGetDevice");
  }
  return std::shared_ptr<const CudaContext>(new CudaContext(std::move(api), handle, device, is_primary));
}

CudaContext::CudaContext(std::shared_ptr<const CudaApi> api, CudaContextHandle* handle, int device, bool is_primary)
    : api_(std::move(api)), handle_(handle), device_(device), is_primary_(is_primary) {
  std::array<char, 256> text{};
  api_->check(api_->device_name(text.data(), static_cast<int>(text.size()) - 1, device), "cuDeviceGetName");
  name_ = text.data();
  major_ = device_attribute(*api_, kComputeMajor, device);
  minor_ = device_attribute(*api_, kComputeMinor, device);
  multiprocessors_ = partition_multiprocessors();
}

// A green context owns a part of the device; a MIG slice counts as a device of its own.
int CudaContext::partition_multiprocessors() const {
  constexpr int kOfMultiprocessors = 1;        // CU_DEV_RESOURCE_TYPE_SM
  constexpr std::size_t kCountAt = 96;         // of CUdevResource, whose first member is its type
  const int all = device_attribute(*api_, kMultiprocessorCount, device_);
  alignas(16) std::array<std::byte, 512> resource{};
  if (api_->context_resource == nullptr || api_->context_resource(handle_, resource.data(), kOfMultiprocessors) != 0) return all;
  unsigned count = 0;
  std::memcpy(&count, resource.data() + kCountAt, sizeof count);
  return count > 0 && static_cast<int>(count) <= all ? static_cast<int>(count) : all;
}

CudaContext::~CudaContext() {
  if (is_primary_) api_->primary_release(device_);
}

bool CudaContext::is_current() const {
  CudaContextHandle* current = nullptr;
  api_->check(api_->get_current(&current), "cuCtxGetCurrent");
  if (current == nullptr && is_primary_) {
    api_->check(api_->set_current(handle_), "cuCtxSetCurrent");
    return true;
  }
  return current == handle_;
}

}  // namespace cdsl::runtime
