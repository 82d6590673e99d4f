#include "passes/lower/lower.h"

#include <algorithm>
#include <map>
#include <set>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/lower/coverage.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/nest.h"
#include "passes/lower/plan_builder.h"
#include "passes/lower/private_bins.h"

namespace cdsl {
namespace {

using namespace lowering;

class FunctionLowering {
 public:
  FunctionLowering(const tir::Function& function, std::span<const Group> groups,
                   std::span<const PrivateBins> scatters, loop::Program& program, PassContext& context)
      : function_(function), context_(context), memory_(function, program), plan_(memory_) {
    for (const Group& group : groups) {
      for (std::size_t statement : group.statements) grouped_[statement] = &group;
    }
    for (const PrivateBins& bins : scatters) private_[bins.statement] = &bins;
  }

  void run() {
    for (TensorId tensor : read_before_covered(function_, memory_.arena())) {
      Storage& storage = memory_.of(tensor);
      for (uint32_t part = 0; part < storage.parts.size(); ++part)
        plan_.clear(memory_.buffer(storage, part));
    }
    block(function_.body);
  }

 private:
  void block(const tir::Block& statements) {
    for (const tir::Statement& statement : statements.statements) {
      const std::size_t number = next_++;
      const auto grouped = grouped_.find(number);
      if (grouped != grouped_.end()) {
        // A group stands where its last statement stood.
        if (grouped->first == grouped->second->statements.back()) launch(*grouped->second);
        continue;
      }
      if (const auto* stage = std::get_if<tir::Stage>(&statement))
        run(jobs_of(memory_, *stage));
      else if (const auto* scatter = std::get_if<tir::Scatter>(&statement))
        run(jobs_of(memory_, *scatter), private_bins(number));
      else
        loop(std::get<tir::Loop>(statement));
    }
  }

  const PrivateBins* private_bins(std::size_t statement) const {
    const auto found = private_.find(statement);
    return found == private_.end() ? nullptr : found->second;
  }

  void run(const Jobs& jobs, const PrivateBins* bins = nullptr) {
    remark(jobs.site, jobs.choice, bins ? "updates of bins that a block shares" : jobs.reason, jobs.jobs.back().where,
           {{"kernels", static_cast<double>(jobs.jobs.size()), ""}});
    for (const Job& job : jobs.jobs) {
      if (bins != nullptr && job.update)
        launch_private_bins(plan_, memory_, job, *bins);
      else
        launch(job);
    }
  }

  void launch(const Job& job) {
    PlanBuilder::KernelInfo info{job.name, text_of(function_, memory_.arena(), job),
                                 context_.schedule.block_threads, job.where};
    const std::vector<bool> independent = independent_axes(memory_.arena(), job.domain);
    const bool shared =
        !job.serial && std::find(independent.begin(), independent.end(), true) != independent.end();
    if (!shared) info.threads = 1;
    const plan::Grid grid =
        shared ? plan::Grid{shared_points(function_, memory_.arena(), job.domain), {}} : plan_.one_block();
    plan_.launch(info, grid, [&](Lowerer& lowerer) {
      emit_job(lowerer, job, shared ? Spread::Grid : Spread::Serial);
    });
  }

  // No store has a point, whatever the other ranges are.
  bool is_empty(const Group& group) const {
    const ExprArena& arena = function_.arena;
    return std::any_of(group.axes.begin(), group.axes.end(), [&](const GroupAxis& axis) {
      const auto lo = constant_integer(arena, axis.lo), hi = constant_integer(arena, axis.hi);
      return lo && hi && *hi <= *lo && std::all_of(group.stores.begin(), group.stores.end(), [&](const tir::Target& store) {
        const auto& s = store.subscripts;
        return std::any_of(s.begin(), s.end(), [&](ExprId subscript) {
          const auto* symbol = arena.get_if<Symbol>(subscript);
          return symbol != nullptr && symbol->symbol == axis.index;
        });
      });
    });
  }

  void launch(const Group& group) {
    if (is_empty(group)) return;
    const PlanBuilder::KernelInfo info{group.name, group_text(group), group.warps * 32, group.where};
    const ExprId blocks = blocks_of(memory_.arena(), group);
    const plan::Grid grid = group.persistent ? plan::Grid{{}, {}, blocks} : plan::Grid{{}, blocks};
    if (group.parts) return launch_parts(group, info, grid);
    if (group.rounds) return launch_rounds(group, info, blocks);
    uint32_t counter = kNoBuffer;
    if (group.shares > 1) {
      counter = memory_.add_workspace(group.name + "_ended", scalar_record(ScalarType::I32),
                                      index_floordiv(memory_.arena(), blocks, memory_.arena().integer(group.shares)));
      plan_.clear(counter);
    }
    plan_.launch(info, grid, [&](Lowerer& lowerer) { GroupLowering(lowerer, group, counter).run(); });
  }

  // Totals of tiles, what stands before each, then the group itself.
  void launch_parts(const Group& group, const PlanBuilder::KernelInfo& info, const plan::Grid& grid) {
    const Parts parts = add_parts(memory_, group);
    PlanBuilder::KernelInfo totals = info, before = info;
    totals.name += "_totals";
    totals.note = "totals of the tiles of " + info.note;
    plan_.launch(totals, grid, [&](Lowerer& lowerer) { GroupLowering(lowerer, group, kNoBuffer, parts).run_totals(); });
    before.name += "_before";
    before.note = "what stands before each tile of " + info.note;
    const plan::Grid rows{{}, blocks_of_parts(memory_.arena(), group)};
    for (std::size_t k = 0; k < parts.size(); ++k)
      plan_.launch(before, rows, [&](Lowerer& lowerer) { sum_up_parts(lowerer, group, parts[k], k); });
    plan_.launch(info, grid, [&](Lowerer& lowerer) { GroupLowering(lowerer, group, kNoBuffer, parts).run(); });
  }

