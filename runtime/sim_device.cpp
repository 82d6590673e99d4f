#include "runtime/sim_device.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "dsl/loop/shared_layout.h"
#include "dsl/machine/architectures.h"
#include "dsl/machine/occupancy.h"
#include "dsl/support/check.h"
#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

// A kernel of the general path rarely needs more; the count only sets how many blocks share the
// work.
constexpr int kAssumedRegisters = 32;

}  // namespace

SimDevice::SimDevice(const loop::Program& program, SimOptions options)
    : program_(program), options_(options) {}
SimDevice::~SimDevice() = default;

sim::Simulator& SimDevice::simulator() {
  if (!simulator_)
    simulator_ = std::make_unique<sim::Simulator>(program_, memory_, options_.simulator);
  return *simulator_;
}

MemoryHandle SimDevice::allocate_past(std::string_view name, int64_t bytes, int64_t past) {
  try {
    return {memory_.allocate(std::string(name), bytes, past)};
  } catch (const std::bad_alloc&) {
    throw Error(
        "simulator", "out of memory",
        "cannot allocate " + std::to_string(bytes) + " bytes for '" + std::string(name) + "'");
  } catch (const std::length_error&) {
    throw Error("simulator", "out of memory",
                "'" + std::string(name) + "' would have " + std::to_string(bytes) + " bytes");
  }
}

void SimDevice::release(MemoryHandle memory) {
  memory_.release(memory.value);
}

// Allocations lie so far apart that none reaches the next.
uint64_t SimDevice::address(MemoryHandle memory) const {
  return ((uint64_t{memory.value} + 1) << 40) + static_cast<uint64_t>(memory_.past(memory.value));
}

void SimDevice::poison(MemoryHandle memory, std::byte value) {
  const int64_t bytes = memory_.size(memory.value);
  if (bytes == 0) return;
  std::memset(memory_.data(memory.value), std::to_integer<int>(value),
              static_cast<std::size_t>(bytes));
  memory_.mark_unwritten(memory.value, 0, bytes);
}

void SimDevice::upload(MemoryHandle to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  CDSL_CHECK(static_cast<int64_t>(bytes.size()) <= memory_.size(to.value),
             "an upload larger than its memory");
  std::memcpy(memory_.data(to.value), bytes.data(), bytes.size());
  memory_.mark_written(to.value, 0, static_cast<int64_t>(bytes.size()));
}

void SimDevice::download(MemoryHandle from, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  CDSL_CHECK(static_cast<int64_t>(bytes.size()) <= memory_.size(from.value),
             "a download larger than its memory");
  std::memcpy(bytes.data(), memory_.data(from.value), bytes.size());
}

void SimDevice::fill(MemoryHandle memory, std::span<const std::byte> pattern) {
  const int64_t bytes = memory_.size(memory.value);
  if (bytes == 0) return;
  std::byte* data = memory_.data(memory.value);
  for (int64_t at = 0; at < bytes; at += static_cast<int64_t>(pattern.size())) {
    const int64_t length = std::min<int64_t>(bytes - at, static_cast<int64_t>(pattern.size()));
    std::memcpy(data + at, pattern.data(), static_cast<std::size_t>(length));
  }
  memory_.mark_written(memory.value, 0, bytes);
}

void SimDevice::copy(MemoryHandle to, MemoryHandle from, int64_t bytes) {
  if (bytes == 0) return;
  CDSL_CHECK(bytes <= memory_.size(to.value) && bytes <= memory_.size(from.value),
             "a copy larger than its memory");
  std::memcpy(memory_.data(to.value), memory_.data(from.value), static_cast<std::size_t>(bytes));
  // What was never written stays so in the copy: a reader of it is the one to report.
  if (memory_.written(from.value, 0, bytes)) {
    memory_.mark_written(to.value, 0, bytes);
    return;
  }
  for (int64_t at = 0; at < bytes; ++at) {
    if (memory_.written(from.value, at, 1)) {
      memory_.mark_written(to.value, at, 1);
    } else {
      memory_.mark_unwritten(to.value, at, 1);
    }
  }
}

LaunchShape SimDevice::shape(uint32_t kernel_index) {
  const loop::Kernel& kernel = program_.kernels[kernel_index];
  const Architecture* arch = find_architecture(options_.simulator.architecture);
  CDSL_CHECK(arch != nullptr,
             "no such architecture: " + std::string(options_.simulator.architecture));
  LaunchShape shape;
  shape.block_threads = int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  const Occupancy resident = occupancy(*arch, static_cast<int>(shape.block_threads),
                                       kAssumedRegisters, loop::shared_layout(program_, kernel).bytes);
  const int multiprocessors = options_.multiprocessors > 0 ? options_.multiprocessors : arch->sms;
  shape.cluster_blocks = int64_t{kernel.cluster[0]} * kernel.cluster[1] * kernel.cluster[2];
  const int64_t fit = int64_t{std::max(resident.blocks, 1)} * multiprocessors;
  shape.resident_blocks = std::max<int64_t>(fit / shape.cluster_blocks, 1) * shape.cluster_blocks;
  return shape;
}

void SimDevice::launch(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) {
  std::vector<sim::Argument> list;
  list.reserve(arguments.size());
  for (const KernelArgument& argument : arguments) {
    sim::Argument& made = list.emplace_back();
    made.is_buffer = argument.is_memory;
    made.handle = argument.memory.value;
    made.value = argument.value;
    made.is_map = argument.view != nullptr;
    if (!made.is_map) continue;
    made.extents = argument.view->extents;
    made.strides = argument.view->strides;
  }
  const int64_t grid[3] = {blocks, 1, 1};
  simulator().launch(kernel, grid, list);
}

// The simulator keeps a few blocks resident at a time; here it has to be all of them.
void SimDevice::launch_resident(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) {
  simulator().set_resident_blocks(std::max(blocks, options_.simulator.resident_blocks));
  launch(kernel, blocks, arguments);
  simulator().set_resident_blocks(options_.simulator.resident_blocks);
}

std::vector<const loop::TensorMap*> SimDevice::maps(uint32_t kernel) const {
  std::vector<const loop::TensorMap*> out;
  for (const uint32_t map : program_.kernels[kernel].maps) out.push_back(&program_.maps[map]);
  return out;
}

std::vector<SiteReport> SimDevice::take_reports() {
  std::vector<SiteReport> fresh;
  if (!simulator_) return fresh;
  // The simulator accumulates; what was taken before is subtracted.
  for (const sim::Report& report : simulator_->result().reports) {
    uint64_t before = 0;
    for (const sim::Report& taken : reports_taken_) {
      if (taken.site == report.site) before = taken.count;
    }
    if (report.count > before) fresh.push_back({report.site, report.value, report.count - before});
  }
  reports_taken_ = simulator_->result().reports;
  return fresh;
}

std::vector<Fault> SimDevice::take_faults() {
  std::vector<Fault> fresh;
  if (!simulator_) return fresh;
  const auto& faults = simulator_->result().faults;
  for (; faults_taken_ < faults.size(); ++faults_taken_) {
    const sim::Fault& fault = faults[faults_taken_];
    fresh.push_back({std::string(sim::name_of(fault.kind)), fault.message, fault.kernel,
                     fault.where, fault.count});
  }
  return fresh;
}

}  // namespace cdsl::runtime
