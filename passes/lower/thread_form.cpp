// Is a loop nest independent between threads? The rule stands in loop_form.h.
#include <algorithm>
#include <map>

#include "dsl/expr/walk.h"
#include "passes/lower/eager.h"
#include "passes/lower/loop_form.h"

namespace cdsl::lowering {
namespace {

class ThreadForm {
 public:
  ThreadForm(const tir::Function& function, const ExprArena& arena)
      : function_(function), arena_(arena) {}

  std::optional<std::vector<Axis>> run(const tir::Loop& loop) {
    if (!collect(loop) || stages_.empty()) return std::nullopt;
    const std::vector<Axis>& axes = stages_[0]->domain.axes;
    if (axes.empty() || !std::all_of(stages_.begin(), stages_.end(),
                                     [&](const tir::Stage* s) { return same_axes(*s, axes); })) {
      return std::nullopt;
    }
    for (const tir::Stage* stage : stages_) {
      for (const tir::Target& target : stage->targets) {
        if (!place(*stage, target)) return std::nullopt;
      }
    }
    for (const tir::Stage* stage : stages_) {
      if (!reads_own(*stage)) return std::nullopt;
    }
    for (const tir::Loop* inner : loops_) {
      if (reads_written(inner->lo) || reads_written(inner->hi)) return std::nullopt;
    }
    return axes;
  }

 private:
  bool collect(const tir::Loop& loop) {
    if (loop.until.valid()) return false;
    loops_.push_back(&loop);
    for (const tir::Statement& statement : loop.body->statements) {
      if (const auto* inner = std::get_if<tir::Loop>(&statement)) {
        if (!collect(*inner)) return false;
      } else if (const auto* stage = std::get_if<tir::Stage>(&statement)) {
        stages_.push_back(stage);
      } else {
        return false;
      }
    }
    return true;
  }

  bool same_axes(const tir::Stage& stage, const std::vector<Axis>& axes) const {
    const auto is_outer = [&](ExprId end) {
      if (touches_memory(arena_, end)) return false;
      const auto symbols = free_symbols(arena_, end);
      return std::none_of(symbols.begin(), symbols.end(), [&](SymbolId s) {
        const auto in_loop = [&](const tir::Loop* l) { return l->index == s; };
        const auto in_axes = [&](const Axis& a) { return a.index == s; };
        return std::any_of(loops_.begin(), loops_.end(), in_loop) ||
               std::any_of(axes.begin(), axes.end(), in_axes);
      });
    };
    const auto same = [&](const Axis& a, const Axis& b) {
      return a.lo == b.lo && a.hi == b.hi && is_outer(a.lo) && is_outer(a.hi);
    };
    return std::equal(stage.domain.axes.begin(), stage.domain.axes.end(), axes.begin(), axes.end(),
                      same);
  }

  bool is_index(ExprId subscript, SymbolId index) const {
    const auto* symbol = arena_.get_if<Symbol>(subscript);
    return symbol != nullptr && symbol->symbol == index;
  }

  // The first target decides where the axes stand in its tensor; later ones must agree.
  bool place(const tir::Stage& stage, const tir::Target& target) {
    auto [found, is_new] = positions_.try_emplace(target.tensor);
    for (std::size_t k = 0; k < stage.domain.axes.size(); ++k) {
      const SymbolId index = stage.domain.axes[k].index;
      if (is_new) {
        const auto at = std::find_if(target.subscripts.begin(), target.subscripts.end(),
                                     [&](ExprId s) { return is_index(s, index); });
        if (at == target.subscripts.end()) return false;
        found->second.push_back(static_cast<std::size_t>(at - target.subscripts.begin()));
      } else if (found->second[k] >= target.subscripts.size() ||
                 !is_index(target.subscripts[found->second[k]], index)) {
        return false;
      }
    }
    // A position in an array leaf means another thing for another leaf.
    const std::size_t rank = function_.tensor(target.tensor).shape.size();
    return std::all_of(found->second.begin(), found->second.end(),
                       [&](std::size_t at) { return at < rank; });
  }

  bool reads_own(const tir::Stage& stage) const {
    std::vector<ExprId> roots{};
    if (stage.domain.guard.valid()) roots.push_back(stage.domain.guard);
    for (const tir::Target& target : stage.targets) {
      roots.push_back(target.value);
      roots.insert(roots.end(), target.subscripts.begin(), target.subscripts.end());
    }
    for (ExprId id : postorder(arena_, roots)) {
      const auto* read = arena_.get_if<Read>(id);
      if (read == nullptr) continue;
      const auto found = positions_.find(read->tensor);
      if (found == positions_.end()) continue;
      for (std::size_t k = 0; k < found->second.size(); ++k) {
        if (!is_own(id, found->second[k], stage.domain.axes[k])) return false;
      }
    }
    return true;
  }

  bool is_own(ExprId read, std::size_t position, const Axis& axis) const {
    const AxisRule& rule = arena_.rules(read)[position];
    if (rule.holes.valid() || !is_index(arena_.args(read)[position], axis.index)) return false;
    switch (rule.boundary) {
      case Boundary::None:
      case Boundary::Unchecked:
      case Boundary::Zero:
      case Boundary::Fill: return true;
      default: break;
    }
    const Value* lo = arena_.constant_value(axis.lo);
    const TensorId tensor = arena_.get_if<Read>(read)->tensor;
    return lo != nullptr && lo->i >= 0 && axis.hi == function_.tensor(tensor).shape[position];
  }

  bool reads_written(ExprId root) const {
    const auto order = postorder(arena_, std::span(&root, 1));
    return std::any_of(order.begin(), order.end(), [&](ExprId id) {
      const auto* read = arena_.get_if<Read>(id);
      return read != nullptr && positions_.contains(read->tensor);
    });
  }

  const tir::Function& function_;
  const ExprArena& arena_;
  std::vector<const tir::Stage*> stages_;
  std::vector<const tir::Loop*> loops_;
  std::map<TensorId, std::vector<std::size_t>>
      positions_;  // of each shared axis in a written tensor
};

}  // namespace

std::optional<std::vector<Axis>> thread_axes(const tir::Function& function, const ExprArena& arena,
                                             const tir::Loop& loop) {
  return ThreadForm(function, arena).run(loop);
}

}  // namespace cdsl::lowering
