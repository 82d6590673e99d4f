// Running reductions: at each point of a statement, over all points of one axis up to it, or from it on.
//
//   y[i, j] = sum[k in 0..j + 1](x[i, k])        along j; up to the point, with it
//   y[i] = max[k in i + 1..n](x[k])              along i; from the point on, without it
#pragma once

#include <optional>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

struct Running {
  ExprId node;                     // the Reduce
  ReductionId reduction;
  std::size_t axis = 0;            // of the stage
  bool down = false;               // from the index to the end
  int64_t shift = 0;               // up: to index + shift, excluded; down: from index + shift
  ExprId lo, hi;                   // over all indices
  bool is_exclusive() const { return shift == (down ? 1 : 0); }
};

/// What joins two partial results; nothing: they have several parts, or their order is the user's.
std::optional<Op> joining(Monoid monoid);

/// Is the reduction at `node` a running one of the stage? Requires: reduction in one part.
std::optional<Running> running(ExprArena& arena, const tir::Stage& stage, ExprId node);

/// The running reductions in `value` that are evaluated at every point: a choice or a logical operator may not evaluate what
/// stands below it.
std::vector<Running> all_running(ExprArena& arena, const tir::Stage& stage, ExprId value);

/// Does a symbol occur freely? Of an invalid expression: no.
bool uses(const ExprArena& arena, ExprId id, SymbolId symbol);

}  // namespace cdsl::deciding
