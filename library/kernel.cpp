// Kernels, buffers and tensors of the C interface.

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "library/handles.h"
#include "api/jit/failure.h"

namespace cdsl::c {
namespace {

std::span<const cdsl_argument> arguments_of(const cdsl_argument* arguments, std::size_t count) {
  if (count > 0) require(arguments, "the list of arguments");
  return {arguments, count};
}

std::span<const cdsl_size> sizes_of(const cdsl_size* sizes, std::size_t count) {
  if (count > 0) require(sizes, "the list of sizes");
  for (const cdsl_size& size : std::span(sizes, count)) require(size.name, "the name of a size");
  return {sizes, count};
}

std::string function_of(const jit::JitModule& module, const char* wanted) {
  const auto& functions = module.functions();
  const std::string all = fmt::format("{}", fmt::join(functions, ", "));
  if (functions.empty())
    throw jit::JitFailure(CDSL_ERROR_ARGUMENT, "the program has no function that can be compiled: generic ones need their types in the defines, as in \"T=f32\"");
  if (wanted == nullptr) {
    if (functions.size() != 1) throw jit::JitFailure(CDSL_ERROR_ARGUMENT, "which function? The program has " + all);
    return functions[0];
  }
  if (std::find(functions.begin(), functions.end(), wanted) == functions.end())
    throw jit::JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("the program has no function '{}' that can be compiled; it has {}", wanted, all));
  return wanted;
}

/// DLTensor of dlpack.h, whose layout is fixed.
struct DlTensor {
  void* data;
  int32_t device_type, device_id;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

cdsl_type type_of(const DlTensor& tensor) {
  enum Code { Int, UInt, Float, Opaque, BFloat, Complex, Bool, E4M3FN = 10, E5M2 = 12 };
  struct Row {
    int code, bits;
    cdsl_type type;
  };
  constexpr Row kRows[] = {{Int, 8, CDSL_I8},     {Int, 16, CDSL_I16},   {Int, 32, CDSL_I32},      {Int, 64, CDSL_I64},       {UInt, 8, CDSL_U8},
                           {UInt, 16, CDSL_U16},  {UInt, 32, CDSL_U32},  {UInt, 64, CDSL_U64},     {Float, 16, CDSL_F16},     {Float, 32, CDSL_F32},
                           {Float, 64, CDSL_F64}, {BFloat, 16, CDSL_BF16}, {Complex, 64, CDSL_C64}, {Complex, 128, CDSL_C128}, {Bool, 8, CDSL_BOOL},
                           {E4M3FN, 8, CDSL_F8E4M3}, {E5M2, 8, CDSL_F8E5M2}};
  for (const Row& row : kRows) {
    if (row.code == tensor.code && row.bits == tensor.bits && tensor.lanes == 1) return row.type;
  }
  throw jit::JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("DLPack type (code {}, {} bits, {} lanes) is none of the language's", tensor.code, tensor.bits, tensor.lanes));
}

}  // namespace
}  // namespace cdsl::c

using cdsl::c::arguments_of;
using cdsl::c::guarded;
using cdsl::c::require;
using cdsl::c::sizes_of;

extern "C" {

cdsl_status cdsl_module_kernel(cdsl_module* module, const char* function, cdsl_kernel** out) {
  return guarded([&] {
    require(out, "where the kernel goes");
    *out = nullptr;
    require(module, "the module");
    *out = new cdsl_kernel{std::make_shared<cdsl::jit::JitKernel>(module->it, cdsl::c::function_of(*module->it, function))};
  });
}

void cdsl_kernel_destroy(cdsl_kernel* kernel) { delete kernel; }

size_t cdsl_kernel_parameter_count(const cdsl_kernel* kernel) { return kernel == nullptr ? 0 : kernel->it->signature().parameters().size(); }

cdsl_status cdsl_kernel_parameter(const cdsl_kernel* kernel, size_t index, cdsl_parameter* out) {
  return guarded([&] {
    require(kernel, "the kernel");
    require(out, "where the parameter goes");
    const auto& signature = kernel->it->signature();
    if (index >= signature.parameters().size())
      throw cdsl::jit::JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("{} has {} parameters", kernel->it->name(), signature.parameters().size()));
    const cdsl::jit::ParameterInfo& info = signature.parameters()[index];
    const bool is_strided = info.is_tensor() && signature.function().tensor(info.tensor).order == cdsl::tir::Order::Strided;
    *out = {info.name.c_str(), info.role, info.is_record ? CDSL_RECORD : static_cast<cdsl_type>(info.type), info.element_bytes,
            static_cast<int>(info.rank), std::max(static_cast<int>(info.parts.size()), 1), info.layout.c_str(), is_strided};
  });
}

