// The device `cuda`: the kernels of one program on a GPU, through the driver, on the default stream.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/program.h"
#include "runtime/cuda/red_zones.h"

namespace cdsl::runtime {

class CudaDevice final : public Device {
 public:
  /// As CudaProgram. `red_zones`: every buffer lies between two of them, and `take_faults` tells what was written there.
  CudaDevice(std::shared_ptr<const CudaContext> context, const loop::Program& program, std::span<const std::byte> cubin,
             std::span<const std::string> symbols, bool red_zones = false)
      : program_(std::move(context), program, cubin, symbols), api_(program_.api()), zone_(red_zones ? kRedZoneBytes : 0) {}
  ~CudaDevice() override;

  std::string name() const override { return program_.context().name(); }
  MemoryHandle allocate(std::string_view name, int64_t bytes) override { return allocate_past(name, bytes, 0); }
  MemoryHandle allocate_past(std::string_view name, int64_t bytes, int64_t past) override;
  void release(MemoryHandle memory) override;
  uint64_t address(MemoryHandle memory) const override { return at(memory).pointer; }
  void poison(MemoryHandle memory, std::byte value) override;
  void upload(MemoryHandle to, std::span<const std::byte> bytes) override;
  void download(MemoryHandle from, std::span<std::byte> bytes) override;
  void fill(MemoryHandle memory, std::span<const std::byte> pattern) override;
  void copy(MemoryHandle to, MemoryHandle from, int64_t bytes) override;
  LaunchShape shape(uint32_t kernel) override { return program_.kernel(kernel).shape(); }
  void launch(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) override {
    start(kernel, blocks, arguments, false);
  }
  void launch_resident(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) override {
    start(kernel, blocks, arguments, true);
  }
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const override { return program_.maps(kernel); }
  std::unique_ptr<Stopwatch> stopwatch() override;
  std::vector<SiteReport> take_reports() override;
  /// Damaged red zones, each once. Requires: kernels have ended, as after `take_reports`.
  std::vector<Fault> take_faults() override;

 private:
  struct Memory {
    std::string name;
    CudaPointer allocation = 0, pointer = 0;  // what the driver gave, and where the bytes start: 0 if there is nothing
    int64_t bytes = 0;
  };
  void paint_zones(const Memory& memory) const;
  const Memory& at(MemoryHandle memory) const { return memory_.at(memory.value); }
  void start(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments, bool resident);

  CudaProgram program_;
  const CudaApi& api_;
  int64_t zone_;                        // bytes before and after every buffer
  std::map<uint32_t, Memory> memory_;
  uint32_t next_handle_ = 1;
};

}  // namespace cdsl::runtime
