#include "api/jit/signature.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "api/jit/failure.h"
#include "dsl/types/arithmetic.h"
#include "passes/decide/layout_choice.h"

namespace cdsl::jit {
namespace {

cdsl_role role_of(tir::Role role) {
  switch (role) {
    case tir::Role::InOut: return CDSL_INOUT;
    case tir::Role::Output: return CDSL_OUTPUT;
    default: return CDSL_INPUT;
  }
}

std::string_view name_of_type(cdsl_type type) {
  if (type == CDSL_RECORD) return "a record";
  return type >= CDSL_BOOL && type < CDSL_RECORD ? name_of(static_cast<ScalarType>(type)) : "that is none of cdsl_type";
}

/// Strides of a dense tensor in its declared order.
std::vector<int64_t> dense_strides(const tir::Tensor& tensor, std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (std::size_t step = 0; step < extents.size(); ++step) {
    const std::size_t axis = tensor.order == tir::Order::ColMajor ? step : extents.size() - 1 - step;
    strides[axis] = stride;
    stride *= std::max<int64_t>(extents[axis], 1);
  }
  return strides;
}

}  // namespace

Signature::Signature(const tir::Function& function) : function_(function) {
  for (const tir::Size& size : function.sizes) {
    if (!size.is_parameter) continue;
    ParameterInfo info;
    info.name = function.arena.symbol(size.symbol).name;
    info.role = CDSL_SIZE;
    info.element_bytes = 8;
    parameters_.push_back(std::move(info));
  }
  for (const tir::Parameter& parameter : function.parameters) {
    ParameterInfo info;
    if (const auto* index = std::get_if<uint32_t>(&parameter.what)) {
      const tir::ScalarParameter& scalar = function.scalars[*index];
      info.name = function.arena.symbol(scalar.symbol).name;
      info.scalar = *index;
      info.type = scalar.declared;
      info.element_bytes = static_cast<std::size_t>(size_of(scalar.declared));
    } else {
      info.tensor = std::get<TensorId>(parameter.what);
      const tir::Tensor& tensor = function.tensor(info.tensor);
      const RecordType& element = function.element(info.tensor);
      info.name = tensor.name;
      info.role = role_of(tensor.role);
      info.is_record = !element.is_scalar();
      info.type = element.leaves.empty() ? ScalarType::U8 : element.leaves[0].type;
      info.rank = tensor.shape.size();
      info.first_buffer = buffer_count_;
      info.parts = runtime::place(tensor, element, std::vector<int64_t>(info.rank, 1)).parts;
      info.layout = info.is_record ? deciding::spelled(element, tensor.layout) : "";
      info.element_bytes = static_cast<std::size_t>(element.size);
      buffer_count_ += info.parts.size();
    }
    parameters_.push_back(std::move(info));
  }
  for (const ParameterInfo& info : parameters_) {
    shape_at_.push_back(shape_length_);
    if (info.role == CDSL_SIZE) shape_length_ += 1;
    if (info.is_tensor()) shape_length_ += info.rank * 2;
  }
}

void Signature::refuse(const std::string& message) const {
  throw JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("{}: {}", function_.name, message), function_.name);
}

CallArguments Signature::read(std::span<const cdsl_argument> given) const {
  if (given.size() != parameters_.size())
    refuse(fmt::format("takes {} arguments, the call gives {}", parameters_.size(), given.size()));
  CallArguments call;
  call.shape.reserve(shape_length_);
  call.addresses.reserve(buffer_count_);
  call.scalars.resize(function_.scalars.size());
  for (std::size_t k = 0; k < given.size(); ++k) {
    const ParameterInfo& parameter = parameters_[k];
    if (parameter.is_tensor()) {
      read_tensor(parameter, given[k].tensor, call);
    } else if (given[k].tensor != nullptr) {
      refuse(fmt::format("'{}' is a scalar, the argument a tensor", parameter.name));
    } else if (parameter.role == CDSL_SIZE) {
      call.shape.push_back(read_scalar(parameter, given[k]).i);
    } else {
      call.scalars[parameter.scalar] = read_scalar(parameter, given[k]);
    }
  }
  return call;
}

