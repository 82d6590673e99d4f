// One reduction as a serial loop nest in lexicographic order, with a register for each accumulator.
//
// argmin, argmax: the lowest position among equals and the first NaN win; over nothing the position
// is -1, and that is reported. User-defined: the combination sees the old accumulators and the
// terms, and gives all new ones at once.
#pragma once

#include <functional>
#include <vector>

#include "passes/lower/expression.h"

namespace cdsl::lowering {

class ReductionLowering {
 public:
  ReductionLowering(Lowerer& lowerer, ReductionId id);
  /// Emits the loops; the value of each part.
  std::vector<ExprId> run();

 private:
  void hoist();
  void loops(std::size_t axis);
  void guarded();
  void step();
  void step_arg();
  void step_user();
  ExprId position();
  std::vector<ExprId> finish_arg();
  ExprId identity(ScalarType type) const;

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  ReductionId id_;
  Reduction reduction_;  // a copy: the arena grows while it is lowered
  std::vector<loop::Variable> accumulators_;
  loop::Variable seen_;                         // arg: whether any point was seen
  std::vector<ExprId> indices_, lows_, highs_;  // the axes' values while inside
};

/// Reductions inside `id` that do not depend on its indices and may be evaluated before its loops:
/// nothing that they read or report hangs on the loops being entered. `bound` gives the kernel's
/// value of an index in scope (or nothing), `extent` the kernel's value of an extent.
std::vector<ExprId> invariant_reductions(const ExprArena& arena, const Ranges& ranges,
                                         const tir::Function& function,
                                         const std::function<ExprId(SymbolId)>& bound,
                                         const std::function<ExprId(ExprId)>& extent,
                                         ReductionId id);

}  // namespace cdsl::lowering
