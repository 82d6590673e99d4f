#include "runtime/cuda/api.h"

#include <mutex>

#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

// By the numbers of CUresult in cuda.h.
ErrorKind kind_of(CudaStatus status) {
  switch (status) {
    case 2: return ErrorKind::OutOfMemory;
    case 34:                                   // STUB_LIBRARY
    case 222:                                  // UNSUPPORTED_PTX_VERSION
    case 803:                                  // SYSTEM_DRIVER_MISMATCH
    case 804: return ErrorKind::DriverTooOld;  // COMPAT_NOT_SUPPORTED_ON_DEVICE
    case 3:                                    // NOT_INITIALIZED
    case 46:                                   // DEVICE_UNAVAILABLE
    case 100:                                  // NO_DEVICE
    case 101:                                  // INVALID_DEVICE
    case 802: return ErrorKind::NoDevice;      // SYSTEM_NOT_READY
    case 209: return ErrorKind::UnsupportedDevice;  // NO_BINARY_FOR_GPU
    case 214:                                  // ECC_UNCORRECTABLE
    case 220:                                  // NVLINK_UNCORRECTABLE
    case 226:                                  // CONTAINED
    case 700:                                  // ILLEGAL_ADDRESS
    case 702:                                  // LAUNCH_TIMEOUT
    case 709:                                  // CONTEXT_IS_DESTROYED
    case 710:                                  // ASSERT
    case 714:                                  // HARDWARE_STACK_ERROR
    case 715:                                  // ILLEGAL_INSTRUCTION
    case 716:                                  // MISALIGNED_ADDRESS
    case 717:                                  // INVALID_ADDRESS_SPACE
    case 718:                                  // INVALID_PC
    case 719:                                  // LAUNCH_FAILED
    case 999: return ErrorKind::DeviceFault;   // UNKNOWN: what a lost device gives
    default: return ErrorKind::Refused;
  }
}

}  // namespace

std::shared_ptr<const CudaApi> CudaApi::load() {
  static std::mutex mutex;
  static std::shared_ptr<const CudaApi> loaded;
  const std::lock_guard lock(mutex);
  if (loaded) return loaded;
  const std::vector<std::string> candidates = {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"};
  std::shared_ptr<CudaApi> api(new CudaApi);
  api->library_ = SharedLibrary::open(candidates);
  if (!api->library_)
    throw Error(ErrorKind::NoDriver, "driver", "no driver", "libcuda.so.1 was not found: no NVIDIA driver is installed");
  if (!api->load_functions())
    throw Error(ErrorKind::DriverTooOld, "driver", "too old", "the driver is older than CUDA 11: functions are missing");
  api->check(api->init(0), "cuInit");
  int devices = 0;
  api->check(api->device_count(&devices), "cuDeviceGetCount");
  if (devices == 0) throw Error(ErrorKind::NoDevice, "driver", "no device", "the driver reports no device");
  loaded = api;
  return loaded;
}

bool CudaApi::load_functions() {
  const SharedLibrary& from = *library_;
  const bool complete =
      from.load(init, "cuInit") && from.load(driver_version, "cuDriverGetVersion") &&
      from.load(device_count, "cuDeviceGetCount") && from.load(device_get, "cuDeviceGet") &&
      from.load(device_name, "cuDeviceGetName") && from.load(device_attribute, "cuDeviceGetAttribute") &&
      from.load(primary_retain, "cuDevicePrimaryCtxRetain") && from.load(primary_release, "cuDevicePrimaryCtxRelease_v2") &&
      from.load(set_current, "cuCtxSetCurrent") && from.load(get_current, "cuCtxGetCurrent") &&
      from.load(context_device, "cuCtxGetDevice") && from.load(synchronize, "cuCtxSynchronize") &&
      from.load(stream_synchronize, "cuStreamSynchronize") && from.load(module_load, "cuModuleLoadData") &&
      from.load(module_unload, "cuModuleUnload") && from.load(module_function, "cuModuleGetFunction") &&
      from.load(function_attribute, "cuFuncGetAttribute") && from.load(set_attribute, "cuFuncSetAttribute") &&
      from.load(allocate, "cuMemAlloc_v2") && from.load(free, "cuMemFree_v2") &&
      from.load(to_device, "cuMemcpyHtoD_v2") && from.load(to_host, "cuMemcpyDtoH_v2") &&
      from.load(copy, "cuMemcpyDtoD_v2") && from.load(set_bytes, "cuMemsetD8_v2") &&
      from.load(copy_async, "cuMemcpyDtoDAsync_v2") && from.load(set_bytes_async, "cuMemsetD8Async") &&
      from.load(set_words_async, "cuMemsetD32Async") && from.load(event_create, "cuEventCreate") &&
      from.load(event_destroy, "cuEventDestroy_v2") && from.load(event_record, "cuEventRecord") &&
      from.load(event_synchronize, "cuEventSynchronize") && from.load(event_elapsed, "cuEventElapsedTime") &&
      from.load(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor") &&
      from.load(suggested_block, "cuOccupancyMaxPotentialBlockSize") && from.load(launch, "cuLaunchKernel") &&
      from.load(error_name_, "cuGetErrorName");
  from.load(launch_with, "cuLaunchKernelEx");
  from.load(active_clusters, "cuOccupancyMaxActiveClusters");
  from.load(encode_tiled, "cuTensorMapEncodeTiled");
  from.load(context_resource, "cuCtxGetDevResource");
  return complete;
}

void CudaApi::check(CudaStatus status, const char* function, const std::string& what) const {
  if (status == 0) return;
  const char* name = nullptr;
  if (error_name_(status, &name) != 0 || name == nullptr) name = "unknown error";
  throw Error(kind_of(status), function, name, what.empty() ? "failed" : what);
}

}  // namespace cdsl::runtime
