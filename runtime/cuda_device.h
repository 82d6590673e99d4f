// The device `cuda`: the kernels of one program as a compiled module, on the first GPU, through the
// driver.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dsl/loop/program.h"
#include "runtime/cuda_api.h"
#include "runtime/device.h"

namespace cdsl::runtime {

class CudaDevice final : public Device {
 public:
  /// `cubin` holds every kernel of `program`, under the names `symbols`. Keeps a reference to the
  /// program.
  CudaDevice(const loop::Program& program, const std::vector<std::byte>& cubin,
             std::vector<std::string> symbols);
  ~CudaDevice() override;

  std::string name() const override { return name_; }
  MemoryHandle allocate(std::string_view name, int64_t bytes) override;
  void release(MemoryHandle memory) override;
  uint64_t address(MemoryHandle memory) const override { return at(memory).pointer; }
  void poison(MemoryHandle memory, std::byte value) override;
  void upload(MemoryHandle to, std::span<const std::byte> bytes) override;
  void download(MemoryHandle from, std::span<std::byte> bytes) override;
  void fill(MemoryHandle memory, std::span<const std::byte> pattern) override;
  void copy(MemoryHandle to, MemoryHandle from, int64_t bytes) override;
  LaunchShape shape(uint32_t kernel) override;
  void launch(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) override;
  void launch_resident(uint32_t kernel, int64_t blocks,
                       std::span<const KernelArgument> arguments) override;
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const override;
  std::unique_ptr<Stopwatch> stopwatch() override;
  std::vector<SiteReport> take_reports() override;
  std::vector<Fault> take_faults() override { return {}; }

 private:
  struct Memory {
    CudaPointer pointer = 0;
    int64_t bytes = 0;
  };
  struct Loaded {
    CudaFunction* function = nullptr;
    int64_t threads = 0, resident = 0, cluster = 1;
    unsigned dynamic_bytes = 0;
    bool reports = false;
  };
  const Memory& at(MemoryHandle memory) const { return memory_.at(memory.value); }
  Loaded load(const loop::Kernel& kernel, const std::string& symbol);
  int64_t resident_blocks(const Loaded& loaded, const loop::Kernel& kernel) const;
  void start(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments, bool resident);
  CudaPointer new_memory(const std::string& name, int64_t bytes);

  const loop::Program& program_;
  std::shared_ptr<const CudaApi> api_;
  int device_ = 0;
  std::string name_;
  CudaModule* module_ = nullptr;
  std::vector<Loaded> kernels_;
  std::map<uint32_t, Memory> memory_;
  uint32_t next_handle_ = 1;
  CudaPointer reports_ = 0;  // plan::ReportRecord by site
};

}  // namespace cdsl::runtime
