#include "passes/lower/eager.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "dsl/expr/walk.h"

namespace cdsl::lowering {
namespace {

constexpr std::size_t kArmNodes = 24;
// How far the search for what both arms share may go before it settles for what it has.
constexpr int kCommonSearch = 4096;

using Frontier = std::set<ExprId, std::greater<>>;

// Operands that are evaluated with the node, whatever their values.
void eager_operands(const ExprArena& arena, ExprId id, const Selected& selected,
                    const std::function<void(ExprId)>& visit) {
  const auto* apply = arena.get_if<Apply>(id);
  const bool lazy = apply != nullptr && ((apply->op == Op::Select && !(selected && selected(id))) ||
                                         apply->op == Op::LogicalAnd || apply->op == Op::LogicalOr);
  const auto args = arena.args(id);
  for (ExprId arg : args.first(lazy ? 1 : args.size())) visit(arg);
  if (arena.get_if<Read>(id) == nullptr) return;
  for (const AxisRule& rule : arena.rules(id)) {
    if (rule.holes.valid()) visit(rule.holes);
  }
}

}  // namespace

// Two sweeps in step from high ids to low: operands have smaller ids.
std::vector<ExprId> shared_by_arms(const ExprArena& arena, ExprId select, const Known& known,
                                   const Selected& selected) {
  std::vector<ExprId> common;
  Frontier left{arena.args(select)[1]}, right{arena.args(select)[2]};
  for (int step = 0; !left.empty() && !right.empty() && step < kCommonSearch; ++step) {
    const ExprId top = std::max(*left.begin(), *right.begin());
    const bool in_left = left.erase(top) != 0, in_right = right.erase(top) != 0;
    if (known(top) || arena.constant_value(top) != nullptr || arena.get_if<Symbol>(top) != nullptr)
      continue;
    if (in_left && in_right) {
      common.push_back(top);
      continue;
    }
    Frontier& side = in_left ? left : right;
    eager_operands(arena, top, selected, [&](ExprId operand) { side.insert(operand); });
  }
  return common;
}

std::vector<ExprId> eager_nodes(const ExprArena& arena, std::span<const ExprId> roots,
                                const Known& known, const Selected& selected) {
  Frontier open;
  std::vector<ExprId> found;
  const auto add = [&](ExprId id) {
    if (id.valid() && !known(id)) open.insert(id);
  };
  for (ExprId root : roots) add(root);
  while (!open.empty()) {
    const ExprId id = *open.begin();
    open.erase(open.begin());
    if (arena.constant_value(id) != nullptr || arena.get_if<Symbol>(id) != nullptr) continue;
    found.push_back(id);
    eager_operands(arena, id, selected, add);
    if (arena.is_apply(id, Op::Select) && !(selected && selected(id))) {
      for (ExprId shared : shared_by_arms(arena, id, known, selected)) add(shared);
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

UseCounts::UseCounts(const ExprArena& arena, std::span<const ExprId> roots) {
  std::unordered_set<uint32_t> reductions;
  for (ExprId root : roots) {
    if (root.valid()) ++counts_[root.value];
  }
  for (ExprId id : postorder(arena, roots)) {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce != nullptr && !reductions.insert(reduce->reduction.value).second) continue;
    for_each_child(arena, id, [&](ExprId child) { ++counts_[child.value]; });
  }
}

int UseCounts::operator[](ExprId id) const {
  const auto found = counts_.find(id.value);
  return found == counts_.end() ? 0 : found->second;
}

bool fits_in_arm(const ExprArena& arena, ExprId root, const Known& known) {
  std::unordered_map<uint32_t, int> uses;
  std::vector<ExprId> open{root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (known(id)) continue;
    if (arena.get_if<Reduce>(id) != nullptr ||
        (arena.get_if<Read>(id) != nullptr && reports(arena, id)))
      return false;
    if (++uses[id.value] > 1) {
      if (!is_trifle(arena, id)) return false;
      continue;
    }
    if (uses.size() > kArmNodes) return false;
    for_each_child(arena, id, [&](ExprId child) { open.push_back(child); });
  }
  return true;
}

bool is_trifle(const ExprArena& arena, ExprId id) {
  const auto is_leaf = [&](ExprId node) {
    return arena.constant_value(node) != nullptr || arena.get_if<Symbol>(node) != nullptr;
  };
  if (is_leaf(id)) return true;
  const auto* apply = arena.get_if<Apply>(id);
  if (apply == nullptr) return false;
  const bool cheap = apply->op == Op::Add || apply->op == Op::Sub || apply->op == Op::Neg ||
                     apply->op == Op::Cast || apply->op == Op::LogicalNot;
  const auto args = arena.args(id);
  return cheap && std::all_of(args.begin(), args.end(), is_leaf);
}

bool reports(const ExprArena& arena, ExprId read) {
  const auto rules = arena.rules(read);
  return std::any_of(rules.begin(), rules.end(), [](const AxisRule& rule) {
    return rule.boundary == Boundary::None && rule.bounds == Bounds::PerElement &&
           !rule.holes.valid();
  });
}

bool touches_memory(const ExprArena& arena, ExprId root) {
  const auto order = postorder(arena, std::span(&root, 1));
  return std::any_of(order.begin(), order.end(), [&](ExprId id) {
    return arena.get_if<Read>(id) != nullptr || arena.get_if<Reduce>(id) != nullptr;
  });
}

}  // namespace cdsl::lowering
