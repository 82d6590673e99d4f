#include "passes/lower/job.h"

#include <algorithm>
#include <set>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::lowering {
namespace {

using TensorSet = std::set<TensorId>;

bool reads_any(const ExprArena& arena, ExprId root, const TensorSet& tensors) {
  if (!root.valid()) return false;
  const auto order = postorder(arena, std::span(&root, 1));
  return std::any_of(order.begin(), order.end(), [&](ExprId id) {
    const auto* read = arena.get_if<Read>(id);
    return read != nullptr && tensors.contains(read->tensor);
  });
}

// Does where the statement writes depend on what it writes?
bool place_reads(const ExprArena& arena, const tir::Domain& domain,
                 const std::vector<tir::Target>& targets, const TensorSet& written) {
  const auto reads = [&](ExprId root) { return reads_any(arena, root, written); };
  if (reads(domain.guard)) return true;
  for (const Axis& axis : domain.axes) {
    if (reads(axis.lo) || reads(axis.hi)) return true;
  }
  for (const tir::Target& target : targets) {
    if (std::any_of(target.subscripts.begin(), target.subscripts.end(), reads)) return true;
  }
  return false;
}

std::string name_of_target(const tir::Function& function, const tir::Target& target) {
  return identifier(function.tensor(target.tensor).name);
}

// The same element as `target`, as a read.
ExprId read_of(ExprArena& arena, const tir::Function& function, const tir::Target& target) {
  AxisRule rule;
  rule.bounds = Bounds::Proved;
  if (target.bounds == Bounds::PerElement) rule.boundary = Boundary::Zero;
  const std::vector<AxisRule> rules(target.subscripts.size(), rule);
  return arena.read(target.tensor, target.leaf, function.leaf(target.tensor, target.leaf).type,
                    target.subscripts, rules, target.where);
}

// target = the same element, over the whole tensor.
Job copy_job(Memory& memory, TensorId tensor, uint32_t leaf, const std::string& name,
             const std::string& note, SourceRange where) {
  ExprArena& arena = memory.arena();
  const tir::Function& function = memory.function();
  Job job;
  job.name = name;
  job.note = note;
  job.where = where;
  tir::Target target;
  target.tensor = tensor;
  target.leaf = leaf;
  target.where = where;
  const auto add_axis = [&](ExprId extent) {
    const SymbolId index =
        arena.add_symbol("d" + std::to_string(job.domain.axes.size()), SymbolKind::Index);
    job.domain.axes.push_back({index, arena.integer(0), extent});
    target.subscripts.push_back(arena.symbol_ref(index));
  };
  for (ExprId extent : function.tensor(tensor).shape) add_axis(extent);
  for (int64_t extent : function.leaf(tensor, leaf).extents) add_axis(arena.integer(extent));
  target.value = read_of(arena, function, target);
  job.targets.push_back(target);
  return job;
}

Job stage_job(const Memory& memory, const tir::Stage& stage) {
  Job job;
  job.domain = stage.domain;
  job.targets = stage.targets;
  job.where = stage.where;
  std::set<TensorId> named;
  for (const tir::Target& target : stage.targets) {
    if (named.size() < 2 && named.insert(target.tensor).second)
      job.name += (job.name.empty() ? "" : "_") + name_of_target(memory.function(), target);
  }
  return job;
}

// Axes whose ends hang on other axes run over the whole axis of the tensor that they index, behind
// a test, so that their points can be spread over threads.
void box(const tir::Function& function, ExprArena& arena, Job& job) {
  const std::vector<bool> independent = independent_axes(arena, job.domain);
  for (std::size_t k = 0; k < job.domain.axes.size(); ++k) {
    Axis& axis = job.domain.axes[k];
    if (independent[k] || touches_memory(arena, axis.lo) || touches_memory(arena, axis.hi))
      continue;
    const ExprId index = arena.symbol_ref(axis.index);
    for (const tir::Target& target : job.targets) {
      const auto& shape = function.tensor(target.tensor).shape;
      const auto found = std::find(target.subscripts.begin(), target.subscripts.end(), index);
      const auto position = static_cast<std::size_t>(found - target.subscripts.begin());
      if (target.bounds == Bounds::PerElement || position >= shape.size()) continue;
      const ExprId above = arena.apply(Op::Le, {axis.lo, index}),
                   below = arena.apply(Op::Lt, {index, axis.hi});
      job.domain.guard = logical_and(arena, logical_and(arena, above, below), job.domain.guard);
      axis.lo = arena.integer(0);
      axis.hi = shape[position];
      break;
    }
  }
}

}  // namespace

