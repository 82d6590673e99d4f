// A GPU whose work is put on a timeline: what the host asks of it, and between two events of the driver what the GPU does.
//
// Events lie on the stream between the launches, so that each span of the device's track is up to a microsecond or two longer than
// its kernel. The two clocks are joined where the tracer is made, to within some microseconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/device.h"
#include "runtime/timeline.h"

namespace cdsl::runtime {

class CudaTracer final : public Device {
 public:
  /// Keeps references to the timeline and the program. Throws Error.
  CudaTracer(std::unique_ptr<Device> device, std::shared_ptr<const CudaApi> api, const loop::Program& program, Timeline& timeline);
  ~CudaTracer() override;

  std::string name() const override { return device_->name(); }
  MemoryHandle allocate(std::string_view name, int64_t bytes) override { return allocate_past(name, bytes, 0); }
  MemoryHandle allocate_past(std::string_view name, int64_t bytes, int64_t past) override;
  void release(MemoryHandle memory) override { device_->release(memory); }
  uint64_t address(MemoryHandle memory) const override { return device_->address(memory); }
  void poison(MemoryHandle memory, std::byte value) override { device_->poison(memory, value); }
  void upload(MemoryHandle to, std::span<const std::byte> bytes) override;
  void download(MemoryHandle from, std::span<std::byte> bytes) override;
  void fill(MemoryHandle memory, std::span<const std::byte> pattern) override;
  void copy(MemoryHandle to, MemoryHandle from, int64_t bytes) override;
  LaunchShape shape(uint32_t kernel) override { return device_->shape(kernel); }
  void launch(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) override;
  void launch_resident(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) override;
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const override { return device_->maps(kernel); }
  std::unique_ptr<Stopwatch> stopwatch() override { return device_->stopwatch(); }
  std::vector<SiteReport> take_reports() override;
  std::vector<Fault> take_faults() override { return device_->take_faults(); }

 private:
  struct Pending {
    std::string name;
    CudaEvent *start = nullptr, *stop = nullptr;
  };
  template <class Work>
  void trace(const std::string& host, const std::string& device, const Work& work);
  CudaEvent* record() const;
  double between(CudaEvent* start, CudaEvent* stop) const;   // microseconds
  void collect();

  std::unique_ptr<Device> device_;
  std::shared_ptr<const CudaApi> api_;
  const loop::Program& program_;
  Timeline& timeline_;
  CudaEvent* origin_ = nullptr;
  double origin_at_ = 0;            // on the timeline
  std::vector<Pending> pending_;
};

}  // namespace cdsl::runtime
