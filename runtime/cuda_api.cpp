#include "runtime/cuda_api.h"

#include "runtime/error.h"

namespace cdsl::runtime {

std::shared_ptr<const CudaApi> CudaApi::load() {
  const std::vector<std::string> candidates = {"libcuda.so.1", "libcuda.so",
                                               "/usr/lib/wsl/lib/libcuda.so.1"};
  std::shared_ptr<CudaApi> api(new CudaApi);
  api->library_ = SharedLibrary::open(candidates);
  if (!api->library_)
    throw Error("driver", "no driver", "libcuda.so.1 was not found: no NVIDIA driver is installed");
  const SharedLibrary& from = *api->library_;
  const bool complete =
      from.load(api->init, "cuInit") && from.load(api->device_get, "cuDeviceGet") &&
      from.load(api->device_name, "cuDeviceGetName") &&
      from.load(api->device_attribute, "cuDeviceGetAttribute") &&
      from.load(api->primary_retain, "cuDevicePrimaryCtxRetain") &&
      from.load(api->primary_release, "cuDevicePrimaryCtxRelease_v2") &&
      from.load(api->set_current, "cuCtxSetCurrent") &&
      from.load(api->synchronize, "cuCtxSynchronize") &&
      from.load(api->module_load, "cuModuleLoadData") &&
      from.load(api->module_unload, "cuModuleUnload") &&
      from.load(api->module_function, "cuModuleGetFunction") &&
      from.load(api->allocate, "cuMemAlloc_v2") && from.load(api->free, "cuMemFree_v2") &&
      from.load(api->to_device, "cuMemcpyHtoD_v2") && from.load(api->to_host, "cuMemcpyDtoH_v2") &&
      from.load(api->copy, "cuMemcpyDtoD_v2") && from.load(api->set_bytes, "cuMemsetD8_v2") &&
      from.load(api->event_create, "cuEventCreate") &&
      from.load(api->event_destroy, "cuEventDestroy_v2") &&
      from.load(api->event_record, "cuEventRecord") &&
      from.load(api->event_synchronize, "cuEventSynchronize") &&
      from.load(api->event_elapsed, "cuEventElapsedTime") &&
      from.load(api->resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor") &&
      from.load(api->set_attribute, "cuFuncSetAttribute") &&
      from.load(api->launch, "cuLaunchKernel") && from.load(api->error_name_, "cuGetErrorName");
  if (!complete)
    throw Error("driver", "too old", "the driver is older than CUDA 11: functions are missing");
  from.load(api->launch_with, "cuLaunchKernelEx");
  from.load(api->active_clusters, "cuOccupancyMaxActiveClusters");
  from.load(api->encode_tiled, "cuTensorMapEncodeTiled");
  api->check(api->init(0), "cuInit");
  return api;
}

void CudaApi::check(CudaStatus status, const char* function, const std::string& what) const {
  if (status == 0) return;
  const char* name = nullptr;
  if (error_name_ == nullptr || error_name_(status, &name) != 0 || name == nullptr)
    name = "unknown error";
  throw Error(function, name, what.empty() ? "failed" : what);
}

}  // namespace cdsl::runtime
