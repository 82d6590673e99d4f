#include "runtime/cuda/call.h"

#include <algorithm>
#include <cstring>

#include "dsl/expr/walk.h"
#include "dsl/plan/variants.h"
#include "dsl/types/arithmetic.h"
#include "runtime/step_runner.h"

namespace cdsl::runtime {

/// Steps that are too many to keep, carried out as they come.
class CudaCall::Immediate final : public StepTarget {
 public:
  Immediate(CudaCall& call, CudaStream* stream) : call_(call), stream_(stream) {}

  LaunchShape shape(uint32_t kernel) override { return call_.program_.kernel(kernel).shape(); }
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const override { return call_.program_.maps(kernel); }
  void launch(uint32_t kernel, int64_t blocks, bool resident, std::span<const StepArgument> arguments) override {
    run(RecordedLaunch{kernel, blocks, resident, {arguments.begin(), arguments.end()}});
  }
  void fill(uint32_t buffer, std::span<const std::byte> pattern) override {
    run(RecordedFill{buffer, {pattern.begin(), pattern.end()}});
  }
  void copy(uint32_t to, uint32_t from, int64_t bytes) override { run(RecordedCopy{to, from, bytes}); }

 private:
  void run(const RecordedStep& recorded) {
    Step step = call_.ready(recorded);
    std::visit([&](auto& what) { call_.run(what, stream_); }, step);
  }

  CudaCall& call_;
  CudaStream* stream_;
};

CudaCall::CudaCall(const CudaProgram& program, const plan::Variant& variant, std::vector<int64_t> bytes, tir::Bindings bindings)
    : program_(program),
      plan_(program.program().plan),
      variant_(variant),
      bytes_(std::move(bytes)),
      bindings_(std::move(bindings)),
      addresses_(plan_.buffers.size(), 0) {
  allocate();
  record();
}

void CudaCall::allocate() {
  const std::vector<bool> used = plan::used_buffers(plan_, variant_);
  for (uint32_t k = 0; k < plan_.buffers.size(); ++k) {
    const plan::Buffer& buffer = plan_.buffers[k];
    if (buffer.kind == plan::Buffer::Kind::Parameter || !used[k]) continue;
    const auto bytes = static_cast<std::size_t>(bytes_[k]);
    memory_.emplace_back(program_.context().shared_api(), bytes, "'" + buffer.name + "'");
    addresses_[k] = memory_.back().pointer();
    if (buffer.kind == plan::Buffer::Kind::Workspace) {
      workspace_bytes_ += bytes;
    } else if (bytes > 0) {
      program_.api().check(program_.api().to_device(addresses_[k], buffer.contents.data(), bytes), "cuMemcpyHtoD", buffer.name);
    }
  }
}

void CudaCall::record() {
  PlanValues values(plan_, bindings_);
  StepRecorder recorder(program_);
  try {
    StepRunner(recorder, values).run(variant_.steps);
  } catch (const StepRecorder::TooMany&) {
    return;
  }
  steps_.emplace();
  for (const RecordedStep& step : recorder.take()) steps_->push_back(ready(step));
}

// An index of a loop has its value in the record; scalars that stand beside one have theirs in the bindings.
bool CudaCall::is_open(const StepArgument& argument) const {
  if (argument.kind != StepArgument::Kind::Value)
    return plan_.buffers[argument.buffer].kind == plan::Buffer::Kind::Parameter;
  bool has_scalar = false, has_index = false;
  for (const SymbolId symbol : free_symbols(plan_.arena, argument.expression)) {
    has_scalar |= plan_.arena.symbol(symbol).kind == SymbolKind::Scalar;
    has_index |= plan_.arena.symbol(symbol).kind == SymbolKind::Index;
  }
  return has_scalar && !has_index;
}

void CudaCall::write(Slot& slot, const StepArgument& argument) const {
  switch (argument.kind) {
    case StepArgument::Kind::Buffer:
      std::memcpy(slot.bytes, &addresses_[argument.buffer], sizeof(CudaPointer));
      break;
    case StepArgument::Kind::Map:
      encode_tensor_map(program_.api(), slot.bytes, addresses_[argument.buffer], argument.type, *argument.view);
      break;
    case StepArgument::Kind::Value: store_element(slot.bytes, argument.type, argument.value); break;
  }
}

CudaCall::Step CudaCall::ready(const RecordedStep& step) {
  return std::visit([this](const auto& what) { return ready(what); }, step);
}

CudaCall::Step CudaCall::ready(const RecordedLaunch& step) {
  Launch launch;
  launch.kernel = &program_.kernel(step.kernel);
  launch.index = step.kernel;
  launch.blocks = step.blocks;
  launch.resident = step.resident;
  launch.slots.resize(step.arguments.size() + 1);
  for (std::size_t k = 0; k < step.arguments.size(); ++k) {
    const StepArgument& argument = step.arguments[k];
    if (is_open(argument))
      launch.open.push_back({k, argument});
    else
      write(launch.slots[k], argument);
    launch.parameters.push_back(launch.slots[k].bytes);
  }
  if (launch.kernel->reports) {
    const CudaPointer reports = program_.reports();
    std::memcpy(launch.slots.back().bytes, &reports, sizeof reports);
    launch.parameters.push_back(launch.slots.back().bytes);
  }
  return launch;
}

// The driver repeats a byte, or a word of four where elements have four; any other pattern is copied from an image of the buffer.
CudaCall::Step CudaCall::ready(const RecordedFill& step) {
  Fill fill{step.buffer, 0, 0};
  const auto& pattern = step.pattern;
  const bool uniform = std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern[0]; });
  if (uniform) {
    fill.word = pattern.empty() ? 0 : std::to_integer<unsigned>(pattern[0]) * 0x01010101u;
  } else if (pattern.size() == 4) {
    std::memcpy(&fill.word, pattern.data(), sizeof fill.word);
  } else {
    fill.image = image_of(step);
  }
  return fill;
}

