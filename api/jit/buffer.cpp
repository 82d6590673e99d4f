#include "api/jit/buffer.h"

#include <cstring>

#include <fmt/format.h>

#include "api/jit/failure.h"

namespace cdsl::jit {
namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

JitBuffer::JitBuffer(std::shared_ptr<JitKernel> kernel, std::size_t parameter, std::vector<int64_t> extents)
    : kernel_(std::move(kernel)), parameter_(parameter), extents_(std::move(extents)) {
  const auto refuse = [&](const std::string& why) { throw JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("{}: {}", kernel_->name(), why), kernel_->name()); };
  const auto& parameters = kernel_->signature().parameters();
  if (parameter_ >= parameters.size()) refuse(fmt::format("has {} parameters, not {}", parameters.size(), parameter_ + 1));
  const ParameterInfo& info = this->parameter();
  if (!info.is_tensor()) refuse(fmt::format("'{}' is a scalar and needs no buffer", info.name));
  if (extents_.size() != info.rank) refuse(fmt::format("'{}' has rank {}, not {}", info.name, info.rank, extents_.size()));
  for (const int64_t extent : extents_) {
    if (extent < 0) refuse(fmt::format("'{}' cannot have the extent {}", info.name, extent));
  }
  const tir::Function& function = kernel_->signature().function();
  if (!fits_address_space(extents_, static_cast<int64_t>(info.element_bytes)))
    throw JitFailure(CDSL_ERROR_OUT_OF_MEMORY, fmt::format("{}: '{}' exceeds the address space", kernel_->name(), info.name), kernel_->name());
  placement_ = runtime::place(function.tensor(info.tensor), function.element(info.tensor), extents_);

  JitRuntime& runtime = kernel_->module().runtime();
  for (const LayoutPart& layout : placement_.parts) {
    Part part;
    part.bytes = static_cast<std::size_t>(part_bytes(layout, placement_.count));
    if (runtime.is_simulated()) {
      part.host.resize(part.bytes + kAlignment);
      const auto start = reinterpret_cast<std::uintptr_t>(part.host.data());
      part.address = reinterpret_cast<void*>((start + kAlignment - 1) / kAlignment * kAlignment);
    } else {
      part.device = runtime::CudaMemory(runtime.context()->shared_api(), part.bytes, "'" + info.name + "'");
      part.address = reinterpret_cast<void*>(part.device.pointer());
    }
    parts_.push_back(std::move(part));
  }
  for (std::size_t k = 1; k < parts_.size(); ++k) further_parts_.push_back(parts_[k].address);
  tensor_ = {parts_[0].address, info.is_record ? CDSL_RECORD : static_cast<cdsl_type>(info.type), static_cast<int>(info.rank),
             extents_.data(), nullptr, further_parts_.empty() ? nullptr : further_parts_.data()};
}

Array JitBuffer::empty_array() const {
  return Array::zeros(kernel_->signature().function().element(parameter().tensor), extents_);
}

void JitBuffer::check_bytes(std::size_t bytes) const {
  std::size_t wanted = parameter().element_bytes;
  for (const int64_t extent : extents_) wanted *= static_cast<std::size_t>(extent);
  if (bytes != wanted)
    throw JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("'{}' has {} bytes as an array, the call gives {}", parameter().name, wanted, bytes), kernel_->name());
}

void JitBuffer::upload(const void* host, std::size_t bytes) {
  check_bytes(bytes);
  Array array = empty_array();
  if (bytes > 0) std::memcpy(array.bytes.data(), host, bytes);
  for (uint32_t k = 0; k < parts_.size(); ++k) {
    const std::vector<std::byte> packed = runtime::pack(array, placement_, k, std::byte{0});
    if (packed.empty()) continue;
    if (parts_[k].device.pointer() == 0) {
      std::memcpy(parts_[k].address, packed.data(), packed.size());
    } else {
      const auto context = kernel_->module().runtime().context();
      context->api().check(context->api().to_device(parts_[k].device.pointer(), packed.data(), packed.size()), "cuMemcpyHtoD", parameter().name);
    }
  }
}

void JitBuffer::download(void* host, std::size_t bytes) const {
  check_bytes(bytes);
  Array array = empty_array();
  for (uint32_t k = 0; k < parts_.size(); ++k) {
    std::vector<std::byte> packed(parts_[k].bytes);
    if (!packed.empty() && parts_[k].device.pointer() == 0) {
      std::memcpy(packed.data(), parts_[k].address, packed.size());
    } else if (!packed.empty()) {
      const auto context = kernel_->module().runtime().context();
      context->api().check(context->api().to_host(packed.data(), parts_[k].device.pointer(), packed.size()), "cuMemcpyDtoH", parameter().name);
    }
    runtime::unpack(array, placement_, k, packed);
  }
  if (bytes > 0) std::memcpy(host, array.bytes.data(), bytes);
}

// The program with one function more, that assigns whole elements from one layout to the other.
JitKernel& JitBuffer::converter(bool packs) const {
  const std::lock_guard lock(mutex_);
  auto& converter = packs ? packs_ : unpacks_;
  if (converter) return *converter;
  const JitModule& module = kernel_->module();
  const ParameterInfo& info = parameter();
  const tir::Function& function = kernel_->signature().function();
  std::string extents, subscripts;
  for (std::size_t axis = 0; axis < info.rank; ++axis) {
    extents += fmt::format("{}cdsl_n{}", axis == 0 ? "" : ", ", axis);
    subscripts += fmt::format("{}cdsl_i{}", axis == 0 ? "" : ", ", axis);
  }
  const std::string element = info.is_record ? function.element(info.tensor).name : std::string(name_of(info.type));
  const std::string order = function.tensor(info.tensor).order == tir::Order::ColMajor ? " col_major" : "";
  const std::string type = fmt::format("{}[{}]", element, extents);
  const std::string laid = type + (info.is_record ? fmt::format(" layout({})", info.layout) : "") + order;
  const std::string plain = type + (info.is_record ? " layout(aos)" : "");
  const std::string more = fmt::format("\nfn cdsl_convert_layout(cdsl_from: {}) -> (cdsl_to: {}) {{ cdsl_to[{}] = cdsl_from[{}]; }}\n", packs ? plain : laid,
                                       packs ? laid : plain, subscripts, subscripts);
  CompileOptions options = module.options();
  options.defines.sizes.clear();
  options.overrides.clear();
  options.check_defines = false;
  auto made = std::make_shared<JitModule>(module.shared_runtime(), module.extended(more), options, true);
  converter = std::make_unique<JitKernel>(std::move(made), "cdsl_convert_layout");
  return *converter;
}

void JitBuffer::convert(bool packs, void* records, std::size_t bytes, void* stream) const {
  check_bytes(bytes);
  if (records == nullptr && bytes > 0)
    throw JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("the array for '{}' is null", parameter().name), kernel_->name());
  const cdsl_tensor plain{records, tensor_.type, tensor_.rank, extents_.data(), nullptr, nullptr};
  const cdsl_argument from{packs ? &plain : &tensor_, CDSL_I64, {}}, to{packs ? &tensor_ : &plain, CDSL_I64, {}};
  const cdsl_argument arguments[] = {from, to};
  converter(packs).launch(arguments, stream);
}

void JitBuffer::pack(const void* device, std::size_t bytes, void* stream) { convert(true, const_cast<void*>(device), bytes, stream); }
void JitBuffer::unpack(void* device, std::size_t bytes, void* stream) const { convert(false, device, bytes, stream); }

}  // namespace cdsl::jit
