#include "passes/simplify/share.h"

#include <algorithm>

#include "dsl/expr/walk.h"

namespace cdsl::simplification {
namespace {

void for_each_part(Reduction& r, const std::function<void(ExprId&)>& visit) {
  for (Axis& axis : r.axes) {
    visit(axis.lo);
    visit(axis.hi);
  }
  if (r.guard.valid()) visit(r.guard);
  for (auto* list : {&r.lifted, &r.identity, &r.combine}) {
    for (ExprId& id : *list) visit(id);
  }
}

}  // namespace

// Reductions inside have lower levels, so that a symbol of one level is never captured by another.
int ReductionSharing::level_of(const Reduction& reduction) {
  int inner = 0;
  Reduction copy = reduction;
  std::vector<ExprId> roots;
  for_each_part(copy, [&](ExprId& id) { roots.push_back(id); });
  for (ExprId node : postorder(arena_, roots)) {
    const auto* reduce = arena_.get_if<Reduce>(node);
    if (reduce == nullptr) continue;
    const auto found = levels_.find(reduce->reduction.value);
    inner = std::max(inner, found == levels_.end() ? 0 : found->second);
  }
  return inner + 1;
}

SymbolId ReductionSharing::bound_symbol(SymbolId own, int level, std::size_t position) {
  const SymbolInfo info = arena_.symbol(own);
  auto [found, is_new] = symbols_.try_emplace(
      {info.name + "/" + std::string(name_of(info.type)), {level, position}}, own);
  if (is_new && !taken_.insert(own.value).second) {
    found->second = arena_.add_symbol(info.name, info.kind, info.type);
    taken_.insert(found->second.value);
  }
  return found->second;
}

ReductionSharing::Key ReductionSharing::key_of(const Reduction& r) const {
  Key key{static_cast<uint32_t>(r.monoid), static_cast<uint32_t>(r.commutative),
          static_cast<uint32_t>(r.axes.size()), static_cast<uint32_t>(r.lifted.size())};
  for (const Axis& axis : r.axes)
    key.insert(key.end(), {axis.index.value, axis.lo.value, axis.hi.value});
  key.push_back(r.guard.value);
  for (ScalarType type : r.types) key.push_back(static_cast<uint32_t>(type));
  for (const auto* list : {&r.lifted, &r.identity, &r.combine}) {
    for (ExprId id : *list) key.push_back(id.value);
  }
  for (const auto* list : {&r.left, &r.right}) {
    for (SymbolId symbol : *list) key.push_back(symbol.value);
  }
  return key;
}

ReductionId ReductionSharing::shared(ReductionId id) {
  if (const auto found = done_.find(id.value); found != done_.end()) return found->second;
  Reduction changed = arena_.reduction(id);
  const int level = level_of(changed);
  std::unordered_map<SymbolId, ExprId> renamed;
  std::size_t position = 0;
  const auto rename = [&](SymbolId& symbol) {
    const SymbolId to = bound_symbol(symbol, level, position++);
    if (to != symbol) renamed[symbol] = arena_.symbol_ref(to);
    symbol = to;
  };
  for (Axis& axis : changed.axes) rename(axis.index);
  for (SymbolId& symbol : changed.left) rename(symbol);
  for (SymbolId& symbol : changed.right) rename(symbol);
  if (!renamed.empty()) {
    for_each_part(changed, [&](ExprId& part) { part = substitute(arena_, part, renamed); });
  }

  const Key key = key_of(changed);
  auto [found, is_new] = known_.try_emplace(key, id);
  if (!is_new && found->second != id) ++found_;
  if (is_new && !renamed.empty()) found->second = arena_.add_reduction(std::move(changed));
  levels_[found->second.value] = level;
  levels_[id.value] = level;
  done_[found->second.value] = found->second;
  return done_[id.value] = found->second;
}

}  // namespace cdsl::simplification