CudaPointer CudaCall::image_of(const RecordedFill& fill) {
  CudaPointer& image = images_[{fill.buffer, fill.pattern}];
  if (image != 0 || bytes_[fill.buffer] == 0) return image;
  std::vector<std::byte> contents(static_cast<std::size_t>(bytes_[fill.buffer]));
  for (std::size_t k = 0; k < contents.size(); ++k) contents[k] = fill.pattern[k % fill.pattern.size()];
  memory_.emplace_back(program_.context().shared_api(), contents.size(), "what fills '" + plan_.buffers[fill.buffer].name + "'");
  image = memory_.back().pointer();
  program_.api().check(program_.api().to_device(image, contents.data(), contents.size()), "cuMemcpyHtoD");
  return image;
}

void CudaCall::run(std::span<const CudaPointer> addresses, const tir::Bindings& scalars, CudaStream* stream) {
  for (std::size_t k = 0; k < addresses_.size(); ++k) {
    if (plan_.buffers[k].kind == plan::Buffer::Kind::Parameter) addresses_[k] = addresses[k];
  }
  for (const auto& [symbol, value] : scalars) bindings_[symbol] = value;
  if (!steps_) {
    PlanValues values(plan_, bindings_);
    Immediate target(*this, stream);
    return StepRunner(target, values).run(variant_.steps);
  }
  for (Step& step : *steps_) std::visit([&](auto& what) { run(what, stream); }, step);
}

void CudaCall::run(Launch& launch, CudaStream* stream) {
  for (Open& open : launch.open) {
    if (open.argument.kind == StepArgument::Kind::Value)
      open.argument.value = tir::evaluate_constant(plan_.arena, open.argument.expression, bindings_);
    write(launch.slots[open.slot], open.argument);
  }
  launch.kernel->launch(program_.api(), launch.blocks, launch.resident, launch.parameters.data(), stream);
}

void CudaCall::run(Fill& fill, CudaStream* stream) {
  const CudaApi& api = program_.api();
  const auto bytes = static_cast<std::size_t>(bytes_[fill.buffer]);
  const CudaPointer to = addresses_[fill.buffer];
  if (bytes == 0) return;
  if (fill.image != 0)
    api.check(api.copy_async(to, fill.image, bytes, stream), "cuMemcpyDtoDAsync");
  else if (bytes % 4 == 0 && to % 4 == 0)
    api.check(api.set_words_async(to, fill.word, bytes / 4, stream), "cuMemsetD32Async");
  else
    api.check(api.set_bytes_async(to, static_cast<unsigned char>(fill.word & 0xff), bytes, stream), "cuMemsetD8Async");
}

void CudaCall::run(RecordedCopy& copy, CudaStream* stream) {
  program_.api().check(program_.api().copy_async(addresses_[copy.to], addresses_[copy.from], static_cast<std::size_t>(copy.bytes), stream),
                       "cuMemcpyDtoDAsync");
}

std::vector<CudaCall::Launched> CudaCall::launches() const {
  std::vector<Launched> found;
  if (!steps_) return found;
  for (const Step& step : *steps_) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const Launched& l) {
      return l.kernel == launch->index && l.blocks == launch->blocks;
    });
    if (same != found.end())
      ++same->times;
    else
      found.push_back({launch->index, launch->blocks, 1});
  }
  return found;
}

}  // namespace cdsl::runtime
