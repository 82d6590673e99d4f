// The context in which a thread's calls to the driver work, and what launching asks of its device.
#pragma once

#include <memory>
#include <string>

#include "runtime/cuda/api.h"

namespace cdsl::runtime {

class CudaContext {
 public:
  /// The caller's current context; where there is none, the primary context of the first device, made current for this thread
  /// and kept while this object lives. Throws Error.
  static std::shared_ptr<const CudaContext> of_thread();
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  const CudaApi& api() const { return *api_; }
  std::shared_ptr<const CudaApi> shared_api() const { return api_; }
  /// Is it what the driver would work in for this thread? Makes a primary context current where the thread has none.
  bool is_current() const;
  int device() const { return device_; }
  const std::string& name() const { return name_; }  // "NVIDIA H200"
  int major() const { return major_; }               // compute capability
  int minor() const { return minor_; }
  /// That kernels of this context may use: of the partition, where the context has one.
  int multiprocessors() const { return multiprocessors_; }

 private:
  CudaContext(std::shared_ptr<const CudaApi> api, CudaContextHandle* handle, int device, bool is_primary);
  int partition_multiprocessors() const;

  std::shared_ptr<const CudaApi> api_;
  CudaContextHandle* handle_;
  int device_;
  bool is_primary_;
  std::string name_;
  int major_ = 0, minor_ = 0, multiprocessors_ = 0;
};

/// CUdevice_attribute `which` of cuda.h.
int device_attribute(const CudaApi& api, int which, int device);

}  // namespace cdsl::runtime
