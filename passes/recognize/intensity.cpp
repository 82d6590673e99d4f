#include "passes/recognize/intensity.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "dsl/expr/walk.h"

namespace cdsl::deciding {

double flops_of(const ExprArena& arena, ExprId id) {
  const auto* apply = arena.get_if<Apply>(id);
  if (apply == nullptr || arena.args(id).empty()) return 0;
  const ScalarType type = arena.type(id);
  const OpClass kind = info(apply->op).op_class;
  if ((!is_float(type) && !is_complex(type)) || apply->op == Op::Neg || apply->op == Op::Abs) return 0;
  if (kind != OpClass::Numeric && kind != OpClass::FloatMath && kind != OpClass::FloatInt) return 0;
  if (is_complex(type)) return apply->op == Op::Mul ? 6 : 2;
  return apply->op == Op::Fma ? 2 : 1;
}

namespace {

// Of the nodes under `roots`, not of the reductions among them.
double flops_under(const ExprArena& arena, const std::vector<ExprId>& roots) {
  double flops = 0;
  std::vector<ExprId> open(roots);
  std::unordered_set<ExprId> seen;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!id.valid() || !seen.insert(id).second) continue;
    flops += flops_of(arena, id);
    for (ExprId arg : arena.args(id)) open.push_back(arg);
  }
  return flops;
}

class Work {
 public:
  Work(const Subject& subject, const Patterns& patterns) : subject_(subject), arena_(subject.arena) {
    for (const Axis& axis : subject.axes) points_ *= extents_[axis.index] = subject.extent(axis);
    for (ReductionId id : subject.reductions)
      for (const Axis& axis : arena_.reduction(id).axes) extents_[axis.index] = subject.extent(axis);
    for (const Pattern& pattern : patterns) {
      if (const auto* scan = std::get_if<Scan>(&pattern))
        for (const Scan::Along& along : scan->along) extents_[along.reduced] = 1;
      const auto* slides = std::get_if<SlidingWindow>(&pattern);
      const auto* product = std::get_if<Contraction>(&pattern);
      if (slides != nullptr || product != nullptr)
        for (const Window& window : slides != nullptr ? slides->windows : product->windows)
          if (window.length) extents_[window.along] = static_cast<double>(*window.length);
    }
  }

  double flops() const {
    std::vector<ExprId> values;
    for (const tir::Target& target : subject_.stores) values.push_back(target.value);
    double sum = points_ * flops_under(arena_, values);
    for (ReductionId id : subject_.reductions) {
      const Reduction& reduction = arena_.reduction(id);
      double each = flops_under(arena_, reduction.lifted);
      for (ScalarType type : reduction.types) each += is_float(type) ? 1 : is_complex(type) ? 2 : 0;
      sum += each * times(arena_, reduction);
    }
    return sum;
  }

  // Each element of a tensor once, and no more than there are accesses.
  double bytes() const {
    double most = points_;
    for (ReductionId id : subject_.reductions) most = std::max(most, times(arena_, arena_.reduction(id)));
    std::map<std::pair<TensorId, uint32_t>, double> moved;
    for (std::size_t k = 0; k < subject_.accesses.size(); ++k) {
      const Access& access = subject_.accesses[k];
      const uint32_t leaf = access.is_store() ? subject_.stores[k].leaf : arena_.get_if<Read>(access.read)->leaf;
      double elements = 1;
      for (ExprId extent : subject_.function.tensor(access.tensor).shape)
        elements *= static_cast<double>(std::max<int64_t>(1, subject_.sizes.likely(extent)));
      double& bytes = moved[{access.tensor, leaf}];
      bytes = std::max(bytes, std::min(elements, access.is_store() ? points_ : most) * static_cast<double>(access.bytes));
    }
    double sum = 0;
    for (const auto& [tensor, bytes] : moved) sum += bytes;
    return sum;
  }

 private:
  // Terms of a reduction, for all values of the indices that it hangs on.
  double times(const ExprArena& arena, const Reduction& reduction) const {
    std::unordered_set<SymbolId> indices;
    std::vector<ExprId> roots = reduction.lifted;
    if (reduction.guard.valid()) roots.push_back(reduction.guard);
    for (const Axis& axis : reduction.axes) indices.insert(axis.index), roots.insert(roots.end(), {axis.lo, axis.hi});
    for (ExprId root : roots)
      for (SymbolId symbol : free_symbols(arena, root)) indices.insert(symbol);
    double result = 1;
    for (SymbolId index : indices)
      if (const auto found = extents_.find(index); found != extents_.end()) result *= found->second;
    return result;
  }

  const Subject& subject_;
  const ExprArena& arena_;
  std::unordered_map<SymbolId, double> extents_;
  double points_ = 1;
};

}  // namespace

std::optional<double> flops_per_byte(const Subject& subject, const Patterns& patterns) {
  for (ReductionId id : subject.reductions)
    for (const Axis& axis : subject.arena.reduction(id).axes)
      if (touches_memory(subject.arena, axis.lo) || touches_memory(subject.arena, axis.hi)) return std::nullopt;
  const Work work(subject, patterns);
  const double flops = work.flops(), bytes = work.bytes();
  return flops > 0 && bytes > 0 ? std::optional(flops / bytes) : std::nullopt;
}

}  // namespace cdsl::deciding