std::vector<bool> independent_axes(const ExprArena& arena, const tir::Domain& domain) {
  std::vector<bool> result;
  for (const Axis& axis : domain.axes) {
    bool independent = true;
    for (ExprId end : {axis.lo, axis.hi}) {
      if (touches_memory(arena, end)) independent = false;
      for (SymbolId symbol : free_symbols(arena, end)) {
        for (const Axis& other : domain.axes) independent &= other.index != symbol;
      }
    }
    result.push_back(independent);
  }
  return result;
}

bool has_atomic(tir::ScatterOp op, ScalarType type) {
  if (accumulation_type(type) != type) return false;
  return !is_complex(type) || op == tir::ScatterOp::Add;
}

Jobs jobs_of(Memory& memory, const tir::Stage& stage) {
  ExprArena& arena = memory.arena();
  const tir::Function& function = memory.function();
  const std::vector<TensorId> conflicts = overwritten_reads(arena, stage);
  Job main = stage_job(memory, stage);
  TensorSet written;
  for (const tir::Target& target : stage.targets) written.insert(target.tensor);
  if (conflicts.empty()) {
    box(function, arena, main);
    return {{main}, main.name, "direct", "no point reads an element that another point overwrites"};
  }

  if (!place_reads(arena, stage.domain, stage.targets, written)) {
    Job back = main;
    back.name += "_copy";
    back.note = main.name + ": the new values take the place of the old";
    back.silent = true;
    back.targets.clear();
    for (const tir::Target& target : stage.targets) {
      if (std::find(conflicts.begin(), conflicts.end(), target.tensor) == conflicts.end()) continue;
      main.writes[target.tensor] = back.reads[target.tensor] = &memory.shadow(target.tensor, false);
      back.targets.push_back(target);
      back.targets.back().value = read_of(arena, function, target);
    }
    box(function, arena, main);
    box(function, arena, back);
    return {
        {main, back}, main.name, "temporary", "points read elements that other points overwrite"};
  }

  Jobs result{
      {}, main.name, "snapshot", "the domain itself reads elements that the statement overwrites"};
  for (TensorId tensor : written) {
    main.reads[tensor] = &memory.shadow(tensor, false);
    for (uint32_t leaf = 0; leaf < function.element(tensor).leaves.size(); ++leaf) {
      Job keep = copy_job(memory, tensor, leaf, function.tensor(tensor).name + "_keep",
                          "the values that the statement reads", stage.where);
      keep.writes = main.reads;
      result.jobs.push_back(std::move(keep));
    }
  }
  box(function, arena, main);
  result.jobs.push_back(std::move(main));
  return result;
}

Jobs jobs_of(Memory& memory, const tir::Scatter& scatter) {
  ExprArena& arena = memory.arena();
  const tir::Function& function = memory.function();
  const TensorId tensor = scatter.target.tensor;
  const uint32_t leaf = scatter.target.leaf;
  const ScalarType type = function.leaf(tensor, leaf).type;
  Job main;
  main.domain = scatter.domain;
  main.targets = {scatter.target};
  main.update = scatter.op;
  main.where = scatter.where;
  const std::string site = name_of_target(function, scatter.target);
  main.name = site + "_scatter";
  main.serial = scatter.deterministic || (is_complex(type) && !has_atomic(scatter.op, type));

  if (accumulation_type(type) != type) {
    Storage& wide = memory.shadow(tensor, true);
    Job out = copy_job(memory, tensor, leaf, main.name + "_widen", "accumulators of a wider type",
                       scatter.where);
    Job back = copy_job(memory, tensor, leaf, main.name + "_round", "one rounding at the end",
                        scatter.where);
    out.writes[tensor] = main.writes[tensor] = back.reads[tensor] = &wide;
    return {{out, main, back},
            site,
            "widened",
            "updates accumulate in " + std::string(name_of(accumulation_type(type)))};
  }
  const bool reads_old = reads_any(arena, scatter.target.value, {tensor}) ||
                         place_reads(arena, scatter.domain, main.targets, {tensor});
  const std::string how = main.serial ? "serial" : "atomic";
  if (!reads_old)
    return {
        {main}, site, how, main.serial ? "one thread, in order" : "one atomic update a point"};
  main.reads[tensor] = &memory.shadow(tensor, false);
  Jobs result{{}, site, how + " with snapshot", "the value reads the target as it was"};
  for (uint32_t k = 0; k < function.element(tensor).leaves.size(); ++k) {
    Job keep = copy_job(memory, tensor, k, function.tensor(tensor).name + "_keep",
                        "the values that the statement reads", scatter.where);
    keep.writes = main.reads;
    result.jobs.push_back(std::move(keep));
  }
  result.jobs.push_back(std::move(main));
  return result;
}

}  // namespace cdsl::lowering
