// What several statements and reductions of a group need at a point is read, and computed, once, and stays in registers.
#include <algorithm>
#include <map>
#include <set>

#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"

namespace cdsl::lowering {
namespace {

// Operations that cost fewer issue slots are written out again rather than held.
constexpr int kWorthHolding = 4;

bool is_read(const ExprArena& arena, ExprId id) {
  return arena.get_if<Read>(id) != nullptr && !arena.args(id).empty();
}

int slots(const ExprArena& arena, ExprId root) {
  int sum = 0;
  for (ExprId id : postorder(arena, std::span(&root, 1)))
    if (const auto* apply = arena.get_if<Apply>(id); apply != nullptr && is_float(arena.type(id))) sum += info(apply->op).cost;
  return sum;
}

}  // namespace

// Does a store read what one before it writes? Then it waits for it.
bool GroupLowering::reads_earlier(std::size_t k) const {
  for (std::size_t before = 0; before < k; ++before)
    if (reads_tensor(arena_, group_.stores[k].value, group_.stores[before].tensor)) return true;
  return false;
}

// Values that every thread of the tile surely computes at least twice; what stands under a condition does not count.
void GroupLowering::find_kept() {
  std::vector<std::vector<ExprId>> consumers;
  std::set<ReductionId> seen;
  std::vector<ExprId> all;
  for (std::size_t k = 0; k < group_.stores.size(); ++k) {
    if (reads_earlier(k)) return;
    const tir::Target& target = group_.stores[k];
    all.push_back(target.value);
    if (group_.conditions[k].valid()) continue;
    consumers.push_back(target.subscripts);
    consumers.back().push_back(target.value);
  }
  for (ExprId id : postorder(arena_, all)) {
    const auto* reduce = arena_.get_if<Reduce>(id);
    if (reduce == nullptr || !seen.insert(reduce->reduction).second) continue;
    const Reduction& reduction = arena_.reduction(reduce->reduction);
    if (!reduction.guard.valid()) consumers.push_back(reduction.lifted);
  }
  std::map<ExprId, int> uses;
  for (const auto& roots : consumers)
    for (ExprId id : eager_nodes(arena_, roots, [](ExprId) { return false; })) ++uses[id];
  std::set<ExprId> inner;                  // operands of what is used again
  for (const auto& [id, count] : uses)
    if (count > 1) for_each_child(arena_, id, [&](ExprId child) { inner.insert(child); });
  for (const auto& [id, count] : uses) {
    if (count < 2 || arena_.get_if<Reduce>(id) != nullptr) continue;
    const bool costs = is_float(arena_.type(id)) && !inner.contains(id) && slots(arena_, id) >= kWorthHolding;
    if (is_read(arena_, id) || costs) kept_.push_back(id);
  }
}

// Those of the kept values that `roots` need, where no walk moves them.
void GroupLowering::keep(std::span<const ExprId> roots) {
  if (kept_.empty()) return;
  const auto needed = eager_nodes(arena_, roots, [](ExprId) { return false; });
  for (ExprId id : kept_) {
    if (std::binary_search(needed.begin(), needed.end(), id) && open_streams(std::span(&id, 1)).empty()) lowerer_.keep(id);
  }
}

}  // namespace cdsl::lowering
