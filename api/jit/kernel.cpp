#include "api/jit/kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/jit/describe.h"
#include "api/jit/failure.h"
#include "api/jit/simulated.h"
#include "passes/decide/layout_choice.h"

namespace cdsl::jit {

JitKernel::JitKernel(std::shared_ptr<JitModule> module, std::string function)
    : module_(std::move(module)), name_(std::move(function)), options_(module_->options()) {
  reference_ = module_->analyze(name_, options_);
  fix_layouts();
  signature_.emplace(reference_);
}

// What callers lay out must not hang on the sizes of a call: layouts are chosen for all sizes, then held.
void JitKernel::fix_layouts() {
  std::vector<TensorId> open;
  for (const tir::Parameter& parameter : reference_.parameters) {
    const auto* tensor = std::get_if<TensorId>(&parameter.what);
    if (tensor != nullptr && reference_.tensor(*tensor).layout.kind == Layout::Kind::Auto) open.push_back(*tensor);
  }
  if (open.empty()) return;
  const auto chosen = make({});
  for (const TensorId id : open) {
    tir::Tensor& tensor = reference_.tensor(id);
    tensor.layout = decided(chosen->unit().function.tensor(chosen->unit().function.find_tensor(tensor.name)).layout);
    if (!options_.decide) continue;            // nothing asks: lowering takes the same for granted
    options_.overrides[tensor.name + ".layout"] = deciding::spelled(reference_.element(id), tensor.layout);
  }
  if (module_->has_open_sizes()) specializations_[{}] = chosen;
}

std::shared_ptr<Specialization> JitKernel::make(const Sizes& sizes) const {
  CompileOptions options = options_;
  options.check_defines = false;
  for (const auto& [name, value] : sizes) options.defines.sizes[name] = value;
  return std::make_shared<Specialization>(*module_, name_, std::move(options));
}

JitKernel::Sizes JitKernel::sizes_of(const CallArguments& call) const {
  const tir::Bound bound = tir::bind(reference_, signature_->described(call));
  if (!bound.errors.empty())
    throw JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("{}: {}", name_, bound.errors[0].message), name_);
  Sizes sizes;
  for (const tir::Size& size : reference_.sizes) sizes[reference_.arena.symbol(size.symbol).name] = bound.bindings.at(size.symbol).i;
  return sizes;
}

JitKernel::Sizes JitKernel::sizes_named(std::span<const cdsl_size> given) const {
  signature_->imagine(given);                  // for what it refuses
  Sizes sizes;
  for (const tir::Size& size : reference_.sizes) {
    if (size.known) sizes[reference_.arena.symbol(size.symbol).name] = *size.known;
  }
  for (const cdsl_size& size : given) {
    const auto [found, is_new] = sizes.try_emplace(size.name, size.value);
    if (!is_new && found->second != size.value)
      throw JitFailure(CDSL_ERROR_ARGUMENT, fmt::format("{}: this was compiled for {} = {}, the call has {}", name_, size.name, found->second, size.value), name_);
  }
  return sizes;
}

std::shared_ptr<Specialization> JitKernel::specialization_for(const Sizes& sizes, bool asked_for) {
  const std::lock_guard compiling(compile_mutex_);
  Sizes wanted = module_->has_open_sizes() ? Sizes{} : sizes;
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = specializations_.find(wanted); found != specializations_.end()) return found->second;
    if (!asked_for && specializations_.size() >= kMostSpecializations) wanted = {};
    if (const auto found = specializations_.find(wanted); found != specializations_.end()) return found->second;
  }
  auto made = make(wanted);
  const std::unique_lock lock(mutex_);
  return specializations_[wanted] = std::move(made);
}

JitKernel::Key JitKernel::key_of(const CallArguments& call) const {
  Key key = call.shape;
  for (const uint32_t scalar : shaping_scalars_) key.push_back(call.scalars[scalar].i);
  return key;
}

std::shared_ptr<CallShape> JitKernel::shape_for(const CallArguments& call, bool asked_for) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = shapes_.find(key_of(call)); found != shapes_.end()) {
      found->second->used = ++clock_;
      return found->second->shape;
    }
  }
  return make_shape(call, asked_for);
}

std::shared_ptr<CallShape> JitKernel::make_shape(const CallArguments& call, bool asked_for) {
  auto specialization = specialization_for(sizes_of(call), asked_for);
  auto shape = std::make_shared<CallShape>(specialization, call);
  const std::unique_lock lock(mutex_);
  for (const uint32_t scalar : specialization->shaping_scalars()) {
    if (std::find(shaping_scalars_.begin(), shaping_scalars_.end(), scalar) != shaping_scalars_.end()) continue;
    shaping_scalars_.push_back(scalar);
    shapes_.clear();                           // their keys say too little
  }
  if (shapes_.size() >= kMostShapes) {
    shapes_.erase(std::min_element(shapes_.begin(), shapes_.end(),
                                   [](const auto& a, const auto& b) { return a.second->used < b.second->used; }));
  }
  auto& known = shapes_[key_of(call)];
  if (!known) {
    known = std::make_unique<Known>();
    known->shape = shape;
  }
  known->used = ++clock_;
  return known->shape;
}

// Which call it will be may hang on scalars that nobody knows yet: then kernels are all that can be made ready.
void JitKernel::prepare(std::span<const cdsl_size> sizes, void* stream) {
  const CallArguments call = signature_->imagine(sizes);
  const auto specialization = specialization_for(sizes_named(sizes), true);
  const bool is_simulated = module_->runtime().is_simulated();
  if (specialization->shaping_scalars().empty()) {
    const auto shape = shape_for(call, true);
    if (!is_simulated) shape->prepare(module_->runtime().context(), stream, call);
  } else if (!is_simulated) {
    specialization->loaded(module_->runtime().context());
  }
}

void JitKernel::prepare_for(std::span<const cdsl_argument> arguments, void* stream) {
  const CallArguments call = signature_->read(arguments);
  const auto shape = shape_for(call, true);
  if (!module_->runtime().is_simulated()) shape->prepare(module_->runtime().context(), stream, call);
}

void JitKernel::launch(std::span<const cdsl_argument> arguments, void* stream) {
  const CallArguments call = signature_->read(arguments);
  const auto shape = shape_for(call, false);
  if (module_->runtime().is_simulated()) return simulate(*module_, *shape, call);
  shape->launch(module_->runtime().context(), stream, call);
}

bool JitKernel::is_cached(std::span<const cdsl_size> sizes) {
  Sizes wanted = sizes_named(sizes);
  if (module_->has_open_sizes()) wanted.clear();
  const std::shared_lock lock(mutex_);
  return specializations_.contains(wanted);
}

std::string JitKernel::plan(std::span<const cdsl_argument> arguments) {
  const CallArguments call = signature_->read(arguments);
  const auto shape = shape_for(call, false);
  if (module_->runtime().is_simulated()) return describe_simulated(*shape, call);
  return describe(*shape, shape->planned(module_->runtime().context(), nullptr, call));
}

std::string JitKernel::source(std::span<const cdsl_size> sizes) {
  return specialization_for(sizes_named(sizes), true)->text();
}

}  // namespace cdsl::jit
