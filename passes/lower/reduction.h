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

/// The result over nothing of a built-in monoid; of arg-reductions the value.
ExprId identity_of(ExprArena& arena, Monoid monoid, ScalarType type);

class ReductionLowering {
 public:
  ReductionLowering(Lowerer& lowerer, ReductionId id);
  /// Emits the loops; the value of each part.
  std::vector<ExprId> run();

 private:
  void hoist();
  void loops(std::size_t axis);
  void split_guard();
  void guarded(std::size_t axis);
  void step();
  void step_arg();
  void step_user();
  ExprId position();
  std::vector<ExprId> finish_arg();

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  ReductionId id_;
  Reduction reduction_;  // a copy: the arena grows while it is lowered
  std::vector<loop::Variable> accumulators_;
  loop::Variable seen_;                         // arg: whether any point was seen
  std::vector<ExprId> indices_, lows_, highs_;  // the axes' values while inside
  std::vector<ExprId> guards_;                  // by the number of axes that stand around each
};

/// Reductions inside `id` that do not depend on its indices and may be evaluated before its loops:
/// nothing that they read or report hangs on the loops being entered. `bound` gives the kernel's
/// value of an index in scope (or nothing), `extent` the kernel's value of an extent.
std::vector<ExprId> invariant_reductions(const ExprArena& arena, const Ranges& ranges,
                                         const tir::Function& function,
                                         const std::function<ExprId(SymbolId)>& bound,
                                         const std::function<ExprId(ExprId)>& extent,
                                         ReductionId id);

/// What a register is called that a reduction of this kind accumulates in.
std::string_view name_of_accumulator(Monoid monoid);

}  // namespace cdsl::lowering
