#include "dsl/expr/walk.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/support/check.h"

namespace cdsl {
namespace {

void for_each_child(const Reduction& r, const std::function<void(ExprId)>& visit) {
  for (const Axis& axis : r.axes) {
    visit(axis.lo);
    visit(axis.hi);
  }
  if (r.guard.valid()) visit(r.guard);
  for (const auto* list : {&r.lifted, &r.identity, &r.combine}) {
    for (ExprId id : *list) visit(id);
  }
}

}  // namespace

void for_each_child(const ExprArena& arena, ExprId id, const std::function<void(ExprId)>& visit) {
  for (ExprId arg : arena.args(id)) visit(arg);
  if (arena.get_if<Read>(id) != nullptr) {
    for (const AxisRule& rule : arena.rules(id)) {
      if (rule.fill.valid()) visit(rule.fill);
      if (rule.holes.valid()) visit(rule.holes);
    }
  }
  if (const auto* reduce = arena.get_if<Reduce>(id)) for_each_child(arena.reduction(reduce->reduction), visit);
}

std::vector<ExprId> postorder(const ExprArena& arena, std::span<const ExprId> roots) {
  std::vector<ExprId> order;
  std::unordered_set<uint32_t> seen;
  std::vector<std::pair<ExprId, bool>> stack;                     // node, are its operands done?
  for (ExprId root : roots) {
    if (root.valid()) stack.push_back({root, false});
    while (!stack.empty()) {
      const auto [id, ready] = stack.back();
      stack.pop_back();
      if (ready) {
        order.push_back(id);
      } else if (seen.insert(id.value).second) {
        stack.push_back({id, true});
        const std::size_t first = stack.size();
        for_each_child(arena, id, [&](ExprId child) { stack.push_back({child, false}); });
        std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
      }
    }
  }
  return order;
}

Rewriter::Rewriter(ExprArena& arena, Replace replace, Finish finish)
    : arena_(arena), replace_(std::move(replace)), finish_(std::move(finish)) {}

ExprId Rewriter::operator()(ExprId root) {
  if (!root.valid()) return root;
  std::vector<std::pair<ExprId, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [id, ready] = stack.back();
    stack.pop_back();
    if (done_.contains(id.value)) continue;
    if (ready) {
      const ExprId rebuilt = rebuild(id);
      done_[id.value] = finish_ ? finish_(rebuilt) : rebuilt;
    } else if (const auto replacement = replace_(id)) {
      done_[id.value] = *replacement;
    } else {
      stack.push_back({id, true});
      for_each_child(arena_, id, [&](ExprId child) { stack.push_back({child, false}); });
    }
  }
  return done_.at(root.value);
}

ExprId Rewriter::rebuild(ExprId id) {
  const auto mapped = [&](ExprId child) { return child.valid() ? done_.at(child.value) : child; };
  std::vector<ExprId> args;
  for (ExprId arg : arena_.args(id)) args.push_back(mapped(arg));
  const ExprNode node = arena_.node(id);
  if (const auto* apply = std::get_if<Apply>(&node)) {
    return apply->op == Op::Cast ? arena_.cast(args[0], arena_.type(id)) : arena_.apply(apply->op, args);
  }
  if (const auto* read = std::get_if<Read>(&node)) {
    const auto old_rules = arena_.rules(id);
    std::vector<AxisRule> rules(old_rules.begin(), old_rules.end());
    for (AxisRule& rule : rules) {
      rule.fill = mapped(rule.fill);
      rule.holes = mapped(rule.holes);
    }
    return arena_.read(read->tensor, read->leaf, arena_.type(id), args, rules, arena_.where(id));
  }
  if (const auto* reduce = std::get_if<Reduce>(&node)) return arena_.reduce(rebuild(reduce->reduction), reduce->part);
  if (const auto* load = std::get_if<Load>(&node)) {
    return arena_.load(load->buffer, load->leaf, arena_.type(id), args[0], args.size() > 1 ? args[1] : ExprId{},
                       arena_.where(id));
  }
  return id;
}

ReductionId Rewriter::rebuild(ReductionId id) {
  if (const auto found = reductions_done_.find(id.value); found != reductions_done_.end()) return found->second;
  Reduction changed = arena_.reduction(id);
  bool differs = false;
  const auto map = [&](ExprId& child) {
    if (!child.valid()) return;
    const ExprId to = done_.at(child.value);
    differs |= to != child;
    child = to;
  };
  for (Axis& axis : changed.axes) {
    map(axis.lo);
    map(axis.hi);
  }
  map(changed.guard);
  for (auto* list : {&changed.lifted, &changed.identity, &changed.combine}) {
    for (ExprId& child : *list) map(child);
  }
  const ReductionId result = differs ? arena_.add_reduction(std::move(changed)) : id;
  reductions_done_[id.value] = result;
  return result;
}

