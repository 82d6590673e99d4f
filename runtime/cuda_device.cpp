#include "runtime/cuda_device.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dsl/loop/shared_layout.h"
#include "dsl/loop/walk.h"
#include "dsl/plan/report_abi.h"
#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"
#include "runtime/cuda_stopwatch.h"
#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

// CUdevice_attribute, CUfunction_attribute and CUlaunchAttributeID of cuda.h.
constexpr int kMultiprocessorCount = 16;
constexpr int kMaxDynamicShared = 8, kNonPortableCluster = 14;
constexpr int kCooperative = 2, kClusterShape = 4;
constexpr int64_t kPortableCluster = 8;     // blocks of a cluster that every device has

/// CUtensorMapDataType.
int map_type(ScalarType type) {
  switch (type) {
    case ScalarType::U16:
    case ScalarType::I16: return 1;
    case ScalarType::U32: return 2;
    case ScalarType::I32: return 3;
    case ScalarType::U64: return 4;
    case ScalarType::I64: return 5;
    case ScalarType::F16: return 6;
    case ScalarType::F32: return 7;
    case ScalarType::F64: return 8;
    case ScalarType::BF16: return 9;
    default: return 0;                      // bytes
  }
}

void encode(const CudaApi& api, void* map, CudaPointer base, const KernelArgument& argument) {
  if (api.encode_tiled == nullptr)
    throw Error("driver", "too old", "cuTensorMapEncodeTiled is missing");
  const TensorView& view = *argument.view;
  const std::vector<unsigned long long> extents(view.extents.begin(), view.extents.end());
  const std::vector<unsigned long long> strides(view.strides.begin(), view.strides.end());
  const std::vector<unsigned> box(view.box.begin(), view.box.end()), steps(view.box.size(), 1u);
  const int swizzle = view.swizzle == 128 ? 3 : view.swizzle == 64 ? 2 : view.swizzle == 32 ? 1 : 0;
  constexpr int kNoInterleave = 0, kPromoteTo256Bytes = 3, kFillWithZeros = 0;
  api.check(api.encode_tiled(map, map_type(argument.type), static_cast<unsigned>(box.size()),
                             reinterpret_cast<void*>(base), extents.data(), strides.data(),
                             box.data(), steps.data(), kNoInterleave, swizzle, kPromoteTo256Bytes,
                             kFillWithZeros),
            "cuTensorMapEncodeTiled");
}

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

  for (std::size_t k = 0; k < symbols.size(); ++k)
    kernels_.push_back(load(program.kernels[k], symbols[k]));
  if (!program.sites.empty()) {
    const auto bytes = static_cast<int64_t>(program.sites.size() * sizeof(plan::ReportRecord));
    reports_ = new_memory("reports", bytes);
    api_->check(api_->set_bytes(reports_, 0, static_cast<std::size_t>(bytes)), "cuMemsetD8");
  }
}

CudaDevice::Loaded CudaDevice::load(const loop::Kernel& kernel, const std::string& symbol) {
  Loaded loaded;
  api_->check(api_->module_function(&loaded.function, module_, symbol.c_str()),
              "cuModuleGetFunction", symbol);
  loaded.threads = int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  loaded.cluster = int64_t{kernel.cluster[0]} * kernel.cluster[1] * kernel.cluster[2];
  loaded.dynamic_bytes =
      static_cast<unsigned>(loop::shared_layout(program_, kernel).dynamic_bytes());
  if (loaded.dynamic_bytes > 0) {
    api_->check(api_->set_attribute(loaded.function, kMaxDynamicShared,
                                    static_cast<int>(loaded.dynamic_bytes)),
                "cuFuncSetAttribute", symbol);
  }
  if (loaded.cluster > kPortableCluster)
    api_->check(api_->set_attribute(loaded.function, kNonPortableCluster, 1), "cuFuncSetAttribute", symbol);
  loaded.resident = resident_blocks(loaded, kernel);
  loaded.reports = has_report(kernel);
  return loaded;
}

