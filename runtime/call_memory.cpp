#include "runtime/call_memory.h"

#include "dsl/plan/variants.h"
#include "dsl/support/check.h"
#include "runtime/error.h"
#include "runtime/executor.h"

namespace cdsl::runtime {
namespace {

bool is_given(const tir::Tensor& tensor) {
  return tensor.role == tir::Role::Input || tensor.role == tir::Role::InOut;
}
bool is_result(const tir::Tensor& tensor) {
  return tensor.role == tir::Role::Output || tensor.role == tir::Role::InOut;
}

}  // namespace

CallMemory::CallMemory(const tir::Function& function, const plan::Plan& plan,
                       const tir::Bound& bound, Device& device, const ExecuteOptions& options)
    : function_(function),
      plan_(plan),
      bound_(bound),
      device_(device),
      options_(options),
      handles_(plan.buffers.size()),
      bytes_(plan.buffers.size()) {
  for (const tir::Parameter& parameter : function.parameters) {
    const auto* tensor = std::get_if<TensorId>(&parameter.what);
    if (tensor == nullptr) continue;
    placements_.emplace(*tensor, place(function.tensor(*tensor), function.element(*tensor),
                                       bound.shapes[tensor->index()], options.stride_gap));
  }
}

CallMemory::~CallMemory() {
  for (const std::optional<MemoryHandle>& handle : handles_) {
    if (handle) device_.release(*handle);
  }
}

MemoryHandle CallMemory::add(uint32_t index, int64_t bytes, int64_t past) {
  const std::string& name = plan_.buffers[index].name;
  if (bytes < 0)
    throw Error("executor", "out of memory", "'" + name + "' exceeds the address space");
  bytes_[index] = bytes;
  handles_[index] = device_.allocate_past(name, bytes, past);
  return *handles_[index];
}

void CallMemory::allocate(const Arguments& arguments, PlanValues& values) {
  for (uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const plan::Buffer& buffer = plan_.buffers[k];
    if (buffer.kind == plan::Buffer::Kind::Parameter) {
      const Placement& placement = placements_.at(buffer.tensor);
      const LayoutPart& part = placement.parts[buffer.part];
      const int64_t past = options_.off_alignment ? part.element.alignment : 0;
      fill_parameter(buffer, add(k, part_bytes(part, placement.count), past), arguments);
    } else if (buffer.kind == plan::Buffer::Kind::Constant) {
      device_.upload(add(k, values.integer(buffer.bytes)), buffer.contents);
    }
  }
}

void CallMemory::allocate_workspace(const plan::Variant& variant, PlanValues& values) {
  const std::vector<bool> used = plan::used_buffers(plan_, variant);
  for (uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const plan::Buffer& buffer = plan_.buffers[k];
    if (buffer.kind != plan::Buffer::Kind::Workspace || !used[k]) continue;
    device_.poison(add(k, values.integer(buffer.bytes)), options_.poison);
  }
}

void CallMemory::fill_parameter(const plan::Buffer& buffer, MemoryHandle memory,
                                const Arguments& arguments) {
  const tir::Tensor& tensor = function_.tensor(buffer.tensor);
  if (!is_given(tensor)) return device_.poison(memory, options_.poison);
  const Array& array = arguments.arrays.at(tensor.name);
  const Placement& placement = placements_.at(buffer.tensor);
  if (is_plain(array, placement)) return device_.upload(memory, array.bytes);
  device_.upload(memory, pack(array, placement, buffer.part, options_.poison));
}

std::map<std::string, Array> CallMemory::download(const Arguments& arguments) {
  std::map<std::string, Array> results;
  for (std::size_t k = 0; k < plan_.buffers.size(); ++k) {
    const plan::Buffer& buffer = plan_.buffers[k];
    if (buffer.kind != plan::Buffer::Kind::Parameter) continue;
    const tir::Tensor& tensor = function_.tensor(buffer.tensor);
    if (!is_result(tensor)) continue;
    const auto given = arguments.arrays.find(tensor.name);
    Array& array =
        results
            .try_emplace(tensor.name, is_given(tensor)
                                          ? given->second
                                          : Array::zeros(function_.element(buffer.tensor),
                                                         bound_.shapes[buffer.tensor.index()]))
            .first->second;
    const Placement& placement = placements_.at(buffer.tensor);
    if (is_plain(array, placement)) {
      device_.download(handles_[k].value(), array.bytes);
      continue;
    }
    std::vector<std::byte> bytes(
        static_cast<std::size_t>(part_bytes(placement.parts[buffer.part], placement.count)));
    device_.download(handles_[k].value(), bytes);
    unpack(array, placement, buffer.part, bytes);
  }
  return results;
}

}  // namespace cdsl::runtime
