#include "runtime/cuda_device.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dsl/loop/walk.h"
#include "dsl/plan/report_abi.h"
#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"
#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

// CUdevice_attribute of cuda.h.
constexpr int kMultiprocessorCount = 16;

bool has_report(const loop::Kernel& kernel) {
  bool found = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    found |= std::holds_alternative<loop::Report>(statement.node);
  });
  return found;
}

int attribute(const CudaApi& api, int which, int device) {
  int value = 0;
  api.check(api.device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

}  // namespace

CudaDevice::CudaDevice(const loop::Program& program, const std::vector<std::byte>& cubin,
                       std::vector<std::string> symbols)
    : program_(program), api_(CudaApi::load()) {
  CDSL_CHECK(symbols.size() == program.kernels.size(), "a symbol for every kernel");
  api_->check(api_->device_get(&device_, 0), "cuDeviceGet", "there is no device");
  std::array<char, 256> text{};
  api_->check(api_->device_name(text.data(), static_cast<int>(text.size()) - 1, device_),
              "cuDeviceGetName");
  name_ = text.data();
  CudaContext* context = nullptr;
  api_->check(api_->primary_retain(&context, device_), "cuDevicePrimaryCtxRetain");
  api_->check(api_->set_current(context), "cuCtxSetCurrent");
  api_->check(api_->module_load(&module_, cubin.data()), "cuModuleLoadData",
              "the kernels of '" + program.name + "' cannot be loaded");

  const int multiprocessors = attribute(*api_, kMultiprocessorCount, device_);
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    const loop::Kernel& kernel = program.kernels[k];
    Loaded loaded;
    api_->check(api_->module_function(&loaded.function, module_, symbols[k].c_str()),
                "cuModuleGetFunction", symbols[k]);
    loaded.threads = int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
    int blocks = 0;
    api_->check(
        api_->resident_blocks(&blocks, loaded.function, static_cast<int>(loaded.threads), 0),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor", symbols[k]);
    loaded.resident = int64_t{std::max(blocks, 1)} * multiprocessors;
    loaded.reports = has_report(kernel);
    kernels_.push_back(loaded);
  }
  if (!program.sites.empty()) {
    const auto bytes = static_cast<int64_t>(program.sites.size() * sizeof(plan::ReportRecord));
    reports_ = new_memory("reports", bytes);
    api_->check(api_->set_bytes(reports_, 0, static_cast<std::size_t>(bytes)), "cuMemsetD8");
  }
}

CudaDevice::~CudaDevice() {
  for (const auto& [handle, memory] : memory_) {
    if (memory.pointer != 0) api_->free(memory.pointer);
  }
  if (reports_ != 0) api_->free(reports_);
  if (module_ != nullptr) api_->module_unload(module_);
  api_->primary_release(device_);
}

CudaPointer CudaDevice::new_memory(const std::string& name, int64_t bytes) {
  CudaPointer pointer = 0;
  if (bytes > 0) {
    api_->check(api_->allocate(&pointer, static_cast<std::size_t>(bytes)), "cuMemAlloc",
                "cannot allocate " + std::to_string(bytes) + " bytes for '" + name + "'");
  }
  return pointer;
}

MemoryHandle CudaDevice::allocate(std::string_view name, int64_t bytes) {
  memory_[next_handle_] = {new_memory(std::string(name), bytes), bytes};
  return {next_handle_++};
}

void CudaDevice::release(MemoryHandle memory) {
  const Memory gone = at(memory);
  memory_.erase(memory.value);
  if (gone.pointer != 0) api_->check(api_->free(gone.pointer), "cuMemFree");
}

void CudaDevice::poison(MemoryHandle memory, std::byte value) {
  const Memory& to = at(memory);
  if (to.bytes == 0) return;
  api_->check(api_->set_bytes(to.pointer, std::to_integer<unsigned char>(value),
                              static_cast<std::size_t>(to.bytes)),
              "cuMemsetD8");
}

void CudaDevice::upload(MemoryHandle to, std::span<const std::byte> bytes) {
  if (!bytes.empty())
    api_->check(api_->to_device(at(to).pointer, bytes.data(), bytes.size()), "cuMemcpyHtoD");
}

void CudaDevice::download(MemoryHandle from, std::span<std::byte> bytes) {
  if (!bytes.empty())
    api_->check(api_->to_host(bytes.data(), at(from).pointer, bytes.size()), "cuMemcpyDtoH");
}

void CudaDevice::fill(MemoryHandle memory, std::span<const std::byte> pattern) {
  const Memory& to = at(memory);
  const bool uniform =
      std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern[0]; });
  if (uniform) return poison(memory, pattern[0]);
  std::vector<std::byte> contents(static_cast<std::size_t>(to.bytes));
  for (std::size_t k = 0; k < contents.size(); ++k) contents[k] = pattern[k % pattern.size()];
  upload(memory, contents);
}

void CudaDevice::copy(MemoryHandle to, MemoryHandle from, int64_t bytes) {
  if (bytes > 0) {
    api_->check(api_->copy(at(to).pointer, at(from).pointer, static_cast<std::size_t>(bytes)),
                "cuMemcpyDtoD");
  }
}

LaunchShape CudaDevice::shape(uint32_t kernel) {
  return {kernels_[kernel].threads, kernels_[kernel].resident};
}

void CudaDevice::launch(uint32_t index, int64_t blocks, std::span<const KernelArgument> arguments) {
  const Loaded& loaded = kernels_[index];
  const loop::Kernel& kernel = program_.kernels[index];
  struct alignas(16) Slot {
    std::array<std::byte, 16> bytes;
  };
  std::vector<Slot> slots(arguments.size() + 1);
  std::vector<void*> pointers;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const KernelArgument& argument = arguments[k];
    if (argument.is_memory) {
      std::memcpy(slots[k].bytes.data(), &at(argument.memory).pointer, sizeof(CudaPointer));
    } else {
      store_element(slots[k].bytes.data(), argument.type, argument.value);
    }
    pointers.push_back(slots[k].bytes.data());
  }
  if (loaded.reports) {
    std::memcpy(slots.back().bytes.data(), &reports_, sizeof reports_);
    pointers.push_back(slots.back().bytes.data());
  }
  const auto size = [](int extent) { return static_cast<unsigned>(extent); };
  api_->check(api_->launch(loaded.function, static_cast<unsigned>(blocks), 1, 1,
                           size(kernel.block[0]), size(kernel.block[1]), size(kernel.block[2]), 0,
                           nullptr, pointers.data(), nullptr),
              "cuLaunchKernel", kernel.name);
}

std::vector<SiteReport> CudaDevice::take_reports() {
  api_->check(api_->synchronize(), "cuCtxSynchronize",
              "a kernel of '" + program_.name + "' faulted");
  std::vector<SiteReport> found;
  if (reports_ == 0) return found;
  std::vector<plan::ReportRecord> records(program_.sites.size());
  const std::size_t bytes = records.size() * sizeof(plan::ReportRecord);
  api_->check(api_->to_host(records.data(), reports_, bytes), "cuMemcpyDtoH");
  api_->check(api_->set_bytes(reports_, 0, bytes), "cuMemsetD8");
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].count > 0)
      found.push_back({static_cast<uint32_t>(k), records[k].value, records[k].count});
  }
  return found;
}

}  // namespace cdsl::runtime
