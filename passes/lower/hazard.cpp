// Does a stage read old values that its own points overwrite?
#include <algorithm>

#include "dsl/expr/walk.h"
#include "passes/lower/job.h"

namespace cdsl::lowering {
namespace {

class Hazards {
 public:
  Hazards(ExprArena& arena, const tir::Stage& stage)
      : arena_(arena), stage_(stage), ranges_(arena) {
    for (const Axis& axis : stage.domain.axes) push(axis);
  }

  std::vector<TensorId> run() {
    for (const Axis& axis : stage_.domain.axes) {
      look(axis.lo);
      look(axis.hi);
    }
    look(stage_.domain.guard);
    for (const tir::Target& target : stage_.targets) {
      look(target.value);
      for (ExprId subscript : target.subscripts) look(subscript);
    }
    return std::move(found_);
  }

 private:
  void push(const Axis& axis) { ranges_.push(arena_.symbol_ref(axis.index), axis.lo, axis.hi); }

  void look(ExprId root) {
    if (!root.valid()) return;
    const auto order = postorder(arena_, std::span(&root, 1));
    const bool relevant = std::any_of(order.begin(), order.end(), [&](ExprId id) {
      const auto* read = arena_.get_if<Read>(id);
      return read != nullptr && is_written(read->tensor);
    });
    if (!relevant) return;
    for (ExprId id : order) {
      const auto* reduce = arena_.get_if<Reduce>(id);
      if (reduce == nullptr) continue;
      const std::vector<Axis> axes = arena_.reduction(reduce->reduction).axes;
      for (const Axis& axis : axes) push(axis);
    }
    for (ExprId id : order) {
      if (const auto* read = arena_.get_if<Read>(id)) check(*read, id);
    }
    ranges_.shrink(stage_.domain.axes.size());
  }

  bool is_written(TensorId tensor) const {
    return std::any_of(stage_.targets.begin(), stage_.targets.end(),
                       [&](const tir::Target& t) { return t.tensor == tensor; });
  }

  void check(const Read& read, ExprId id) {
    if (std::find(found_.begin(), found_.end(), read.tensor) != found_.end()) return;
    for (const tir::Target& target : stage_.targets) {
      if (target.tensor != read.tensor || target.leaf != read.leaf) continue;
      if (is_written_here(id, target) || beside(id, target)) continue;
      found_.push_back(read.tensor);
      return;
    }
  }

  bool same_element(ExprId id, const tir::Target& target) const {
    const auto args = arena_.args(id);
    const auto rules = arena_.rules(id);
    const bool plain = std::all_of(rules.begin(), rules.end(), [](const AxisRule& rule) {
      return (rule.boundary == Boundary::None || rule.boundary == Boundary::Unchecked) &&
             !rule.holes.valid();
    });
    return plain &&
           std::equal(args.begin(), args.end(), target.subscripts.begin(), target.subscripts.end());
  }

  // Some target of this very point writes the element (of v[0], v[1], v[2], say), so no other point
  // does.
  bool is_written_here(ExprId id, const tir::Target& target) const {
    return std::any_of(stage_.targets.begin(), stage_.targets.end(), [&](const tir::Target& other) {
      return other.tensor == target.tensor && other.leaf == target.leaf && same_element(id, other);
    });
  }

  // On some axis the read lies wholly before or wholly after all that is written.
  bool beside(ExprId id, const tir::Target& target) const {
    const auto args = arena_.args(id);
    const auto rules = arena_.rules(id);
    for (std::size_t axis = 0; axis < args.size(); ++axis) {
      if (rules[axis].boundary != Boundary::None || rules[axis].holes.valid()) continue;
      const ExprId read = args[axis], written = target.subscripts[axis];
      if (arena_.type(read) != ScalarType::I64 || arena_.type(written) != ScalarType::I64) continue;
      if (apart(read, written)) return true;
    }
    return false;
  }

  // Is one surely less than the other, whichever points of the domain they belong to? The written
  // subscript is an index of the domain (its whole range counts) or free of them; the read's own
  // indices range over everything, too.
  bool apart(ExprId read, ExprId written) const {
    ExprId lo = written, hi_exclusive;
    for (const Axis& axis : stage_.domain.axes) {
      const auto* symbol = arena_.get_if<Symbol>(written);
      if (symbol != nullptr && symbol->symbol == axis.index) {
        lo = axis.lo;
        hi_exclusive = axis.hi;
      }
    }
    const auto is_free = [&](ExprId id) {
      const auto symbols = free_symbols(arena_, id);
      return std::none_of(symbols.begin(), symbols.end(), [&](SymbolId s) {
        return std::any_of(stage_.domain.axes.begin(), stage_.domain.axes.end(),
                           [&](const Axis& a) { return a.index == s; });
      });
    };
    if (!is_free(lo) || (hi_exclusive.valid() && !is_free(hi_exclusive))) return false;
    if (ranges_.less(read, lo)) return true;
    return hi_exclusive.valid() ? ranges_.at_most(hi_exclusive, read) : ranges_.less(written, read);
  }

  ExprArena& arena_;
  const tir::Stage& stage_;
  Ranges ranges_;
  std::vector<TensorId> found_;
};

}  // namespace

std::vector<TensorId> overwritten_reads(ExprArena& arena, const tir::Stage& stage) {
  return Hazards(arena, stage).run();
}

}  // namespace cdsl::lowering
