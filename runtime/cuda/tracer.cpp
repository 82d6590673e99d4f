#include "runtime/cuda/tracer.h"

#include <fmt/format.h>

namespace cdsl::runtime {

CudaTracer::CudaTracer(std::unique_ptr<Device> device, std::shared_ptr<const CudaApi> api, const loop::Program& program,
                       Timeline& timeline)
    : device_(std::move(device)), api_(std::move(api)), program_(program), timeline_(timeline) {
  api_->check(api_->synchronize(), "cuCtxSynchronize");
  origin_ = record();
  api_->check(api_->event_synchronize(origin_), "cuEventSynchronize");
  origin_at_ = timeline_.now();
}

CudaTracer::~CudaTracer() {
  for (const Pending& pending : pending_) {
    api_->event_destroy(pending.start);
    api_->event_destroy(pending.stop);
  }
  if (origin_ != nullptr) api_->event_destroy(origin_);
}

CudaEvent* CudaTracer::record() const {
  CudaEvent* event = nullptr;
  api_->check(api_->event_create(&event, 0), "cuEventCreate");
  api_->check(api_->event_record(event, nullptr), "cuEventRecord");
  return event;
}

template <class Work>
void CudaTracer::trace(const std::string& host, const std::string& device, const Work& work) {
  if (!timeline_.is_recording()) return work();
  HostSpan span(&timeline_, host);
  CudaEvent* const start = record();
  work();
  pending_.push_back({device, start, record()});
}

MemoryHandle CudaTracer::allocate_past(std::string_view name, int64_t bytes, int64_t past) {
  HostSpan span(&timeline_, fmt::format("allocate {}, {} bytes", name, bytes));
  return device_->allocate_past(name, bytes, past);
}

void CudaTracer::upload(MemoryHandle to, std::span<const std::byte> bytes) {
  const std::string name = fmt::format("upload {} bytes", bytes.size());
  trace(name, name, [&] { device_->upload(to, bytes); });
}

void CudaTracer::download(MemoryHandle from, std::span<std::byte> bytes) {
  const std::string name = fmt::format("download {} bytes", bytes.size());
  trace(name, name, [&] { device_->download(from, bytes); });
  collect();
}

void CudaTracer::fill(MemoryHandle memory, std::span<const std::byte> pattern) {
  trace("fill", "fill", [&] { device_->fill(memory, pattern); });
}

void CudaTracer::copy(MemoryHandle to, MemoryHandle from, int64_t bytes) {
  const std::string name = fmt::format("copy {} bytes", bytes);
  trace(name, name, [&] { device_->copy(to, from, bytes); });
}

void CudaTracer::launch(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) {
  const std::string& name = program_.kernels[kernel].name;
  trace("launch " + name, name, [&] { device_->launch(kernel, blocks, arguments); });
}

void CudaTracer::launch_resident(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) {
  const std::string& name = program_.kernels[kernel].name;
  trace("launch " + name, name, [&] { device_->launch_resident(kernel, blocks, arguments); });
}

std::vector<SiteReport> CudaTracer::take_reports() {
  std::vector<SiteReport> reports;
  {
    HostSpan span(&timeline_, "wait");
    reports = device_->take_reports();
  }
  collect();
  return reports;
}

double CudaTracer::between(CudaEvent* start, CudaEvent* stop) const {
  float milliseconds = 0;
  api_->check(api_->event_elapsed(&milliseconds, start, stop), "cuEventElapsedTime");
  return 1000.0 * static_cast<double>(milliseconds);
}

// The stream has come to an end: all events have happened.
void CudaTracer::collect() {
  std::vector<Pending> ended;
  std::swap(ended, pending_);
  for (const Pending& pending : ended) {
    api_->check(api_->event_synchronize(pending.stop), "cuEventSynchronize");
    // The length of its own: since the origin, a float of milliseconds is only good to a microsecond after some seconds.
    timeline_.add(Timeline::Track::Device, pending.name, origin_at_ + between(origin_, pending.start), between(pending.start, pending.stop));
    api_->event_destroy(pending.start);
    api_->event_destroy(pending.stop);
  }
}

}  // namespace cdsl::runtime
