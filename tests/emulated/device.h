// The device `emulated`: kernels of emitted text, compiled as C++, on the machine of this folder.
#pragma once

#include <string>

#include "dsl/loop/program.h"
#include "library.h"
#include "machine.h"
#include "runtime/device.h"

namespace cdsl::emulation {

class Device final : public runtime::Device {
 public:
  /// Keeps references to all three.
  Device(const loop::Program& program, const Library& library, const ::emulated::Unit& unit, std::string architecture, bool small,
         Options options);

  std::string name() const override { return "emulated"; }
  runtime::MemoryHandle allocate(std::string_view name, int64_t bytes) override;
  void release(runtime::MemoryHandle memory) override;
  uint64_t address(runtime::MemoryHandle memory) const override;
  void poison(runtime::MemoryHandle memory, std::byte value) override;
  void upload(runtime::MemoryHandle to, std::span<const std::byte> bytes) override;
  void download(runtime::MemoryHandle from, std::span<std::byte> bytes) override;
  void fill(runtime::MemoryHandle memory, std::span<const std::byte> pattern) override;
  void copy(runtime::MemoryHandle to, runtime::MemoryHandle from, int64_t bytes) override;
  runtime::LaunchShape shape(uint32_t kernel) override;
  void launch(uint32_t kernel, int64_t blocks, std::span<const runtime::KernelArgument> arguments) override;
  void launch_resident(uint32_t kernel, int64_t blocks, std::span<const runtime::KernelArgument> arguments) override;
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const override;
  std::vector<runtime::SiteReport> take_reports() override;
  std::vector<runtime::Fault> take_faults() override;

 private:
  void run(uint32_t kernel, int64_t blocks, int64_t resident, std::span<const runtime::KernelArgument> arguments);
  /// Why the described device refuses the launch; empty where it does not.
  std::string refusal(const loop::Kernel& kernel, int64_t blocks, int64_t shared_bytes) const;

  const loop::Program& program_;
  const Library& library_;
  const ::emulated::Unit& unit_;
  std::string architecture_;
  bool small_;
  Machine machine_;
  uint32_t reports_ = 0;  // the handle of the records
  std::vector<runtime::Fault> refused_;
};

}  // namespace cdsl::emulation
