#include "api/jit/simulated.h"

#include <cstring>

#include <fmt/format.h>

#include "api/jit/failure.h"
#include "runtime/executor.h"
#include "runtime/sim_device.h"

namespace cdsl::jit {
namespace {

struct Part {
  std::byte* memory;
  std::size_t bytes;
};

Part part_of(const ParameterInfo& parameter, const runtime::Placement& placement, std::size_t part, const CallArguments& call) {
  const LayoutPart& layout = placement.parts[part];
  auto* base = reinterpret_cast<std::byte*>(call.addresses[parameter.first_buffer + part]);
  const auto bytes = static_cast<std::size_t>(part_bytes(layout, placement.count));
  return {bytes == 0 ? base : base - part_bytes(layout, placement.origin), bytes};
}

/// The elements that the call's memory holds.
Array gather(const Signature& signature, std::size_t index, const CallShape& shape, const CallArguments& call) {
  const ParameterInfo& parameter = signature.parameters()[index];
  Array array = Array::zeros(signature.function().element(parameter.tensor), signature.extents(call, index));
  const runtime::Placement& placement = shape.placement(index);
  for (std::size_t part = 0; part < placement.parts.size(); ++part) {
    const Part its = part_of(parameter, placement, part, call);
    runtime::unpack(array, placement, static_cast<uint32_t>(part), {its.memory, its.bytes});
  }
  return array;
}

void scatter(const Signature& signature, std::size_t index, const CallShape& shape, const CallArguments& call, const Array& array) {
  const runtime::Placement& placement = shape.placement(index);
  for (std::size_t part = 0; part < placement.parts.size(); ++part) {
    const Part its = part_of(signature.parameters()[index], placement, part, call);
    const std::vector<std::byte> bytes = runtime::pack(array, placement, static_cast<uint32_t>(part), std::byte{0});
    if (its.bytes > 0) std::memcpy(its.memory, bytes.data(), its.bytes);
  }
}

}  // namespace

void simulate(JitModule& module, CallShape& shape, const CallArguments& call) {
  shape.variant_for(call.addresses);           // for what it refuses
  const Specialization& specialization = shape.specialization();
  const Signature& signature = specialization.signature();
  const Compiled& unit = specialization.unit();
  Arguments arguments = signature.described(call);
  for (std::size_t k = 0; k < signature.parameters().size(); ++k) {
    const ParameterInfo& parameter = signature.parameters()[k];
    if (parameter.role == CDSL_INPUT || parameter.role == CDSL_INOUT)
      arguments.arrays[parameter.name] = gather(signature, k, shape, call);
    else if (parameter.role == CDSL_OUTPUT)
      arguments.arrays.erase(parameter.name);
  }
  runtime::SimDevice device(unit.program);
  const auto done = runtime::execute(unit.function, unit.program.plan, unit.program.sites, arguments, device);
  for (const runtime::Fault& fault : done.faults)
    throw JitFailure(CDSL_ERROR_DEVICE_FAULT, fmt::format("simulator: {}: {}", fault.kind, fault.message), fault.kernel);
  for (const runtime::Report& report : done.reports) {
    const auto [path, line] = module.source()->locate(report.where);
    module.runtime().keep(fmt::format("{}:{}: kernel '{}': {}{}", path, line, report.kernel, report.message,
                                      report.count > 1 ? fmt::format(" ({} times)", report.count) : ""));
  }
  for (std::size_t k = 0; k < signature.parameters().size(); ++k) {
    const ParameterInfo& parameter = signature.parameters()[k];
    if (parameter.role == CDSL_INOUT || parameter.role == CDSL_OUTPUT) scatter(signature, k, shape, call, done.outputs.at(parameter.name));
  }
}

}  // namespace cdsl::jit
