#include "passes/lower/loop_form.h"

#include <algorithm>

#include "dsl/expr/walk.h"
#include "passes/lower/eager.h"
#include "passes/lower/job.h"

namespace cdsl::lowering {
namespace {

constexpr int kBlockThreads = 256;

std::string_view name_of(LoopForm form) {
  switch (form) {
    case LoopForm::Launches: return "launches";
    case LoopForm::Thread: return "thread";
    case LoopForm::Block: return "block";
  }
  return "";
}

bool has_points_to_share(const ExprArena& arena, const tir::Domain& domain) {
  const std::vector<bool> independent = independent_axes(arena, domain);
  return std::find(independent.begin(), independent.end(), true) != independent.end();
}

// Does any statement of the nest have points that threads could share?
bool is_parallel(const ExprArena& arena, const tir::Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(),
                     [&](const tir::Statement& statement) {
                       if (const auto* loop = std::get_if<tir::Loop>(&statement))
                         return is_parallel(arena, *loop->body);
                       if (const auto* stage = std::get_if<tir::Stage>(&statement))
                         return has_points_to_share(arena, stage->domain);
                       return has_points_to_share(arena, std::get<tir::Scatter>(statement).domain);
                     });
}

bool has_loop(const tir::Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(),
                     [](const tir::Statement& s) { return std::holds_alternative<tir::Loop>(s); });
}

bool host_evaluates(const ExprArena& arena, const tir::Loop& loop) {
  return !touches_memory(arena, loop.lo) && !touches_memory(arena, loop.hi);
}

LoopChoice block_form(const ExprArena& arena, const tir::Loop& loop, std::string reason) {
  LoopChoice choice;
  choice.form = LoopForm::Block;
  choice.threads = is_parallel(arena, *loop.body) ? kBlockThreads : 1;
  choice.reason = std::move(reason);
  return choice;
}

}  // namespace

LoopChoice choose_loop_form(const tir::Function& function, const ExprArena& arena,
                            const tir::Loop& loop, const Schedule& schedule) {
  const auto axes = thread_axes(function, arena, loop);
  const bool on_host = host_evaluates(arena, loop);
  std::string refused;
  const auto wish = schedule.loops.find("loop." + arena.symbol(loop.index).name);
  if (wish != schedule.loops.end()) {
    const bool possible = wish->second == LoopForm::Block ||
                          (wish->second == LoopForm::Thread ? axes.has_value() : on_host);
    const std::string reason = "asked for by the schedule";
    if (possible && wish->second == LoopForm::Block) return block_form(arena, loop, reason);
    if (possible) return {wish->second, 1, axes.value_or(std::vector<Axis>{}), reason, {}};
    refused = std::string(name_of(wish->second)) + " is impossible: " +
              (on_host ? "threads would need each other's elements"
                       : "the range of the loop is read from memory");
  }

  LoopChoice choice;
  if (!on_host) {
    choice = block_form(arena, loop, "the range of the loop is read from memory");
  } else if (!is_parallel(arena, *loop.body)) {
    choice = block_form(arena, loop, "each step has one point only, and waits for the step before");
  } else if (loop.kind == tir::Loop::Kind::Along && axes) {
    choice = {LoopForm::Thread, 1, *axes, "each thread needs only what it wrote itself", {}};
  } else if (loop.kind == tir::Loop::Kind::Along && has_loop(*loop.body)) {
    choice = block_form(arena, loop,
                        "threads need each other's elements at every step of the inner loops");
  } else {
    choice.reason = "every step has points for many threads, which need each other's elements";
  }
  choice.refused = std::move(refused);
  return choice;
}

}  // namespace cdsl::lowering
