#include "passes/lower/plan_builder.h"

#include "dsl/expr/integer.h"

namespace cdsl::lowering {

std::string PlanBuilder::unique(const std::string& name) {
  const int count = ++names_[name];
  return count == 1 ? name : unique(name + "_" + std::to_string(count));
}

void PlanBuilder::launch(const KernelInfo& info, plan::Grid grid,
                         const std::function<void(Lowerer&)>& body) {
  KernelScope kernel(memory_, unique(memory_.function().name + "_" + info.name), counters_);
  kernel.builder().kernel().block[0] = info.threads;
  kernel.builder().kernel().note = info.note;
  kernel.builder().kernel().where = info.where;
  Lowerer lowerer(kernel);
  ExprId running;
  for (uint32_t flag : flags_) {
    const BufferId buffer = kernel.buffer(flag, scalar_record(ScalarType::U8), false);
    const ExprId set = kernel.builder().load(buffer, memory_.arena().integer(0));
    const ExprId clear =
        memory_.arena().apply(Op::Eq, {set, memory_.arena().integer(0, ScalarType::U8)});
    running = logical_and(memory_.arena(), running, clear);
  }
  if (running.valid())
    kernel.builder().if_(running, [&] { body(lowerer); });
  else
    body(lowerer);
  add({kernel.finish(grid, info.where)});
}

void PlanBuilder::loop(const tir::Loop& loop, const std::function<void()>& body) {
  plan::Loop made;
  made.index = loop.index;
  made.lo = loop.lo;
  made.hi = loop.hi;
  made.descending = loop.descending;
  if (loop.until.valid()) {
    const uint32_t flag = memory_.add_flag(memory_.arena().symbol(loop.index).name + "_stop");
    clear(flag);
    made.stop = static_cast<int>(flag);
    flags_.push_back(flag);
  }
  steps_.push_back(&made.steps);
  counters_.push_back(loop.index);
  body();
  if (loop.until.valid()) add_stop_test(loop, flags_.back());
  steps_.pop_back();
  counters_.pop_back();
  if (loop.until.valid()) flags_.pop_back();
  add({std::move(made)});
}

void PlanBuilder::add_stop_test(const tir::Loop& loop, uint32_t flag) {
  const KernelInfo info{memory_.arena().symbol(loop.index).name + "_until",
                        "until, tested after each step", 1, loop.where};
  launch(info, one_block(), [&](Lowerer& lowerer) {
    lowerer.begin(std::span(&loop.until, 1));
    const ExprId stop = lowerer.value(loop.until);
    const BufferId buffer = lowerer.kernel().buffer(flag, scalar_record(ScalarType::U8), true);
    lowerer.builder().store(buffer, lowerer.arena().integer(0),
                            lowerer.arena().cast(stop, ScalarType::U8));
  });
}

}  // namespace cdsl::lowering
