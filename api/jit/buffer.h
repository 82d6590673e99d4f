// Memory for one parameter of a kernel, in the layout that the compiler chose for it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "api/jit/kernel.h"
#include "runtime/cuda/memory.h"

namespace cdsl::jit {

class JitBuffer {
 public:
  /// Contents are undefined. Throws JitFailure, runtime::Error.
  JitBuffer(std::shared_ptr<JitKernel> kernel, std::size_t parameter, std::vector<int64_t> extents);

  const cdsl_tensor& tensor() const { return tensor_; }
  /// From and to a dense row-major array of C structs on the host, all of it; waits.
  void upload(const void* host, std::size_t bytes);
  void download(void* host, std::size_t bytes) const;
  /// The same on the device, by a kernel that our compiler makes for the layout; asynchronous.
  void pack(const void* device, std::size_t bytes, void* stream);
  void unpack(void* device, std::size_t bytes, void* stream) const;

 private:
  struct Part {
    runtime::CudaMemory device;
    std::vector<std::byte> host;       // of "sim"
    std::size_t bytes = 0;
    void* address = nullptr;
  };
  const ParameterInfo& parameter() const { return kernel_->signature().parameters()[parameter_]; }
  Array empty_array() const;
  void check_bytes(std::size_t bytes) const;
  JitKernel& converter(bool packs) const;
  void convert(bool packs, void* records, std::size_t bytes, void* stream) const;

  std::shared_ptr<JitKernel> kernel_;
  std::size_t parameter_;
  std::vector<int64_t> extents_;
  runtime::Placement placement_;
  std::vector<Part> parts_;
  std::vector<void*> further_parts_;
  cdsl_tensor tensor_{};
  mutable std::mutex mutex_;
  mutable std::unique_ptr<JitKernel> packs_, unpacks_;
};

}  // namespace cdsl::jit
