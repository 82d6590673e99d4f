// Which expressions of a statement are worth remembering: they occur in several places of which not all are evaluated
// (arms, right sides of && and ||, fills, bodies of reductions), or inside a reduction whose indices they do not use.
// Without that, a chain of choices that share an operand costs 2^n.
#pragma once

#include <unordered_map>
#include <vector>

#include "dsl/expr/expr.h"

namespace cdsl::eval {

/// The shared expressions under `roots`, each with the indices (and accumulators) that it depends on. Small ones are left out:
/// they are computed again.
std::unordered_map<ExprId, std::vector<SymbolId>> shared_expressions(const ExprArena& arena, const std::vector<ExprId>& roots);

}  // namespace cdsl::eval
