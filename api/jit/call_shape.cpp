#include "api/jit/call_shape.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/jit/failure.h"
#include "dsl/support/check.h"

namespace cdsl::jit {

using runtime::CudaCall;
using runtime::CudaContext;
using runtime::CudaPointer;
using runtime::CudaStream;

CallShape::CallShape(std::shared_ptr<Specialization> specialization, const CallArguments& call)
    : specialization_(std::move(specialization)),
      bound_(tir::bind(specialization_->unit().function, specialization_->signature().described(call))) {
  const tir::Function& function = specialization_->unit().function;
  if (!bound_.errors.empty())
    throw JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("{}: {}", function.name, bound_.errors[0].message), function.name);
  place(call);

  const plan::Plan& plan = specialization_->plan();
  bindings_ = bound_.bindings;
  for (const plan::ViewSymbol& view : plan.views) {
    const auto& parameters = specialization_->signature().parameters();
    const auto its = std::find_if(parameters.begin(), parameters.end(), [&](const ParameterInfo& p) { return p.is_tensor() && p.tensor == view.tensor; });
    CDSL_CHECK(its != parameters.end(), "a view of a tensor that is no parameter");
    const int64_t value = view.kind == plan::ViewSymbol::Kind::Extent
                              ? bound_.shapes[view.tensor.index()][view.axis]
                              : placements_[static_cast<std::size_t>(its - parameters.begin())].strides[view.axis];
    bindings_[view.symbol] = Value::of_int(value);
  }

  runtime::PlanValues values(plan, bindings_);
  for (const plan::Buffer& buffer : plan.buffers) {
    std::size_t part = 0;
    if (buffer.kind == plan::Buffer::Kind::Parameter) {
      for (const ParameterInfo& parameter : specialization_->signature().parameters()) {
        if (parameter.is_tensor() && parameter.tensor == buffer.tensor) part = parameter.first_buffer + buffer.part;
      }
      bytes_.push_back(ranges_[part].last - ranges_[part].first);
    } else {
      bytes_.push_back(values.integer(buffer.bytes));
      if (bytes_.back() < 0)
        throw JitFailure(CDSL_ERROR_OUT_OF_MEMORY, fmt::format("{}: '{}' exceeds the address space", function.name, buffer.name), function.name);
    }
    part_of_.push_back(part);
  }
  for (std::size_t k = 0; k < plan.variants.size(); ++k) {
    const auto& guards = plan.variants[k].guards;
    const bool may_run = std::all_of(guards.begin(), guards.end(), [&](const plan::Guard& guard) {
      const auto* condition = std::get_if<plan::Holds>(&guard);
      return condition == nullptr || values(condition->condition).i != 0;
    });
    if (may_run) possible_.push_back(k);
  }
}

void CallShape::place(const CallArguments& call) {
  const Signature& signature = specialization_->signature();
  const tir::Function& function = specialization_->unit().function;
  for (std::size_t k = 0; k < signature.parameters().size(); ++k) {
    const ParameterInfo& parameter = signature.parameters()[k];
    if (!parameter.is_tensor()) {
      placements_.emplace_back();
      continue;
    }
    if (parameter.role == CDSL_OUTPUT && signature.extents(call, k) != bound_.shapes[parameter.tensor.index()]) {
      throw JitFailure(CDSL_ERROR_ARGUMENT,
                       fmt::format("{}: '{}' has extents [{}], where [{}] are needed", function.name, parameter.name,
                                   fmt::join(signature.extents(call, k), ", "), fmt::join(bound_.shapes[parameter.tensor.index()], ", ")),
                       function.name);
    }
    placements_.push_back(signature.placement(call, k));
    const runtime::Placement& placement = placements_.back();
    for (const LayoutPart& part : placement.parts) {
      const int64_t before = part_bytes(part, placement.origin);
      ranges_.push_back({-before, part_bytes(part, placement.count) - before, parameter.role != CDSL_INPUT, parameter.name});
    }
  }
}

bool CallShape::are_apart(std::size_t a, std::size_t b, const std::vector<uint64_t>& addresses) const {
  const Range &x = ranges_[a], &y = ranges_[b];
  if (x.first == x.last || y.first == y.last) return true;
  const auto begin = [&](std::size_t k) { return addresses[k] + static_cast<uint64_t>(ranges_[k].first); };
  const auto end = [&](std::size_t k) { return addresses[k] + static_cast<uint64_t>(ranges_[k].last); };
  return end(a) <= begin(b) || end(b) <= begin(a);
}

