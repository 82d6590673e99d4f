#include "dsl/plan/variants.h"

#include "dsl/expr/integer.h"

namespace cdsl::plan {
namespace {

class Uses {
 public:
  explicit Uses(std::vector<bool>& used) : used_(used) {}

  void operator()(const std::vector<Step>& steps) {
    for (const Step& step : steps) std::visit([this](const auto& what) { note(what); }, step.what);
  }

 private:
  void note(BufferRef ref) { used_[ref.buffer] = true; }
  void note(const Launch& launch) {
    for (const Argument& argument : launch.arguments) {
      if (const auto* ref = std::get_if<BufferRef>(&argument.value)) note(*ref);
    }
    for (const BufferRef ref : launch.mapped) note(ref);
  }
  void note(const Fill& fill) { note(fill.buffer); }
  void note(const Copy& copy) { note(copy.to), note(copy.from); }
  void note(const Loop& loop) {
    if (loop.stop >= 0) used_[static_cast<std::size_t>(loop.stop)] = true;
    (*this)(loop.steps);
  }

  std::vector<bool>& used_;
};

bool is_parameter(const Buffer& buffer) {
  return buffer.kind == Buffer::Kind::Parameter;
}

}  // namespace

void for_each_launch(const std::vector<Step>& steps,
                     const std::function<void(const Launch&)>& visit) {
  for (const Step& step : steps) {
    if (const auto* launch = std::get_if<Launch>(&step.what)) visit(*launch);
    if (const auto* loop = std::get_if<Loop>(&step.what)) for_each_launch(loop->steps, visit);
  }
}

std::vector<bool> used_buffers(const Plan& plan, const Variant& variant) {
  std::vector<bool> used(plan.buffers.size());
  Uses{used}(variant.steps);
  return used;
}

bool share_workspace(const Plan& plan) {
  const std::vector<bool> of_general = used_buffers(plan, plan.general());
  for (const Variant& variant : plan.variants) {
    const std::vector<bool> used = used_buffers(plan, variant);
    for (std::size_t b = 0; b < used.size(); ++b) {
      if (plan.buffers[b].kind == Buffer::Kind::Workspace && used[b] != of_general[b]) return false;
    }
  }
  return true;
}

NoAlias no_alias(const Plan& plan, const std::vector<TensorId>& tensors) {
  NoAlias guard;
  for (uint32_t b = 0; b < plan.buffers.size(); ++b) {
    const Buffer& buffer = plan.buffers[b];
    bool named = tensors.empty();
    for (TensorId tensor : tensors) named |= tensor == buffer.tensor;
    if (is_parameter(buffer) && named) guard.buffers.push_back({b});
  }
  return guard;
}

std::vector<Guard> guards_of(const tir::Function& function, const Plan& plan,
                             tir::Fact::Kind kind) {
  std::vector<Guard> guards;
  for (const tir::Fact& fact : function.facts) {
    if (fact.required || fact.kind != kind) continue;
    switch (fact.kind) {
      case tir::Fact::Kind::Condition: guards.push_back(Holds{fact.condition}); break;
      case tir::Fact::Kind::NoAlias: guards.push_back(no_alias(plan, fact.tensors)); break;
      case tir::Fact::Kind::Aligned:
        for (uint32_t b = 0; b < plan.buffers.size(); ++b) {
          const Buffer& buffer = plan.buffers[b];
          if (is_parameter(buffer) && buffer.tensor == fact.tensor && buffer.part == 0)
            guards.push_back(Aligned{{b}, fact.bytes});
        }
        break;
    }
  }
  return guards;
}

std::vector<Guard> guards_of(const tir::Function& function, const Plan& plan) {
  std::vector<Guard> guards;
  for (const auto kind :
       {tir::Fact::Kind::Condition, tir::Fact::Kind::Aligned, tir::Fact::Kind::NoAlias}) {
    for (Guard& guard : guards_of(function, plan, kind)) guards.push_back(std::move(guard));
  }
  return guards;
}

Guard no_larger_than(ExprArena& arena, const std::vector<Buffer>& buffers, int64_t limit) {
  ExprId all;
  for (const Buffer& buffer : buffers) {
    const auto known = constant_integer(arena, buffer.bytes);
    if (buffer.kind == Buffer::Kind::Constant || (known && *known <= limit)) continue;
    all = logical_and(arena, all, arena.apply(Op::Le, {buffer.bytes, arena.integer(limit)}));
  }
  return Holds{all.valid() ? all : arena.boolean(true)};
}

std::vector<Guard> all_aligned(const std::vector<Buffer>& buffers, int64_t bytes) {
  std::vector<Guard> guards;
  for (uint32_t b = 0; b < buffers.size(); ++b) {
    if (is_parameter(buffers[b])) guards.push_back(Aligned{{b}, bytes});
  }
  return guards;
}

}  // namespace cdsl::plan
