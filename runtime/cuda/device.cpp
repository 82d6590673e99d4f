#include "runtime/cuda/device.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dsl/types/arithmetic.h"
#include "runtime/cuda/stopwatch.h"
#include "runtime/error.h"

namespace cdsl::runtime {

CudaDevice::~CudaDevice() {
  for (const auto& [handle, memory] : memory_) {
    if (memory.allocation != 0) api_.free(memory.allocation);
  }
}

MemoryHandle CudaDevice::allocate_past(std::string_view name, int64_t bytes, int64_t past) {
  CudaPointer allocation = 0;
  const int64_t whole = bytes > 0 || zone_ > 0 ? zone_ + past + bytes + zone_ : 0;
  if (whole > 0) {
    api_.check(api_.allocate(&allocation, static_cast<std::size_t>(whole)), "cuMemAlloc",
               "cannot allocate " + std::to_string(bytes) + " bytes for '" + std::string(name) + "'");
  }
  const CudaPointer start = whole > 0 ? allocation + static_cast<CudaPointer>(zone_ + past) : 0;
  const Memory& made = memory_[next_handle_] = {std::string(name), allocation, start, bytes};
  if (zone_ > 0) paint_zones(made);
  return {next_handle_++};
}

void CudaDevice::release(MemoryHandle memory) {
  const Memory gone = at(memory);
  memory_.erase(memory.value);
  if (gone.allocation != 0) api_.check(api_.free(gone.allocation), "cuMemFree");
}

void CudaDevice::paint_zones(const Memory& memory) const {
  for (const CudaPointer start : {memory.pointer - static_cast<CudaPointer>(zone_), memory.pointer + static_cast<CudaPointer>(memory.bytes)})
    api_.check(api_.set_bytes(start, std::to_integer<unsigned char>(kRedZone), static_cast<std::size_t>(zone_)), "cuMemsetD8");
}

void CudaDevice::poison(MemoryHandle memory, std::byte value) {
  const Memory& to = at(memory);
  if (to.bytes == 0) return;
  api_.check(api_.set_bytes(to.pointer, std::to_integer<unsigned char>(value), static_cast<std::size_t>(to.bytes)), "cuMemsetD8");
}

void CudaDevice::upload(MemoryHandle to, std::span<const std::byte> bytes) {
  if (!bytes.empty()) api_.check(api_.to_device(at(to).pointer, bytes.data(), bytes.size()), "cuMemcpyHtoD");
}

void CudaDevice::download(MemoryHandle from, std::span<std::byte> bytes) {
  if (!bytes.empty()) api_.check(api_.to_host(bytes.data(), at(from).pointer, bytes.size()), "cuMemcpyDtoH");
}

void CudaDevice::fill(MemoryHandle memory, std::span<const std::byte> pattern) {
  const Memory& to = at(memory);
  const bool uniform = std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern[0]; });
  if (uniform) return poison(memory, pattern[0]);
  std::vector<std::byte> contents(static_cast<std::size_t>(to.bytes));
  for (std::size_t k = 0; k < contents.size(); ++k) contents[k] = pattern[k % pattern.size()];
  upload(memory, contents);
}

void CudaDevice::copy(MemoryHandle to, MemoryHandle from, int64_t bytes) {
  if (bytes > 0)
    api_.check(api_.copy(at(to).pointer, at(from).pointer, static_cast<std::size_t>(bytes)), "cuMemcpyDtoD");
}

std::unique_ptr<Stopwatch> CudaDevice::stopwatch() {
  return CudaStopwatch::make(program_.context().shared_api(), program_.context().device());
}

void CudaDevice::start(uint32_t index, int64_t blocks, std::span<const KernelArgument> arguments, bool resident) {
  const CudaKernel& kernel = program_.kernel(index);
  struct alignas(64) Slot {           // as large as a tensor map
    std::array<std::byte, 128> bytes;
  };
  std::vector<Slot> slots(arguments.size() + 1);
  std::vector<void*> pointers;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const KernelArgument& argument = arguments[k];
    if (argument.view != nullptr) {
      encode_tensor_map(api_, slots[k].bytes.data(), at(argument.memory).pointer, argument.type, *argument.view);
    } else if (argument.is_memory) {
      std::memcpy(slots[k].bytes.data(), &at(argument.memory).pointer, sizeof(CudaPointer));
    } else {
      store_element(slots[k].bytes.data(), argument.type, argument.value);
    }
    pointers.push_back(slots[k].bytes.data());
  }
  if (kernel.reports) {
    const CudaPointer reports = program_.reports();
    std::memcpy(slots.back().bytes.data(), &reports, sizeof reports);
    pointers.push_back(slots.back().bytes.data());
  }
  kernel.launch(api_, blocks, resident, pointers.data(), nullptr);
}

std::vector<SiteReport> CudaDevice::take_reports() {
  api_.check(api_.synchronize(), "cuCtxSynchronize", "a kernel of '" + program_.program().name + "' faulted");
  return program_.take_reports();
}

std::vector<Fault> CudaDevice::take_faults() {
  std::vector<Fault> found;
  if (zone_ == 0) return found;
  const auto length = static_cast<std::size_t>(zone_);
  std::vector<std::byte> before(length), after(length);
  for (const auto& [handle, memory] : memory_) {
    api_.check(api_.to_host(before.data(), memory.pointer - length, length), "cuMemcpyDtoH");
    api_.check(api_.to_host(after.data(), memory.pointer + static_cast<CudaPointer>(memory.bytes), length), "cuMemcpyDtoH");
    auto damage = red_zone_damage(memory.name, memory.bytes, before, after);
    if (!damage) continue;
    found.push_back({"write outside a buffer", std::move(*damage), "", {}});
    paint_zones(memory);
  }
  return found;
}

}  // namespace cdsl::runtime
