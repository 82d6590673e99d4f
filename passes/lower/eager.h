// Which nodes an expression surely evaluates, and how often each is used: what decides whether a
// value is computed at once, given a name, or left inside the branch that needs it.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dsl/expr/expr.h"

namespace cdsl::lowering {

using Known = std::function<bool(ExprId)>;
/// Selects whose arms are both evaluated; empty: none.
using Selected = std::function<bool(ExprId)>;

/// Nodes that evaluating all `roots` evaluates whatever the data are, ascending, so operands come
/// first. Of && || the first operand, of Select the condition and what both arms need (of a selected
/// one all), of a read not its fill values. Inside reductions nothing is listed. `known` nodes and what only they need
/// are left out.
std::vector<ExprId> eager_nodes(const ExprArena& arena, std::span<const ExprId> roots,
                                const Known& known, const Selected& selected = {});

/// The greatest nodes that both arms of a Select surely evaluate.
std::vector<ExprId> shared_by_arms(const ExprArena& arena, ExprId select, const Known& known,
                                   const Selected& selected = {});

/// How many nodes (and roots) use each node reachable from `roots`; the parts of one reduction
/// count as one user.
class UseCounts {
 public:
  UseCounts() = default;
  UseCounts(const ExprArena& arena, std::span<const ExprId> roots);
  int operator[](ExprId id) const;

 private:
  std::unordered_map<uint32_t, int> counts_;
};

/// May `root` stand inside a lazy arm as an expression: few nodes that are not known, no reduction,
/// no read that reports, nothing but trifles used twice.
bool fits_in_arm(const ExprArena& arena, ExprId root, const Known& known);

/// A constant or symbol, or a sum or cast of those: cheaper to write twice than to name.
bool is_trifle(const ExprArena& arena, ExprId id);

/// A read with an axis that is tested for each element, with a report.
bool reports(const ExprArena& arena, ExprId read);

/// Does evaluating `root` read memory, or run a reduction?
bool touches_memory(const ExprArena& arena, ExprId root);

}  // namespace cdsl::lowering
