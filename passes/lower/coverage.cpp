#include "passes/lower/coverage.h"

#include <algorithm>

#include "dsl/expr/walk.h"

namespace cdsl::lowering {
namespace {

using Leaves = std::set<std::pair<TensorId, uint32_t>>;

class Coverage {
 public:
  Coverage(const tir::Function& function, const ExprArena& arena)
      : function_(function), arena_(arena) {}

  void walk(const tir::Block& block, Leaves covered) {
    for (const tir::Statement& statement : block.statements) {
      std::visit([&](const auto& s) { step(s, covered); }, statement);
    }
  }

  std::set<TensorId> open_;

 private:
  void step(const tir::Stage& stage, Leaves& covered) {
    read(stage.domain, covered);
    for (const tir::Target& target : stage.targets) read(target, covered);
    for (const tir::Target& target : stage.targets) {
      if (covers(stage.domain, target)) covered.insert({target.tensor, target.leaf});
    }
  }

  void step(const tir::Scatter& scatter, Leaves& covered) {
    read(scatter.domain, covered);
    read(scatter.target, covered);
    use(scatter.target.tensor, scatter.target.leaf, covered);
  }

  void step(const tir::Loop& loop, Leaves& covered) {
    read(loop.lo, covered);
    read(loop.hi, covered);
    walk(*loop.body, covered);
    read(loop.until, covered);
  }

  void read(const tir::Domain& domain, const Leaves& covered) {
    for (const Axis& axis : domain.axes) {
      read(axis.lo, covered);
      read(axis.hi, covered);
    }
    read(domain.guard, covered);
  }

  void read(const tir::Target& target, const Leaves& covered) {
    for (ExprId subscript : target.subscripts) read(subscript, covered);
    read(target.value, covered);
  }

  void read(ExprId root, const Leaves& covered) {
    if (!root.valid()) return;
    for (ExprId id : postorder(arena_, std::span(&root, 1))) {
      if (const auto* node = arena_.get_if<Read>(id)) use(node->tensor, node->leaf, covered);
    }
  }

  void use(TensorId tensor, uint32_t leaf, const Leaves& covered) {
    if (function_.tensor(tensor).role == tir::Role::Temporary && !covered.contains({tensor, leaf}))
      open_.insert(tensor);
  }

  bool covers(const tir::Domain& domain, const tir::Target& target) const {
    if (domain.guard.valid() || target.bounds == Bounds::PerElement) return false;
    const auto& shape = function_.tensor(target.tensor).shape;
    const auto& extents = function_.leaf(target.tensor, target.leaf).extents;
    std::set<SymbolId> used;
    for (std::size_t axis = 0; axis < target.subscripts.size(); ++axis) {
      const auto* symbol = arena_.get_if<Symbol>(target.subscripts[axis]);
      if (symbol == nullptr || !used.insert(symbol->symbol).second) return false;
      const auto found = std::find_if(domain.axes.begin(), domain.axes.end(),
                                      [&](const Axis& a) { return a.index == symbol->symbol; });
      if (found == domain.axes.end()) return false;
      const Value *lo = arena_.constant_value(found->lo), *hi = arena_.constant_value(found->hi);
      if (lo == nullptr || lo->i != 0) return false;
      const bool whole = axis < shape.size()
                             ? found->hi == shape[axis]
                             : hi != nullptr && hi->i == extents[axis - shape.size()];
      if (!whole) return false;
    }
    return true;
  }

  const tir::Function& function_;
  const ExprArena& arena_;
};

}  // namespace

std::set<TensorId> read_before_covered(const tir::Function& function, const ExprArena& arena) {
  Coverage coverage(function, arena);
  coverage.walk(function.body, {});
  return std::move(coverage.open_);
}

}  // namespace cdsl::lowering
