#include "passes/recognize/subject.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

// Like `postorder`, but what a reduction binds and combines stays closed, and so do subscripts.
std::vector<ExprId> outside_of_reductions(const ExprArena& arena, std::span<const ExprId> roots) {
  std::vector<ExprId> order;
  std::unordered_set<ExprId> seen;
  std::vector<std::pair<ExprId, bool>> stack;
  for (ExprId root : roots) {
    if (root.valid()) stack.push_back({root, false});
    while (!stack.empty()) {
      const auto [id, ready] = stack.back();
      stack.pop_back();
      if (ready) {
        order.push_back(id);
      } else if (seen.insert(id).second) {
        stack.push_back({id, true});
        if (arena.get_if<Read>(id) != nullptr) continue;
        const auto args = arena.args(id);
        for (std::size_t k = args.size(); k-- > 0;) stack.push_back({args[k], false});
      }
    }
  }
  return order;
}

}  // namespace

bool touches_memory(const ExprArena& arena, ExprId root) {
  if (arena.get_if<Symbol>(root) != nullptr || arena.constant_value(root) != nullptr) return false;
  const auto nodes = postorder(arena, std::span(&root, 1));
  return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) {
    return arena.get_if<Read>(id) != nullptr || arena.get_if<Reduce>(id) != nullptr;
  });
}

Subject::Subject(const tir::Function& f, const tir::Domain& domain, std::vector<tir::Target> s, const SizeValues& values)
    : function(f), arena(f.arena), sizes(values), axes(domain.axes), stores(std::move(s)) {
  std::vector<ExprId> further, roots;
  for (const Axis& axis : axes) further.insert(further.end(), {axis.lo, axis.hi});
  if (domain.guard.valid()) further.push_back(domain.guard);
  for (const tir::Target& target : stores) {
    roots.push_back(target.value);
    further.insert(further.end(), target.subscripts.begin(), target.subscripts.end());
  }
  accesses = deciding::accesses(function, stores, sizes, further);
  for (std::size_t k = stores.size(); k < accesses.size(); ++k) at_[accesses[k].read] = k;
  outside = outside_of_reductions(arena, roots);
  roots.insert(roots.end(), further.begin(), further.end());
  std::unordered_set<ReductionId> seen;
  for (ExprId id : postorder(arena, roots)) {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce != nullptr && seen.insert(reduce->reduction).second) reductions.push_back(reduce->reduction);
  }
}

bool Subject::is_of_statement(SymbolId index) const {
  return std::any_of(axes.begin(), axes.end(), [&](const Axis& a) { return a.index == index; });
}

bool Subject::is_by_data(const Access& access) const {
  if (access.is_store()) {
    const auto& subscripts = stores[static_cast<std::size_t>(&access - accesses.data())].subscripts;
    return std::any_of(subscripts.begin(), subscripts.end(), [&](ExprId e) { return touches_memory(arena, e); });
  }
  const auto args = arena.args(access.read);
  return std::any_of(args.begin(), args.end(), [&](ExprId e) { return touches_memory(arena, e); });
}

bool Subject::is_constant(const Access& access) const {
  if (!access.affine) return false;
  for (ExprId subscript : arena.args(access.read)) {
    if (arena.get_if<Symbol>(subscript) != nullptr && arena.symbol(arena.get_if<Symbol>(subscript)->symbol).kind == SymbolKind::Index) continue;
    for (SymbolId symbol : free_symbols(arena, subscript))
      if (arena.symbol(symbol).kind != SymbolKind::Index) return false;
  }
  return true;
}

double Subject::extent(const Axis& axis) const {
  for (ExprId end : {axis.lo, axis.hi}) {
    if (constant_integer(arena, end)) continue;
    for (SymbolId symbol : free_symbols(arena, end)) {
      if (arena.symbol(symbol).kind != SymbolKind::Index) continue;
      for (const Axis& other : axes)
        if (other.index == symbol && other.index != axis.index) return std::max(1.0, extent(other) / 2);
    }
  }
  return static_cast<double>(product(1, distance(sizes.likely(axis.lo), sizes.likely(axis.hi), 1)));
}

}  // namespace cdsl::deciding
