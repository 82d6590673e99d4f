// Device memory that is freed with its owner.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "runtime/cuda/api.h"

namespace cdsl::runtime {

class CudaMemory {
 public:
  CudaMemory() = default;
  /// Contents are undefined; nothing is allocated for 0 bytes. Works in the current context. Throws Error.
  CudaMemory(std::shared_ptr<const CudaApi> api, std::size_t bytes, const std::string& name);
  CudaMemory(CudaMemory&& other) noexcept : api_(std::move(other.api_)), pointer_(std::exchange(other.pointer_, 0)) {}
  CudaMemory& operator=(CudaMemory&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(pointer_, other.pointer_);
    return *this;
  }
  ~CudaMemory() {
    if (pointer_ != 0) api_->free(pointer_);
  }

  CudaPointer pointer() const { return pointer_; }

 private:
  std::shared_ptr<const CudaApi> api_;
  CudaPointer pointer_ = 0;
};

inline CudaMemory::CudaMemory(std::shared_ptr<const CudaApi> api, std::size_t bytes, const std::string& name)
    : api_(std::move(api)) {
  if (bytes > 0)
    api_->check(api_->allocate(&pointer_, bytes), "cuMemAlloc", "cannot allocate " + std::to_string(bytes) + " bytes for " + name);
}

}  // namespace cdsl::runtime
