#include "runtime/prepared_call.h"

#include "runtime/pick_variant.h"

namespace cdsl::runtime {
namespace {

/// The symbols that only the argument's view knows: actual extents and strides.
tir::Bindings with_views(const plan::Plan& plan, const tir::Bound& bound, const CallMemory& memory) {
  tir::Bindings bindings = bound.bindings;
  for (const plan::ViewSymbol& view : plan.views) {
    const int64_t value = view.kind == plan::ViewSymbol::Kind::Extent
                              ? bound.shapes[view.tensor.index()][view.axis]
                              : memory.placement(view.tensor).strides[view.axis];
    bindings[view.symbol] = Value::of_int(value);
  }
  return bindings;
}

}  // namespace

PreparedCall::PreparedCall(const tir::Function& function, const plan::Plan& plan, const Arguments& arguments,
                           Device& device, const ExecuteOptions& options)
    : function_(function),
      plan_(plan),
      arguments_(arguments),
      options_(options),
      bound_(tir::bind(function, arguments)) {
  if (!bound_.errors.empty()) return;
  memory_.emplace(function, plan, bound_, device, options_);
  values_.emplace(plan, with_views(plan, bound_, *memory_));
  memory_->allocate(arguments, *values_);
  variant_ = plan.variants.size();
  if (!guards_hold(options_.guards, device, *memory_, *values_)) return;
  variant_ = pick_variant(plan, options_.first_variant, device, *memory_, *values_);
  memory_->allocate_workspace(plan.variants[variant_], *values_);
  target_.emplace(device, *memory_);
  runner_.emplace(*target_, *values_);
}

void PreparedCall::run() {
  runner_->run(plan_.variants[variant_].steps);
}

int64_t PreparedCall::parameter_bytes(tir::Role role) const {
  int64_t bytes = 0;
  for (uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    if (plan_.buffers[k].kind != plan::Buffer::Kind::Parameter) continue;
    const tir::Role its = function_.tensor(plan_.buffers[k].tensor).role;
    if (its == role || its == tir::Role::InOut) bytes += memory_->bytes(k);
  }
  return bytes;
}

}  // namespace cdsl::runtime
