#include "dsl/eval/sharing.h"

#include <algorithm>
#include <functional>

#include "dsl/expr/walk.h"

namespace cdsl::eval {
namespace {

constexpr uint32_t kSmall = 16;             // operations that are cheaper done twice than remembered
constexpr uint32_t kReduction = 1000;       // what a reduction counts as
constexpr uint32_t kMany = 1'000'000;

// A region is what is evaluated together: all of it or nothing. 0: none yet.
using Region = uint32_t;

class Sharing {
 public:
  Sharing(const ExprArena& arena, const std::vector<ExprId>& roots) : arena_(arena), order_(postorder(arena, roots)) {
    measure();
    const Region first = new_region({});
    for (ExprId root : roots) assign(root, first);
    for (auto id = order_.rbegin(); id != order_.rend(); ++id) place(*id);
  }

  std::unordered_map<ExprId, std::vector<SymbolId>> take() { return std::move(shared_); }

 private:
  struct Node {
    uint32_t size = 1;                      // of the tree, saturating
    std::vector<SymbolId> uses;             // sorted; sizes and scalars never change
    Region region = 0;
    bool is_split = false;                  // occurs in several regions
  };

  void measure() {
    for (ExprId id : order_) {
      Node node;
      if (const auto* symbol = arena_.get_if<Symbol>(id)) {
        const SymbolKind kind = arena_.symbol(symbol->symbol).kind;
        if (kind == SymbolKind::Index || kind == SymbolKind::Local) node.uses.push_back(symbol->symbol);
      }
      for_each_child(arena_, id, [&](ExprId child) {
        const Node& part = nodes_.at(child);
        node.size = std::min(kMany, node.size + part.size);
        std::vector<SymbolId> both;
        std::set_union(node.uses.begin(), node.uses.end(), part.uses.begin(), part.uses.end(), std::back_inserter(both), before);
        node.uses = std::move(both);
      });
      if (const auto* reduce = arena_.get_if<Reduce>(id)) {
        node.size = std::min(kMany, node.size + kReduction);
        const std::vector<SymbolId> own = bound_by(reduce->reduction);
        std::erase_if(node.uses, [&](SymbolId s) { return std::find(own.begin(), own.end(), s) != own.end(); });
      }
      nodes_.emplace(id, std::move(node));
    }
  }

  static bool before(SymbolId a, SymbolId b) { return a.value < b.value; }

  std::vector<SymbolId> bound_by(ReductionId id) const {
    const Reduction& r = arena_.reduction(id);
    std::vector<SymbolId> bound;
    for (const Axis& axis : r.axes) bound.push_back(axis.index);
    for (const auto* list : {&r.left, &r.right}) bound.insert(bound.end(), list->begin(), list->end());
    return bound;
  }

  Region new_region(ReductionId around) {
    around_.push_back(around);
    return static_cast<Region>(around_.size());
  }

  void assign(ExprId id, Region region) {
    Node& node = nodes_.at(id);
    node.is_split |= node.region != 0 && node.region != region;
    if (node.region == 0) node.region = region;
  }

  // Users come before their operands, so that all regions of a node are known here.
  void place(ExprId id) {
    Node& node = nodes_.at(id);
    if (node.size > kSmall && (node.is_split || is_invariant(node))) {
      shared_.emplace(id, node.uses);
      node.region = new_region({});
    }
    const Region here = node.region;
    const ReductionId around = around_[here - 1];
    const auto args = arena_.args(id);
    if (const auto* reduce = arena_.get_if<Reduce>(id)) {
      for_each_child(arena_, id, [&](ExprId child) { assign(child, new_region(reduce->reduction)); });
    } else if (arena_.is_apply(id, Op::Select) || arena_.is_apply(id, Op::LogicalAnd) || arena_.is_apply(id, Op::LogicalOr)) {
      for (std::size_t k = 0; k < args.size(); ++k) assign(args[k], k == 0 ? here : new_region(around));
    } else {
      for (ExprId arg : args) assign(arg, here);
      if (arena_.get_if<Read>(id) == nullptr) return;
      for (const AxisRule& rule : arena_.rules(id)) {
        if (rule.fill.valid()) assign(rule.fill, new_region(around));
        if (rule.holes.valid()) assign(rule.holes, here);
      }
    }
  }

  // Inside a reduction, and the same at all of its points?
  bool is_invariant(const Node& node) const {
    const ReductionId around = around_[node.region - 1];
    if (!around.valid()) return false;
    for (SymbolId symbol : bound_by(around)) {
      if (std::binary_search(node.uses.begin(), node.uses.end(), symbol, before)) return false;
    }
    return true;
  }

  const ExprArena& arena_;
  std::vector<ExprId> order_;
  std::unordered_map<ExprId, Node> nodes_;
  std::vector<ReductionId> around_;         // by region, from 1: the nearest reduction
  std::unordered_map<ExprId, std::vector<SymbolId>> shared_;
};

}  // namespace

std::unordered_map<ExprId, std::vector<SymbolId>> shared_expressions(const ExprArena& arena, const std::vector<ExprId>& roots) {
  return Sharing(arena, roots).take();
}

}  // namespace cdsl::eval
