#include "api/index_uses.h"

#include <unordered_set>

#include "dsl/expr/walk.h"

namespace cdsl {
namespace {

class UseFinder {
 public:
  explicit UseFinder(const tir::Function& function) : function_(function), arena_(function.arena) {}

  std::map<IndexSource, IndexUse> run() {
    visit(function_.body);
    // Bounds come last: they need to know what the bounded index subscripts.
    for (const Axis& axis : axes_) {
      for (ExprId bound : {axis.lo, axis.hi}) {
        for (const IndexSource& source : sources_in(bound)) {
          IndexUse& use = uses_[source];
          use.is_bound = true;
          if (const auto found = extents_of_.find(axis.index); found != extents_of_.end()) {
            use.extents.insert(use.extents.end(), found->second.begin(), found->second.end());
          }
        }
      }
    }
    return std::move(uses_);
  }

 private:
  void visit(const tir::Block& block) {
    for (const tir::Statement& statement : block.statements) {
      std::visit([&](const auto& node) { visit(node); }, statement);
    }
  }
  void visit(const tir::Stage& stage) {
    visit(stage.domain);
    for (const tir::Target& target : stage.targets) visit(target);
  }
  void visit(const tir::Scatter& scatter) {
    visit(scatter.domain);
    visit(scatter.target);
  }
  void visit(const tir::Loop& loop) {
    axes_.push_back({loop.index, loop.lo, loop.hi});
    visit(loop.until);
    visit(*loop.body);
  }
  void visit(const tir::Domain& domain) {
    for (const Axis& axis : domain.axes) visit(axis);
    visit(domain.guard);
  }
  void visit(const Axis& axis) {
    axes_.push_back(axis);
    visit(axis.lo);
    visit(axis.hi);
  }
  void visit(const tir::Target& target) {
    for (std::size_t k = 0; k < target.subscripts.size(); ++k) {
      subscript(target.subscripts[k], extent(target.tensor, k));
      visit(target.subscripts[k]);
    }
    visit(target.value);
  }

  void visit(ExprId root) {
    if (!root.valid() || !seen_.insert(root).second) return;
    for (ExprId id : postorder(arena_, std::span(&root, 1))) {
      if (const auto* read = arena_.get_if<Read>(id)) {
        const auto subscripts = arena_.args(id);
        for (std::size_t k = 0; k < subscripts.size(); ++k)
          subscript(subscripts[k], extent(read->tensor, k));
      } else if (const auto* reduce = arena_.get_if<Reduce>(id)) {
        const auto& axes = arena_.reduction(reduce->reduction).axes;
        axes_.insert(axes_.end(), axes.begin(), axes.end());
      }
    }
  }

  ExprId extent(TensorId tensor, std::size_t axis) const {
    // Axes of array fields have literal extents, which no expression need stand for.
    const auto& shape = function_.tensor(tensor).shape;
    return axis < shape.size() ? shape[axis] : ExprId{};
  }

  void subscript(ExprId id, ExprId extent) {
    if (!extent.valid()) return;
    if (const auto* symbol = arena_.get_if<Symbol>(id))
      extents_of_[symbol->symbol].push_back(extent);
    for (const IndexSource& source : sources_in(id)) uses_[source].extents.push_back(extent);
  }

  // Integer inputs and scalars that an integer expression is made of, not looking inside other
  // subscripts.
  std::vector<IndexSource> sources_in(ExprId root) const {
    std::vector<IndexSource> found;
    std::vector<ExprId> stack{root};
    std::unordered_set<ExprId> seen;
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (!id.valid() || !seen.insert(id).second) continue;
      if (const auto* read = arena_.get_if<Read>(id)) {
        const tir::Tensor& tensor = function_.tensor(read->tensor);
        const bool is_given = tensor.role == tir::Role::Input || tensor.role == tir::Role::InOut;
        if (is_given && !tensor.is_constant && is_integer(arena_.type(id)))
          found.push_back({read->tensor, read->leaf, {}});
      } else if (const auto* symbol = arena_.get_if<Symbol>(id)) {
        const SymbolInfo& info = arena_.symbol(symbol->symbol);
        if (info.kind == SymbolKind::Scalar && is_integer(info.type))
          found.push_back({{}, 0, symbol->symbol});
      } else if (arena_.get_if<Apply>(id) != nullptr) {
        for (ExprId arg : arena_.args(id)) stack.push_back(arg);
      }
    }
    return found;
  }

  const tir::Function& function_;
  const ExprArena& arena_;
  std::map<IndexSource, IndexUse> uses_;
  std::map<SymbolId, std::vector<ExprId>> extents_of_;
  std::vector<Axis> axes_;
  std::unordered_set<ExprId> seen_;
};

}  // namespace

std::map<IndexSource, IndexUse> index_uses(const tir::Function& function) {
  return UseFinder(function).run();
}

}  // namespace cdsl
