#include "device.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "codegen/cuda.h"
#include "dsl/loop/shared_layout.h"
#include "dsl/machine/architectures.h"
#include "dsl/machine/occupancy.h"
#include "dsl/plan/report_abi.h"
#include "dsl/types/arithmetic.h"
#include "runtime/error.h"

namespace cdsl::emulation {

using runtime::MemoryHandle;

namespace {

constexpr int kAssumedRegisters = 32;  // only sets how many blocks share the work
constexpr int kMultiprocessors = 2;

}  // namespace

Device::Device(const loop::Program& program, const Library& library, const ::emulated::Unit& unit, std::string architecture, bool small, Options options)
    : program_(program), library_(library), unit_(unit), architecture_(std::move(architecture)), small_(small), machine_(options) {
  const std::size_t bytes = program.sites.size() * sizeof(plan::ReportRecord);
  reports_ = machine_.memory.allocate("reports", static_cast<int64_t>(bytes));
  std::memset(machine_.memory[reports_].data(), 0, bytes);
  machine_.memory[reports_].mark(0, bytes, true);
}

MemoryHandle Device::allocate(std::string_view name, int64_t bytes) {
  try {
    return {machine_.memory.allocate(std::string(name), bytes)};
  } catch (const std::bad_alloc&) {
    throw runtime::Error("emulated", "out of memory", fmt::format("cannot allocate {} bytes for '{}'", bytes, name));
  }
}

void Device::release(MemoryHandle memory) {
  machine_.memory.release(memory.value);
}

uint64_t Device::address(MemoryHandle memory) const {
  return machine_.memory[memory.value].begin;
}

void Device::poison(MemoryHandle memory, std::byte value) {
  Allocation& to = machine_.memory[memory.value];
  std::memset(to.data(), std::to_integer<int>(value), to.bytes);
  to.mark(0, to.bytes, false);
}

void Device::upload(MemoryHandle to, std::span<const std::byte> bytes) {
  Allocation& place = machine_.memory[to.value];
  if (!bytes.empty()) std::memcpy(place.data(), bytes.data(), bytes.size());
  place.mark(0, bytes.size(), true);
}

void Device::download(MemoryHandle from, std::span<std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(bytes.data(), machine_.memory[from.value].data(), bytes.size());
}

void Device::fill(MemoryHandle memory, std::span<const std::byte> pattern) {
  Allocation& to = machine_.memory[memory.value];
  for (std::size_t k = 0; k < to.bytes; ++k) to.data()[k] = pattern[k % pattern.size()];
  to.mark(0, to.bytes, true);
}

// What was never written stays so in the copy: a reader of it is the one to report.
void Device::copy(MemoryHandle to, MemoryHandle from, int64_t bytes) {
  Allocation& target = machine_.memory[to.value];
  const Allocation& source = machine_.memory[from.value];
  const auto count = static_cast<std::ptrdiff_t>(bytes);
  std::copy_n(source.data(), count, target.data());
  std::copy_n(source.written.begin(), count, target.written.begin());
}

runtime::LaunchShape Device::shape(uint32_t index) {
  const loop::Kernel& kernel = program_.kernels[index];
  const Architecture* architecture = find_architecture(architecture_);
  runtime::LaunchShape shape;
  shape.block_threads = int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  shape.cluster_blocks = int64_t{kernel.cluster[0]} * kernel.cluster[1] * kernel.cluster[2];
  const Occupancy resident = occupancy(*architecture, static_cast<int>(shape.block_threads), kAssumedRegisters, loop::shared_layout(program_, kernel).bytes);
  const int64_t fit = int64_t{std::max(resident.blocks, 1)} * (small_ ? 1 : kMultiprocessors);
  shape.resident_blocks = std::max<int64_t>(fit / shape.cluster_blocks, 1) * shape.cluster_blocks;
  return shape;
}

std::string Device::refusal(const loop::Kernel& kernel, int64_t blocks, int64_t shared_bytes) const {
  const Architecture& limits = *find_architecture(architecture_);
  const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  if (threads > limits.max_threads_block) return fmt::format("{} threads a block, of at most {}", threads, limits.max_threads_block);
  if (kernel.block[2] > 64) return fmt::format("{} threads along z, of at most 64", kernel.block[2]);
  if (shared_bytes > limits.max_shared_block) return fmt::format("{} bytes of shared memory a block, of at most {}", shared_bytes, limits.max_shared_block);
  if (blocks < 1 || blocks > kMaxGridX) return fmt::format("{} blocks, of at most {}", blocks, kMaxGridX);
  if (blocks % (kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2]) != 0) return fmt::format("{} blocks are no whole clusters", blocks);
  return "";
}