void CallShape::check_overlap(const std::vector<uint64_t>& addresses) const {
  for (std::size_t a = 0; a < ranges_.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if ((ranges_[a].is_written || ranges_[b].is_written) && !are_apart(a, b, addresses)) {
        const std::string& function = specialization_->unit().function.name;
        throw JitFailure(CDSL_ERROR_ARGUMENT,
                         fmt::format("{}: '{}' and '{}' overlap in memory, and one of them is written", function, ranges_[b].name, ranges_[a].name),
                         function);
      }
    }
  }
}

bool CallShape::holds(const plan::Guard& guard, const std::vector<uint64_t>& addresses) const {
  if (const auto* aligned = std::get_if<plan::Aligned>(&guard))
    return addresses[part_of_[aligned->buffer.buffer]] % static_cast<uint64_t>(aligned->bytes) == 0;
  if (const auto* apart = std::get_if<plan::NoAlias>(&guard)) {
    for (std::size_t a = 0; a < apart->buffers.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!are_apart(part_of_[apart->buffers[a].buffer], part_of_[apart->buffers[b].buffer], addresses)) return false;
      }
    }
  }
  return true;
}

std::size_t CallShape::variant_for(const std::vector<uint64_t>& addresses) const {
  check_overlap(addresses);
  for (const std::size_t k : possible_) {
    const auto& guards = specialization_->plan().variants[k].guards;
    if (std::all_of(guards.begin(), guards.end(), [&](const plan::Guard& guard) { return holds(guard, addresses); })) return k;
  }
  CDSL_UNREACHABLE("a plan whose last variant has guards");
}

CallShape::Lane& CallShape::lane(const std::shared_ptr<const CudaContext>& context, void* stream) {
  const std::lock_guard lock(mutex_);
  auto& lane = lanes_[{context.get(), stream}];
  if (!lane) {
    auto made = std::make_unique<Lane>();
    made->program = specialization_->loaded(context);
    made->calls.resize(specialization_->plan().variants.size());
    lane = std::move(made);
  }
  return *lane;
}

CudaCall& CallShape::call_in(Lane& lane, std::size_t variant) const {
  auto& call = lane.calls[variant];
  if (!call) call = std::make_unique<CudaCall>(*lane.program, specialization_->plan().variants[variant], bytes_, bindings_);
  return *call;
}

std::vector<CudaPointer> CallShape::by_buffer(const std::vector<uint64_t>& addresses) const {
  std::vector<CudaPointer> out(part_of_.size(), 0);
  if (addresses.empty()) return out;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = addresses[part_of_[k]];
  return out;
}

void CallShape::launch(const std::shared_ptr<const CudaContext>& context, void* stream, const CallArguments& call) {
  const std::size_t variant = variant_for(call.addresses);
  Lane& its = lane(context, stream);
  tir::Bindings scalars;
  const tir::Function& function = specialization_->unit().function;
  for (std::size_t k = 0; k < call.scalars.size(); ++k) scalars[function.scalars[k].symbol] = call.scalars[k];
  const std::vector<CudaPointer> pointers = by_buffer(call.addresses);
  const std::lock_guard lock(its.mutex);
  call_in(its, variant).run(pointers, scalars, static_cast<CudaStream*>(stream));
}

void CallShape::prepare(const std::shared_ptr<const CudaContext>& context, void* stream, const CallArguments& call) {
  const std::size_t variant = variant_for(call.addresses);
  Lane& its = lane(context, stream);
  const std::lock_guard lock(its.mutex);
  call_in(its, variant);
}

CallShape::Planned CallShape::planned(const std::shared_ptr<const CudaContext>& context, void* stream, const CallArguments& call) {
  const std::size_t variant = variant_for(call.addresses);
  Lane& its = lane(context, stream);
  const std::lock_guard lock(its.mutex);
  const CudaCall& planned = call_in(its, variant);
  return {specialization_->plan().variants[variant].name, planned.workspace_bytes(), planned.launches(), its.program};
}

}  // namespace cdsl::jit
