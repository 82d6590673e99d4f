#include "passes/recognize/canonical.h"

#include <algorithm>
#include <unordered_map>

#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

class Renamer {
 public:
  Renamer(ExprArena& arena, Axes& axes) : arena_(arena), axes_(axes) {}

  ExprId run(ExprId root) {
    Rewriter rewrite(arena_, [](ExprId) { return std::nullopt; }, [&](ExprId id) { return renamed(id); });
    return rewrite(root);
  }

 private:
  ExprId renamed(ExprId id) {
    const auto* reduce = arena_.get_if<Reduce>(id);
    if (reduce == nullptr) return id;
    const uint32_t part = reduce->part;
    const ReductionId old = reduce->reduction;
    if (const auto found = done_.find(old); found != done_.end()) return arena_.reduce(found->second, part);
    Reduction reduction = arena_.reduction(old);
    if (reduction.axes.empty()) return id;   // a running one, which differs from others by what the schedule says of it
    auto free = free_symbols(arena_, id);
    // Nor the index of a reduction inside that hangs on this one's.
    std::vector<ExprId> inside = reduction.lifted;
    if (reduction.guard.valid()) inside.push_back(reduction.guard);
    for (const Axis& axis : reduction.axes) inside.insert(inside.end(), {axis.lo, axis.hi});
    for (ExprId inner : postorder(arena_, inside)) {
      const auto* nested = arena_.get_if<Reduce>(inner);
      if (nested == nullptr) continue;
      const auto used = free_symbols(arena_, inner);
      const bool hangs = std::any_of(reduction.axes.begin(), reduction.axes.end(), [&](const Axis& axis) {
        return std::find(used.begin(), used.end(), axis.index) != used.end();
      });
      if (!hangs) continue;
      for (const Axis& axis : arena_.reduction(nested->reduction).axes) free.push_back(axis.index);
    }
    std::unordered_map<SymbolId, ExprId> with;
    std::vector<SymbolId> taken;
    const auto replace = [&](ExprId& e) { if (e.valid() && !with.empty()) e = substitute(arena_, e, with); };
    for (Axis& axis : reduction.axes) {
      replace(axis.lo);   // it may hang on those before it
      replace(axis.hi);
      const SymbolId chosen = index_for(axis, free, taken);
      if (chosen != axis.index) with[axis.index] = arena_.symbol_ref(chosen);
      axis.index = chosen;
      taken.push_back(chosen);
    }
    replace(reduction.guard);
    for (ExprId& lifted : reduction.lifted) replace(lifted);
    ReductionId made = same_as(reduction);
    if (!made.valid()) {
      made = with.empty() ? old : arena_.add_reduction(std::move(reduction));
      all_.push_back(made);
    }
    done_[old] = done_[made] = made;
    return arena_.reduce(made, part);
  }

  SymbolId index_for(const Axis& axis, const std::vector<SymbolId>& free, const std::vector<SymbolId>& taken) {
    for (const Axis& known : axes_.axes) {
      const auto in = [&](const std::vector<SymbolId>& list) { return std::find(list.begin(), list.end(), known.index) != list.end(); };
      if (known.lo != axis.lo || known.hi != axis.hi || in(free) || in(taken)) continue;
      note(known.index);
      return known.index;
    }
    // Two statements may use one index for different ranges.
    Axis made = axis;
    const auto is_taken = [&](const Axis& known) { return known.index == axis.index; };
    if (std::any_of(axes_.axes.begin(), axes_.axes.end(), is_taken))
      made.index = arena_.add_symbol(arena_.symbol(axis.index).name, SymbolKind::Index);
    axes_.axes.push_back(made);
    note(made.index);
    return made.index;
  }

  // What is written out in two places is one reduction.
  ReductionId same_as(const Reduction& reduction) const {
    for (ReductionId id : all_) {
      const Reduction& other = arena_.reduction(id);
      const auto same_axis = [](const Axis& a, const Axis& b) { return a.index == b.index && a.lo == b.lo && a.hi == b.hi; };
      if (other.monoid == reduction.monoid && reduction.monoid != Monoid::User && other.types == reduction.types &&
          other.guard == reduction.guard && other.lifted == reduction.lifted &&
          std::equal(other.axes.begin(), other.axes.end(), reduction.axes.begin(), reduction.axes.end(), same_axis))
        return id;
    }
    return {};
  }

  void note(SymbolId index) {
    if (!axes_.is_reduced(index)) axes_.reduced.push_back(index);
  }

  ExprArena& arena_;
  Axes& axes_;
  std::unordered_map<ReductionId, ReductionId> done_;
  std::vector<ReductionId> all_;
};

}  // namespace

bool Axes::is_reduced(SymbolId index) const { return std::find(reduced.begin(), reduced.end(), index) != reduced.end(); }

Axes canonical(tir::Function& function, const tir::Stage& stage, std::vector<tir::Target>& stores) {
  Axes axes{stage.domain.axes, stage.domain.axes.size(), {}};
  Renamer rename(function.arena, axes);
  for (tir::Target& target : stores) target.value = rename.run(target.value);
  return axes;
}

}  // namespace cdsl::deciding