cdsl_status cdsl_kernel_prepare(cdsl_kernel* kernel, const cdsl_size* sizes, size_t count, void* stream) {
  return guarded([&] {
    require(kernel, "the kernel");
    kernel->it->prepare(sizes_of(sizes, count), stream);
  });
}

cdsl_status cdsl_kernel_prepare_for(cdsl_kernel* kernel, const cdsl_argument* arguments, size_t count, void* stream) {
  return guarded([&] {
    require(kernel, "the kernel");
    kernel->it->prepare_for(arguments_of(arguments, count), stream);
  });
}

cdsl_status cdsl_kernel_launch(cdsl_kernel* kernel, const cdsl_argument* arguments, size_t count, void* stream) {
  return guarded([&] {
    require(kernel, "the kernel");
    kernel->it->launch(arguments_of(arguments, count), stream);
  });
}

cdsl_status cdsl_kernel_is_cached(cdsl_kernel* kernel, const cdsl_size* sizes, size_t count, int* out) {
  return guarded([&] {
    require(kernel, "the kernel");
    require(out, "where the answer goes");
    *out = kernel->it->is_cached(sizes_of(sizes, count)) ? 1 : 0;
  });
}

cdsl_status cdsl_kernel_plan(cdsl_kernel* kernel, const cdsl_argument* arguments, size_t count, char** out) {
  return guarded([&] {
    require(kernel, "the kernel");
    require(out, "where the text goes");
    *out = nullptr;
    *out = cdsl::c::copied(kernel->it->plan(arguments_of(arguments, count)));
  });
}

cdsl_status cdsl_kernel_source(cdsl_kernel* kernel, const cdsl_size* sizes, size_t count, char** out) {
  return guarded([&] {
    require(kernel, "the kernel");
    require(out, "where the text goes");
    *out = nullptr;
    *out = cdsl::c::copied(kernel->it->source(sizes_of(sizes, count)));
  });
}

cdsl_status cdsl_buffer_create(cdsl_kernel* kernel, size_t index, const int64_t* extents, int rank, cdsl_buffer** out) {
  return guarded([&] {
    require(out, "where the buffer goes");
    *out = nullptr;
    require(kernel, "the kernel");
    if (rank > 0) require(extents, "the list of extents");
    *out = new cdsl_buffer{std::make_unique<cdsl::jit::JitBuffer>(kernel->it, index, std::vector<int64_t>(extents, extents + std::max(rank, 0)))};
  });
}

void cdsl_buffer_destroy(cdsl_buffer* buffer) { delete buffer; }

const cdsl_tensor* cdsl_buffer_tensor(const cdsl_buffer* buffer) { return buffer == nullptr ? nullptr : &buffer->it->tensor(); }

cdsl_status cdsl_buffer_upload(cdsl_buffer* buffer, const void* host, size_t bytes) {
  return guarded([&] {
    require(buffer, "the buffer");
    if (bytes > 0) require(host, "the host's memory");
    buffer->it->upload(host, bytes);
  });
}

cdsl_status cdsl_buffer_download(const cdsl_buffer* buffer, void* host, size_t bytes) {
  return guarded([&] {
    require(buffer, "the buffer");
    if (bytes > 0) require(host, "the host's memory");
    buffer->it->download(host, bytes);
  });
}

cdsl_status cdsl_buffer_pack(cdsl_buffer* buffer, const void* device, size_t bytes, void* stream) {
  return guarded([&] {
    require(buffer, "the buffer");
    buffer->it->pack(device, bytes, stream);
  });
}

cdsl_status cdsl_buffer_unpack(const cdsl_buffer* buffer, void* device, size_t bytes, void* stream) {
  return guarded([&] {
    require(buffer, "the buffer");
    buffer->it->unpack(device, bytes, stream);
  });
}

cdsl_status cdsl_tensor_from_dlpack(const void* dl_tensor, cdsl_tensor* out) {
  return guarded([&] {
    require(dl_tensor, "the DLPack tensor");
    require(out, "where the tensor goes");
    const auto& tensor = *static_cast<const cdsl::c::DlTensor*>(dl_tensor);
    constexpr int kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13;
    if (tensor.rank < 0 || (tensor.rank > 0 && tensor.shape == nullptr)) throw cdsl::jit::JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("a DLPack tensor of rank {}", tensor.rank));
    if (const int type = tensor.device_type; type != kCpu && type != kCuda && type != kCudaHost && type != kCudaManaged)
      throw cdsl::jit::JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("DLPack device type {} is neither CUDA nor the CPU", type));
    *out = {static_cast<char*>(tensor.data) + tensor.byte_offset, cdsl::c::type_of(tensor), tensor.rank, tensor.shape, tensor.strides, nullptr};
  });
}

}  // extern "C"