void Signature::read_tensor(const ParameterInfo& parameter, const cdsl_tensor* tensor, CallArguments& call) const {
  if (tensor == nullptr) refuse(fmt::format("'{}' is a tensor, the argument a scalar", parameter.name));
  const cdsl_type wanted = parameter.is_record ? CDSL_RECORD : static_cast<cdsl_type>(parameter.type);
  if (tensor->type != wanted)
    refuse(fmt::format("'{}' has elements of type {}, the argument of type {}", parameter.name, name_of_type(wanted), name_of_type(tensor->type)));
  if (tensor->rank != static_cast<int>(parameter.rank))
    refuse(fmt::format("'{}' has rank {}, the argument has rank {}", parameter.name, parameter.rank, tensor->rank));
  if (tensor->rank > 0 && tensor->extents == nullptr) refuse(fmt::format("the extents of '{}' are null", parameter.name));
  bool is_empty = false;
  for (std::size_t axis = 0; axis < parameter.rank; ++axis) {
    const int64_t extent = tensor->extents[axis];
    if (extent < 0) refuse(fmt::format("axis {} of '{}' has the negative extent {}", axis, parameter.name, extent));
    call.shape.push_back(extent);
    is_empty |= extent == 0;
  }
  read_strides(parameter, *tensor, call);

  auto address = reinterpret_cast<uint64_t>(tensor->data);
  for (std::size_t part = 0; part < parameter.parts.size(); ++part) {
    if (part > 0 && tensor->parts != nullptr) address = reinterpret_cast<uint64_t>(tensor->parts[part - 1]);
    if (part > 0 && tensor->parts == nullptr)
      refuse(fmt::format("'{}' has layout {}, in {} parts; the argument gives one", parameter.name, parameter.layout, parameter.parts.size()));
    const auto alignment = static_cast<uint64_t>(parameter.parts[part].element.alignment);
    if (address % alignment != 0)
      refuse(fmt::format("'{}' is not aligned to the {} bytes of its elements", parameter.name, alignment));
    if (address == 0 && !is_empty) refuse(fmt::format("the data of '{}' is null", parameter.name));
    call.addresses.push_back(address);
  }
}

void Signature::read_strides(const ParameterInfo& parameter, const cdsl_tensor& tensor, CallArguments& call) const {
  const tir::Tensor& declared = function_.tensor(parameter.tensor);
  const std::span extents(call.shape.end() - static_cast<std::ptrdiff_t>(parameter.rank), call.shape.end());
  const std::vector<int64_t> dense = dense_strides(declared, extents);
  const bool is_free = declared.order == tir::Order::Strided;
  const bool is_empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  for (std::size_t axis = 0; axis < parameter.rank && tensor.strides != nullptr && !is_free && !is_empty; ++axis) {
    if (extents[axis] != 1 && tensor.strides[axis] != dense[axis]) {
      refuse(fmt::format("'{}' is dense{}, but the argument has stride {} on axis {}, where {} is needed; declare it `strided`", parameter.name,
                         declared.order == tir::Order::ColMajor ? " and column-major" : "", tensor.strides[axis], axis, dense[axis]));
    }
  }
  for (std::size_t axis = 0; axis < parameter.rank; ++axis)
    call.shape.push_back(is_free && tensor.strides != nullptr ? tensor.strides[axis] : dense[axis]);
}

Value Signature::read_scalar(const ParameterInfo& parameter, const cdsl_argument& given) const {
  const ScalarType type = evaluation_type(parameter.type);
  const bool is_real = is_float(type) || is_complex(type);
  Value value;
  if (given.scalar_type == CDSL_F64) {
    if (!is_real) refuse(fmt::format("'{}' is {}, the argument a floating-point number", parameter.name, name_of(parameter.type)));
    value = Value::of_float(given.scalar.f);
  } else if (given.scalar_type == CDSL_I64 || given.scalar_type == CDSL_BOOL) {
    value = is_real ? Value::of_float(static_cast<double>(given.scalar.i)) : Value::of_int(given.scalar.i);
  } else if (given.scalar_type == CDSL_U64) {
    value = is_real ? Value::of_float(static_cast<double>(given.scalar.u)) : Value::of_int(static_cast<int64_t>(given.scalar.u));
    if (!is_real && parameter.type != ScalarType::U64 && given.scalar.i < 0)
      refuse(fmt::format("{} does not fit '{}', which is {}", given.scalar.u, parameter.name, name_of(parameter.type)));
  } else {
    refuse(fmt::format("the type of the argument for '{}' is none of CDSL_I64, CDSL_U64, CDSL_F64, CDSL_BOOL", parameter.name));
  }
  if (is_real) return round_to(value, parameter.type);
  const bool fits = parameter.type == ScalarType::Bool   ? value.i == 0 || value.i == 1
                    : parameter.type == ScalarType::U64  ? given.scalar_type == CDSL_U64 || value.i >= 0
                    : round_to(value, parameter.type).i == value.i;
  if (!fits) refuse(fmt::format("{} does not fit '{}', which is {}", value.i, parameter.name, name_of(parameter.type)));
  return value;
}