void Device::launch(uint32_t kernel, int64_t blocks, std::span<const runtime::KernelArgument> arguments) {
  run(kernel, blocks, Options{}.resident_blocks, arguments);
}

void Device::launch_resident(uint32_t kernel, int64_t blocks, std::span<const runtime::KernelArgument> arguments) {
  run(kernel, blocks, blocks, arguments);
}

void Device::run(uint32_t index, int64_t blocks, int64_t resident, std::span<const runtime::KernelArgument> arguments) {
  const loop::Kernel& kernel = program_.kernels[index];
  const loop::SharedLayout layout = loop::shared_layout(program_, kernel);
  if (const std::string why = refusal(kernel, blocks, layout.bytes); !why.empty()) {
    refused_.push_back({"launch limit", why, kernel.name, {}});
    return;
  }
  struct alignas(64) Slot {
    std::array<std::byte, 128> bytes;
  };
  std::vector<Slot> slots(arguments.size() + 1);
  std::vector<void*> pointers;
  const auto place = [&](std::size_t slot, const void* bytes, std::size_t count) { std::memcpy(slots[slot].bytes.data(), bytes, count); };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const runtime::KernelArgument& argument = arguments[k];
    if (argument.is_memory) {
      place(k, &machine_.memory[argument.memory.value].begin, sizeof(void*));
    } else if (argument.view == nullptr) {
      store_element(slots[k].bytes.data(), argument.type, argument.value);
    }
    pointers.push_back(slots[k].bytes.data());
  }
  if (takes_reports(kernel)) {
    const uintptr_t records = program_.sites.empty() ? 0 : machine_.memory[reports_].begin;
    place(arguments.size(), &records, sizeof records);
    pointers.push_back(slots.back().bytes.data());
  }
  Launch launch;
  launch.kernel = kernel.name;
  launch.code = &unit_.kernels[index];
  if (pointers.size() != launch.code->arguments) {
    refused_.push_back({"launch limit", fmt::format("{} arguments for {} parameters", pointers.size(), launch.code->arguments), kernel.name, {}});
    return;
  }
  launch.static_shared = {unit_.shared, unit_.shared_end};
  launch.shared_bytes = static_cast<std::size_t>(layout.dynamic_bytes());
  launch.blocks = blocks;
  launch.resident = resident;
  launch.block = {static_cast<unsigned>(kernel.block[0]), static_cast<unsigned>(kernel.block[1]), static_cast<unsigned>(kernel.block[2])};
  launch.cluster = static_cast<unsigned>(kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2]);
  launch.arguments = pointers;
  library_.connect(Machine::api());
  machine_.run(launch);
}

std::vector<const loop::TensorMap*> Device::maps(uint32_t kernel) const {
  std::vector<const loop::TensorMap*> out;
  for (const uint32_t map : program_.kernels[kernel].maps) out.push_back(&program_.maps[map]);
  return out;
}

std::vector<runtime::SiteReport> Device::take_reports() {
  std::vector<runtime::SiteReport> found;
  auto* const records = reinterpret_cast<plan::ReportRecord*>(machine_.memory[reports_].data());
  for (uint32_t site = 0; site < program_.sites.size(); ++site) {
    if (records[site].count > 0) found.push_back({site, records[site].value, records[site].count});
    records[site] = {};
  }
  return found;
}

std::vector<runtime::Fault> Device::take_faults() {
  std::vector<runtime::Fault> found = std::exchange(refused_, {});
  for (Machine::FoundFault& fault : machine_.take_faults()) {
    const std::string place = fault.pc == nullptr ? "" : library_.locate(fault.pc);
    const std::string at = place.empty() ? "" : fmt::format("at {}, ", place);
    found.push_back({std::move(fault.kind), at + fault.message, std::move(fault.kernel), {}, fault.count});
  }
  return found;
}

}  // namespace cdsl::emulation
