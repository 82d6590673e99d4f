// Which reductions inside another are the same at each of its steps, and safe to evaluate before
// its loops.
#include <algorithm>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "passes/lower/reduction.h"

namespace cdsl::lowering {
namespace {

class Finder {
 public:
  Finder(const ExprArena& arena, const Ranges& ranges, const tir::Function& function,
         const std::function<ExprId(SymbolId)>& bound, const std::function<ExprId(ExprId)>& extent)
      : arena_(arena), ranges_(ranges), function_(function), bound_(bound), extent_(extent) {}

  void look_inside(ReductionId id) {
    const Reduction& r = arena_.reduction(id);
    for (const Axis& axis : r.axes) inner_.insert(axis.index.value);
    for (const auto* list : {&r.left, &r.right}) {
      for (SymbolId symbol : *list) inner_.insert(symbol.value);
    }
    std::vector<ExprId> roots = r.lifted;
    if (r.guard.valid()) roots.push_back(r.guard);
    for (const Axis& axis : r.axes) roots.insert(roots.end(), {axis.lo, axis.hi});
    for (ExprId id_inside : eager_nodes(arena_, roots, [](ExprId) { return false; })) {
      const auto* reduce = arena_.get_if<Reduce>(id_inside);
      if (reduce == nullptr || !seen_.insert(reduce->reduction.value).second) continue;
      if (is_invariant(id_inside) && is_safe(reduce->reduction))
        found_.push_back(id_inside);
      else
        look_inside(reduce->reduction);
    }
  }

  std::vector<ExprId> found_;

 private:
  bool is_invariant(ExprId id) const {
    const auto symbols = free_symbols(arena_, id);
    return std::none_of(symbols.begin(), symbols.end(),
                        [&](SymbolId s) { return inner_.contains(s.value); });
  }

  // Every read that surely happens is inside for reasons of its own; no report can come of it.
  bool is_safe(ReductionId id) {
    const Reduction& r = arena_.reduction(id);
    if (r.monoid == Monoid::ArgMin || r.monoid == Monoid::ArgMax || r.guard.valid()) return false;
    std::vector<ExprId> roots = r.lifted;
    for (const Axis& axis : r.axes) roots.insert(roots.end(), {axis.lo, axis.hi});
    for (ExprId node : eager_nodes(arena_, roots, [](ExprId) { return false; })) {
      if (const auto* inner = arena_.get_if<Reduce>(node);
          inner != nullptr && !is_safe(inner->reduction))
        return false;
      if (arena_.get_if<Read>(node) != nullptr && !is_inside(node, r)) return false;
    }
    return true;
  }

  // A subscript is a constant or an index whose whole range lies in the axis, or has a mode that
  // folds it.
  bool is_inside(ExprId read, const Reduction& r) const {
    const TensorId tensor = arena_.get_if<Read>(read)->tensor;
    const auto& shape = function_.tensor(tensor).shape;
    const auto rules = arena_.rules(read);
    const auto args = arena_.args(read);
    for (std::size_t axis = 0; axis < args.size(); ++axis) {
      if (rules[axis].boundary != Boundary::None || rules[axis].holes.valid()) continue;
      if (axis >= shape.size() || !covers(args[axis], shape[axis], r)) return false;
    }
    return true;
  }

  bool covers(ExprId subscript, ExprId extent, const Reduction& r) const {
    const auto* symbol = arena_.get_if<Symbol>(subscript);
    if (symbol == nullptr) return false;
    for (const Axis& axis : r.axes) {
      if (axis.index != symbol->symbol) continue;
      const Value* lo = arena_.constant_value(axis.lo);
      return lo != nullptr && lo->i >= 0 && axis.hi == extent;
    }
    const ExprId value = bound_(symbol->symbol);
    return value.valid() && ranges_.inside(value, extent_(extent));
  }

  const ExprArena& arena_;
  const Ranges& ranges_;
  const tir::Function& function_;
  const std::function<ExprId(SymbolId)>& bound_;
  const std::function<ExprId(ExprId)>& extent_;
  std::unordered_set<uint32_t> inner_, seen_;
};

}  // namespace

std::vector<ExprId> invariant_reductions(const ExprArena& arena, const Ranges& ranges,
                                         const tir::Function& function,
                                         const std::function<ExprId(SymbolId)>& bound,
                                         const std::function<ExprId(ExprId)>& extent,
                                         ReductionId id) {
  Finder finder(arena, ranges, function, bound, extent);
  finder.look_inside(id);
  return std::move(finder.found_);
}

}  // namespace cdsl::lowering