std::vector<int64_t> Signature::extents(const CallArguments& call, std::size_t parameter) const {
  const auto first = call.shape.begin() + static_cast<std::ptrdiff_t>(shape_at_[parameter]);
  return {first, first + static_cast<std::ptrdiff_t>(parameters_[parameter].rank)};
}

runtime::Placement Signature::placement(const CallArguments& call, std::size_t parameter) const {
  const ParameterInfo& info = parameters_[parameter];
  const std::vector<int64_t> extents = this->extents(call, parameter);
  const auto first = call.shape.begin() + static_cast<std::ptrdiff_t>(shape_at_[parameter] + info.rank);
  runtime::Placement placement{info.parts, {first, first + static_cast<std::ptrdiff_t>(info.rank)}, 0, 0};
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return placement;
  __int128 before = 0, behind = 0;
  for (std::size_t axis = 0; axis < info.rank; ++axis) {
    const __int128 reach = static_cast<__int128>(placement.strides[axis]) * (extents[axis] - 1);
    (reach < 0 ? before : behind) += reach < 0 ? -reach : reach;
  }
  constexpr __int128 kMost = std::numeric_limits<int64_t>::max();
  if ((before + behind + 1) * static_cast<int64_t>(info.element_bytes) > kMost)
    refuse(fmt::format("the strides of '{}' reach over more than 2^63 - 1 bytes", info.name));
  placement.origin = static_cast<int64_t>(before);
  placement.count = static_cast<int64_t>(before + behind + 1);
  return placement;
}

Arguments Signature::described(const CallArguments& call) const {
  Arguments arguments;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const ParameterInfo& info = parameters_[k];
    if (info.role == CDSL_SIZE)
      arguments.sizes[info.name] = call.shape[shape_at_[k]];
    else if (info.role == CDSL_SCALAR)
      arguments.scalars[info.name] = call.scalars[info.scalar];
    else
      arguments.arrays[info.name] = {function_.element(info.tensor), extents(call, k), {}};
  }
  return arguments;
}

CallArguments Signature::imagine(std::span<const cdsl_size> sizes) const {
  tir::Bindings bindings;
  for (const cdsl_size& given : sizes) {
    const auto found = std::find_if(function_.sizes.begin(), function_.sizes.end(), [&](const tir::Size& size) {
      return given.name != nullptr && function_.arena.symbol(size.symbol).name == given.name;
    });
    if (found == function_.sizes.end()) refuse(fmt::format("has no size '{}'", given.name == nullptr ? "" : given.name));
    if (given.value < 0) refuse(fmt::format("size {} is negative: {}", given.name, given.value));
    bindings[found->symbol] = Value::of_int(given.value);
  }
  for (const tir::Size& size : function_.sizes) {
    if (!bindings.contains(size.symbol) && size.known) bindings[size.symbol] = Value::of_int(*size.known);
    if (!bindings.contains(size.symbol)) refuse(fmt::format("size '{}' is not given", function_.arena.symbol(size.symbol).name));
  }
  CallArguments call;
  call.scalars.resize(function_.scalars.size());
  constexpr uint64_t kApart = uint64_t{1} << 52;   // more than any memory has
  uint64_t address = kApart;
  for (const ParameterInfo& info : parameters_) {
    if (info.role == CDSL_SIZE) {
      for (const tir::Size& size : function_.sizes) {
        if (function_.arena.symbol(size.symbol).name == info.name) call.shape.push_back(bindings.at(size.symbol).i);
      }
      continue;
    }
    if (!info.is_tensor()) continue;
    const tir::Tensor& tensor = function_.tensor(info.tensor);
    std::vector<int64_t> extents;
    for (const ExprId extent : tensor.shape) extents.push_back(tir::evaluate_constant(function_.arena, extent, bindings).i);
    const std::vector<int64_t> strides = dense_strides(tensor, extents);
    call.shape.insert(call.shape.end(), extents.begin(), extents.end());
    call.shape.insert(call.shape.end(), strides.begin(), strides.end());
    for (std::size_t part = 0; part < info.parts.size(); ++part) {
      call.addresses.push_back(address);
      address += kApart;
    }
  }
  return call;
}

}  // namespace cdsl::jit
