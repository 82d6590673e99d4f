// The device `sim`: kernels in Loop IR run by the simulator. The embedded device where there is no
// GPU, and the one that finds races, unwritten reads and accesses outside buffers.
#pragma once

#include <memory>
#include <optional>

#include "dsl/loop/program.h"
#include "dsl/sim/simulator.h"
#include "runtime/device.h"

namespace cdsl::runtime {

struct SimOptions {
  sim::Options simulator;
  int multiprocessors = 0;  // of the described device; 0: those of the architecture's flagship
};

class SimDevice final : public Device {
 public:
  /// Keeps a reference to the program.
  explicit SimDevice(const loop::Program& program, SimOptions options = {});
  ~SimDevice() override;

  std::string name() const override { return "sim"; }
  MemoryHandle allocate(std::string_view name, int64_t bytes) override { return allocate_past(name, bytes, 0); }
  MemoryHandle allocate_past(std::string_view name, int64_t bytes, int64_t past) override;
  void release(MemoryHandle memory) override;
  uint64_t address(MemoryHandle memory) const override;
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
  std::vector<SiteReport> take_reports() override;
  std::vector<Fault> take_faults() override;

  /// Counters of all launches so far; nothing before the first.
  const sim::Result* result() const { return simulator_ ? &simulator_->result() : nullptr; }

 private:
  sim::Simulator& simulator();

  const loop::Program& program_;
  SimOptions options_;
  sim::Memory memory_;
  std::unique_ptr<sim::Simulator> simulator_;
  std::size_t faults_taken_ = 0;
  std::vector<sim::Report> reports_taken_;
};

}  // namespace cdsl::runtime