  void launch_rounds(const Group& group, const PlanBuilder::KernelInfo& info, ExprId tiles) {
    const Parts totals = add_parts(memory_, group);
    const uint32_t told = memory_.add_workspace(group.name + "_told", scalar_record(ScalarType::I32), tiles);
    plan_.clear(told);
    const plan::Grid grid{{}, {}, tiles, true};
    plan_.launch(info, grid, [&](Lowerer& lowerer) { GroupLowering(lowerer, group, told, totals).run(); });
  }

  std::string group_text(const Group& group) {
    Job job;
    job.targets = {group.stores.back()};
    job.targets[0].value = with_ranges(memory_.arena(), group, job.targets[0].value);
    return text_of(function_, memory_.arena(), job);
  }

  static std::size_t count(const tir::Block& block) {
    std::size_t statements = block.statements.size();
    for (const tir::Statement& statement : block.statements) {
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) statements += count(*loop->body);
    }
    return statements;
  }

  void loop(const tir::Loop& loop) {
    const LoopChoice choice = choose_loop_form(function_, memory_.arena(), loop, context_.schedule);
    const std::string index = memory_.arena().symbol(loop.index).name;
    remark("loop." + index, choice, loop.where);
    const std::string how = loop.kind == tir::Loop::Kind::Along ? "along" : "repeat";
    PlanBuilder::KernelInfo info{how + "_" + index, how + " " + index, choice.threads, loop.where};
    if (choice.form != LoopForm::Launches) next_ += count(*loop.body);
    switch (choice.form) {
      case LoopForm::Launches: plan_.loop(loop, [&] { block(*loop.body); }); return;
      case LoopForm::Thread: {
        info.threads = context_.schedule.block_threads;
        const plan::Grid grid{
            shared_points(function_, memory_.arena(), tir::Domain{choice.shared, {}}), {}};
        plan_.launch(info, grid,
                     [&](Lowerer& lowerer) { emit_thread_nest(lowerer, loop, choice.shared); });
        return;
      }
      case LoopForm::Block:
        plan_.launch(info, plan_.one_block(),
                     [&](Lowerer& lowerer) { emit_block_nest(lowerer, loop, choice.threads); });
        return;
    }
  }

  void remark(const std::string& site, const LoopChoice& choice, SourceRange where) {
    constexpr std::string_view kForms[] = {"launches", "thread", "block"};
    remark(site, std::string(kForms[static_cast<std::size_t>(choice.form)]), choice.reason, where,
           {{"threads a block",
             static_cast<double>(choice.form == LoopForm::Block ? choice.threads
                                                                : context_.schedule.block_threads),
             ""}});
    if (!choice.refused.empty())
      context_.remarks.back().alternatives.push_back({"as asked for", choice.refused, {}});
  }

  void remark(std::string site, std::string choice, std::string reason, SourceRange where,
              std::vector<Remark::Number> numbers) {
    context_.remarks.push_back({"lower",
                                std::move(site),
                                true,
                                std::move(choice),
                                std::move(reason),
                                std::move(numbers),
                                {},
                                where});
  }

  const tir::Function& function_;
  PassContext& context_;
  Memory memory_;
  PlanBuilder plan_;
  std::map<std::size_t, const Group*> grouped_;
  std::map<std::size_t, const PrivateBins*> private_;  // by scatter
  std::size_t next_ = 0;  // statements are counted in the order of the text
};

}  // namespace

loop::Program lower_groups(const Decided& decided, PassContext& context) {
  const tir::Function& function = decided.function;
  loop::Program program = loop::Program::over(function.arena, function.name);
  FunctionLowering(function, decided.groups, decided.scatters, program, context).run();
  program.plan.arena = program.arena;
  return program;
}

std::vector<plan::Guard> guards_of(const Decided& decided, const plan::Plan& plan) {
  std::vector<plan::Guard> guards;
  std::map<TensorId, int64_t> alignment;
  std::set<uint32_t> seen;
  for (const Group& group : decided.groups) {
    for (TensorId tensor : group.aligned) alignment[tensor] = std::max(alignment[tensor], group.alignment);
    for (ExprId guard : group.guards) {
      if (seen.insert(guard.value).second) guards.push_back(plan::Holds{guard});
    }
  }
  for (const PrivateBins& bins : decided.scatters) {
    for (TensorId tensor : bins.aligned) alignment[tensor] = std::max(alignment[tensor], kVectorBytes);
    if (bins.few.valid() && seen.insert(bins.few.value).second) guards.push_back(plan::Holds{bins.few});
  }
  for (uint32_t k = 0; k < plan.buffers.size(); ++k) {
    const plan::Buffer& buffer = plan.buffers[k];
    const auto found = alignment.find(buffer.tensor);
    if (buffer.kind == plan::Buffer::Kind::Parameter && found != alignment.end()) guards.push_back(plan::Aligned{{k}, found->second});
  }
  return guards;
}

loop::Program lower(const tir::Function& function, PassContext& context) {
  loop::Program program = loop::Program::over(function.arena, function.name);
  FunctionLowering(function, {}, {}, program, context).run();
  program.plan.arena = program.arena;
  return program;
}

}  // namespace cdsl