namespace {

using Substitution = std::unordered_map<SymbolId, ExprId>;

// What stands inside a reduction is not touched by a symbol that it binds; and what is put inside must not be bound by it, so
// that such an index gets another symbol. Nothing where neither is so.
class Binders {
 public:
  Binders(ExprArena& arena, const Substitution& with) : arena_(arena), with_(with) {
    for (const auto& [symbol, value] : with)
      for (SymbolId free : free_symbols(arena, value)) put_.insert(free.value);
  }

  std::optional<ExprId> operator()(ExprId id) {
    const Reduce node = *arena_.get_if<Reduce>(id);
    const auto free = free_symbols(arena_, id);
    if (std::none_of(free.begin(), free.end(), [&](SymbolId s) { return with_.contains(s); })) return id;   // nothing to replace
    if (const auto found = done_.find(node.reduction); found != done_.end()) return arena_.reduce(found->second, node.part);
    Reduction reduction = arena_.reduction(node.reduction);
    Substitution inner = with_;
    bool changes = false;
    for (Axis& axis : reduction.axes) {
      changes |= inner.erase(axis.index) > 0;
      if (!put_.contains(axis.index.value)) continue;
      const SymbolId fresh = arena_.add_symbol(arena_.symbol(axis.index).name, SymbolKind::Index);
      inner[axis.index] = arena_.symbol_ref(fresh);
      axis.index = fresh;
      changes = true;
    }
    if (!changes) return std::nullopt;
    const auto replace = [&](ExprId& e) { if (e.valid()) e = substitute(arena_, e, inner); };
    for (Axis& axis : reduction.axes) replace(axis.lo), replace(axis.hi);
    replace(reduction.guard);
    for (auto* list : {&reduction.lifted, &reduction.identity, &reduction.combine})
      for (ExprId& e : *list) replace(e);
    const uint32_t part = node.part;
    const ReductionId old = node.reduction, made = arena_.add_reduction(std::move(reduction));
    done_[old] = made;
    return arena_.reduce(made, part);
  }

 private:
  ExprArena& arena_;
  const Substitution& with_;
  std::unordered_set<uint32_t> put_;
  std::unordered_map<ReductionId, ReductionId> done_;
};

}  // namespace

ExprId substitute(ExprArena& arena, ExprId root, const Substitution& with) {
  Binders binders(arena, with);
  Rewriter rewriter(arena, [&](ExprId id) -> std::optional<ExprId> {
    if (arena.get_if<Reduce>(id) != nullptr) return binders(id);
    const auto* symbol = arena.get_if<Symbol>(id);
    if (symbol == nullptr) return std::nullopt;
    const auto found = with.find(symbol->symbol);
    return found == with.end() ? std::nullopt : std::optional(found->second);
  });
  return rewriter(root);
}

namespace {

// Reductions may bind a symbol that is free beside them.
class FreeSymbols {
 public:
  explicit FreeSymbols(const ExprArena& arena) : arena_(arena) {}

  void visit(std::vector<ExprId> open, const std::unordered_set<uint32_t>& bound) {
    std::unordered_set<uint32_t> seen;
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (!seen.insert(id.value).second) continue;
      if (const auto* symbol = arena_.get_if<Symbol>(id)) {
        const uint32_t value = symbol->symbol.value;
        if (!bound.contains(value) && known_.insert(value).second) found.push_back(symbol->symbol);
        continue;
      }
      std::vector<ExprId> children;
      for_each_child(arena_, id, [&](ExprId child) { children.push_back(child); });
      const auto* reduce = arena_.get_if<Reduce>(id);
      if (reduce == nullptr) {
        open.insert(open.end(), children.rbegin(), children.rend());
        continue;
      }
      std::unordered_set<uint32_t> inner = bound;
      const Reduction& r = arena_.reduction(reduce->reduction);
      for (const Axis& axis : r.axes) inner.insert(axis.index.value);
      for (const auto* list : {&r.left, &r.right})
        for (SymbolId symbol : *list) inner.insert(symbol.value);
      visit(std::move(children), inner);
    }
  }

  std::vector<SymbolId> found;

 private:
  const ExprArena& arena_;
  std::unordered_set<uint32_t> known_;
};

}  // namespace

std::vector<SymbolId> free_symbols(const ExprArena& arena, ExprId root) {
  FreeSymbols free(arena);
  free.visit({root}, {});
  return std::move(free.found);
}

bool reads_tensor(const ExprArena& arena, ExprId root, TensorId tensor) {
  const auto order = postorder(arena, std::span(&root, 1));
  return std::any_of(order.begin(), order.end(), [&](ExprId id) {
    const auto* read = arena.get_if<Read>(id);
    return read != nullptr && read->tensor == tensor;
  });
}

}  // namespace cdsl