int64_t CudaDevice::resident_blocks(const Loaded& loaded, const loop::Kernel& kernel) const {
  if (loaded.cluster > 1 && api_->active_clusters != nullptr) {
    CudaAttribute shape{kClusterShape, 0, {}};
    CudaLaunch launch;
    for (int k = 0; k < 3; ++k) {
      shape.value.extents[k] = static_cast<unsigned>(kernel.cluster[k]);
      launch.grid[k] = static_cast<unsigned>(kernel.cluster[k]);
      launch.block[k] = static_cast<unsigned>(kernel.block[k]);
    }
    launch.shared_bytes = loaded.dynamic_bytes;
    launch.attributes = &shape;
    launch.attribute_count = 1;
    int clusters = 0;
    api_->check(api_->active_clusters(&clusters, loaded.function, &launch), "cuOccupancyMaxActiveClusters", kernel.name);
    return std::max(clusters, 1) * loaded.cluster;
  }
  int blocks = 0;
  api_->check(api_->resident_blocks(&blocks, loaded.function, static_cast<int>(loaded.threads),
                                    loaded.dynamic_bytes),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor", kernel.name);
  return int64_t{std::max(blocks, 1)} * attribute(*api_, kMultiprocessorCount, device_);
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
  return {kernels_[kernel].threads, kernels_[kernel].resident, kernels_[kernel].cluster};
}

void CudaDevice::launch(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) {
  start(kernel, blocks, arguments, false);
}

void CudaDevice::launch_resident(uint32_t kernel, int64_t blocks, std::span<const KernelArgument> arguments) {
  start(kernel, blocks, arguments, true);
}

std::vector<const loop::TensorMap*> CudaDevice::maps(uint32_t kernel) const {
  std::vector<const loop::TensorMap*> out;
  for (const uint32_t map : program_.kernels[kernel].maps) out.push_back(&program_.maps[map]);
  return out;
}

std::unique_ptr<Stopwatch> CudaDevice::stopwatch() {
  return CudaStopwatch::make(api_, device_);
}

void CudaDevice::start(uint32_t index, int64_t blocks, std::span<const KernelArgument> arguments, bool resident) {
  const Loaded& loaded = kernels_[index];
  const loop::Kernel& kernel = program_.kernels[index];
  struct alignas(64) Slot {           // as large as a tensor map
    std::array<std::byte, 128> bytes;
  };
  std::vector<Slot> slots(arguments.size() + 1);
  std::vector<void*> pointers;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const KernelArgument& argument = arguments[k];
    if (argument.view != nullptr) {
      encode(*api_, slots[k].bytes.data(), at(argument.memory).pointer, argument);
    } else if (argument.is_memory) {
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
  if (!resident) {
    return api_->check(
        api_->launch(loaded.function, static_cast<unsigned>(blocks), 1, 1, size(kernel.block[0]),
                     size(kernel.block[1]), size(kernel.block[2]), loaded.dynamic_bytes, nullptr,
                     pointers.data(), nullptr),
        "cuLaunchKernel", kernel.name);
  }
  if (api_->launch_with == nullptr)
    throw Error("driver", "too old", "cuLaunchKernelEx is missing, which blocks that run at once need");
  CudaAttribute cooperative{kCooperative, 0, {}};
  cooperative.value.number = 1;
  CudaLaunch launch;
  launch.grid[0] = static_cast<unsigned>(blocks);
  for (int k = 0; k < 3; ++k) launch.block[k] = size(kernel.block[k]);
  launch.shared_bytes = loaded.dynamic_bytes;
  launch.attributes = &cooperative;
  launch.attribute_count = 1;
  api_->check(api_->launch_with(&launch, loaded.function, pointers.data(), nullptr), "cuLaunchKernelEx", kernel.name);
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
