#include "api/jit/describe.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace cdsl::jit {
namespace {

using llvm::json::Array;
using llvm::json::Object;

std::string text_of(Object object) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", llvm::json::Value(std::move(object)));
  return text;
}

std::string utf8(std::string_view text) { return llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size())); }

Object head(const CallShape& shape, std::string_view variant) {
  const Compiled& unit = shape.specialization().unit();
  Object sizes;
  Array why;
  for (const tir::Size& size : unit.function.sizes) {
    if (size.known) sizes[unit.function.arena.symbol(size.symbol).name] = *size.known;
  }
  for (const Remark& remark : unit.remarks) why.push_back(utf8(to_string(remark)));
  return Object{{"function", utf8(unit.function.name)}, {"variant", utf8(variant)}, {"specialized", std::move(sizes)}, {"why", std::move(why)}};
}

}  // namespace

std::string describe(const CallShape& shape, const CallShape::Planned& planned) {
  constexpr int kMultiprocessorThreads = 39;   // CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
  const runtime::CudaContext& context = planned.program->context();
  const int most_threads = runtime::device_attribute(context.api(), kMultiprocessorThreads, context.device());
  Array kernels;
  for (const runtime::CudaCall::Launched& launched : planned.launches) {
    const runtime::CudaKernel& kernel = planned.program->kernel(launched.kernel);
    const double resident = static_cast<double>(kernel.resident) / context.multiprocessors();
    int least_grid = 0, suggested = 0;         // what the driver would take for the most resident threads
    context.api().check(context.api().suggested_block(&least_grid, &suggested, kernel.function, nullptr, kernel.dynamic_bytes, 0),
                        "cuOccupancyMaxPotentialBlockSize", kernel.name);
    kernels.push_back(Object{{"kernel", utf8(kernel.name)},
                             {"grid", launched.blocks},
                             {"block", Array{kernel.block[0], kernel.block[1], kernel.block[2]}},
                             {"driver_suggests_block", suggested},
                             {"cluster", kernel.cluster_blocks()},
                             {"launches", launched.times},
                             {"registers", kernel.registers},
                             {"spilled_bytes", kernel.local_bytes},
                             {"static_shared_bytes", kernel.static_bytes},
                             {"dynamic_shared_bytes", kernel.dynamic_bytes},
                             {"resident_blocks", kernel.resident},
                             {"occupancy", resident * static_cast<double>(kernel.threads()) / most_threads}});
  }
  Object object = head(shape, planned.variant);
  object["device"] = utf8(context.name());
  object["multiprocessors"] = context.multiprocessors();
  object["workspace_bytes"] = static_cast<int64_t>(planned.workspace_bytes);
  object["kernels"] = std::move(kernels);
  return text_of(std::move(object));
}

std::string describe_simulated(const CallShape& shape, const CallArguments& call) {
  const Specialization& specialization = shape.specialization();
  Object object = head(shape, specialization.plan().variants[shape.variant_for(call.addresses)].name);
  Array kernels;
  for (const loop::Kernel& kernel : specialization.unit().program.kernels)
    kernels.push_back(Object{{"kernel", utf8(kernel.name)}, {"block", Array{kernel.block[0], kernel.block[1], kernel.block[2]}}});
  object["device"] = "sim";
  object["kernels"] = std::move(kernels);
  return text_of(std::move(object));
}

}  // namespace cdsl::jit
