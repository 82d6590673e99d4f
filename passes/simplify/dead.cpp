#include "passes/simplify/dead.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/expr/walk.h"

namespace cdsl::simplification {
namespace {

class Liveness {
 public:
  explicit Liveness(tir::Function& function) : function_(function), arena_(function.arena) {}

  int run() {
    for (std::size_t k = 0; k < function_.tensors.size(); ++k) {
      if (function_.tensors[k].role != tir::Role::Temporary) live_.insert(static_cast<uint32_t>(k));
    }
    for (std::size_t before = 0; before != live_.size();) {
      before = live_.size();
      mark(function_.body);
    }
    sweep(function_.body);
    return removed_;
  }

 private:
  // Remembers the tensors that `root` reads; says whether it may report.
  bool visit(ExprId root, bool needed) {
    if (!root.valid()) return false;
    bool reports = false;
    for (ExprId id : postorder(arena_, std::span(&root, 1))) {
      if (const auto* read = arena_.get_if<Read>(id)) {
        if (needed) live_.insert(read->tensor.value);
        const auto rules = arena_.rules(id);
        reports |= std::any_of(rules.begin(), rules.end(), [](const AxisRule& rule) {
          return rule.boundary == Boundary::None && rule.bounds == Bounds::PerElement;
        });
      } else if (const auto* reduce = arena_.get_if<Reduce>(id)) {
        const Monoid monoid = arena_.reduction(reduce->reduction).monoid;
        reports |= monoid == Monoid::ArgMin || monoid == Monoid::ArgMax;
      }
    }
    return reports;
  }

  bool visit(const tir::Domain& domain, bool needed) {
    bool reports = visit(domain.guard, needed);
    for (const Axis& axis : domain.axes) {
      reports |= visit(axis.lo, needed);
      reports |= visit(axis.hi, needed);
    }
    return reports;
  }

  bool visit(const tir::Target& target, bool needed) {
    bool reports = visit(target.value, needed) || target.bounds == Bounds::PerElement;
    for (ExprId subscript : target.subscripts) reports |= visit(subscript, needed);
    return reports;
  }

  bool is_live(const tir::Target& target) {
    return live_.contains(target.tensor.value) || visit(target, false);
  }

  bool is_live(const tir::Stage& stage) {
    return visit(stage.domain, false) ||
           std::any_of(stage.targets.begin(), stage.targets.end(),
                       [&](const tir::Target& t) { return is_live(t); });
  }
  bool is_live(const tir::Scatter& scatter) {
    return visit(scatter.domain, false) || is_live(scatter.target);
  }
  bool is_live(const tir::Loop& loop) {
    const auto& statements = loop.body->statements;
    return std::any_of(statements.begin(), statements.end(), [&](const tir::Statement& s) {
      return std::visit([&](const auto& inner) { return is_live(inner); }, s);
    });
  }

  // Last statement first, so that one sweep is enough but for loops.
  void mark(const tir::Block& block) {
    for (auto statement = block.statements.rbegin(); statement != block.statements.rend();
         ++statement) {
      std::visit(
          [&](const auto& s) {
            if (is_live(s)) mark(s);
          },
          *statement);
    }
  }

  void mark(const tir::Stage& stage) {
    visit(stage.domain, true);
    for (const tir::Target& target : stage.targets) {
      if (is_live(target)) visit(target, true);
    }
  }
  void mark(const tir::Scatter& scatter) {
    visit(scatter.domain, true);
    visit(scatter.target, true);
  }
  void mark(const tir::Loop& loop) {
    for (ExprId root : {loop.lo, loop.hi, loop.until}) visit(root, true);
    mark(*loop.body);
  }

  bool never_runs(const tir::Domain& domain) const {
    const Value* guard = domain.guard.valid() ? arena_.constant_value(domain.guard) : nullptr;
    return guard != nullptr && guard->i == 0;
  }

  bool is_dead(tir::Stage& stage) {
    if (never_runs(stage.domain)) return true;
    if (visit(stage.domain, false)) return false;
    std::erase_if(stage.targets, [&](const tir::Target& target) { return !is_live(target); });
    return stage.targets.empty();
  }
  bool is_dead(tir::Scatter& scatter) { return never_runs(scatter.domain) || !is_live(scatter); }
  bool is_dead(tir::Loop& loop) {
    sweep(*loop.body);
    return loop.body->statements.empty();
  }

  void sweep(tir::Block& block) {
    const std::size_t before = block.statements.size();
    std::erase_if(block.statements, [&](tir::Statement& statement) {
      return std::visit([&](auto& s) { return is_dead(s); }, statement);
    });
    removed_ += static_cast<int>(before - block.statements.size());
  }

  tir::Function& function_;
  const ExprArena& arena_;
  std::unordered_set<uint32_t> live_;
  int removed_ = 0;
};

}  // namespace

int remove_dead(tir::Function& function) {
  return Liveness(function).run();
}

}  // namespace cdsl::simplification
