// Values of the expressions of a Plan during one call: sizes, scalars and views are fixed, indices
// of loops change.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "dsl/plan/plan.h"
#include "dsl/tensor/bind.h"

namespace cdsl::runtime {

class PlanValues {
 public:
  /// `bindings` gives every symbol but the loop indices. Keeps a reference to the plan.
  PlanValues(const plan::Plan& plan, tir::Bindings bindings);

  void set_index(SymbolId index, int64_t value) { bindings_[index] = Value::of_int(value); }
  Value operator()(ExprId id);
  int64_t integer(ExprId id) { return (*this)(id).i; }
  ScalarType type(ExprId id) const { return plan_.arena.type(id); }

 private:
  void collect_indices(const std::vector<plan::Step>& steps);
  bool is_fixed(ExprId id);

  const plan::Plan& plan_;
  tir::Bindings bindings_;
  std::unordered_set<SymbolId> indices_;
  std::unordered_map<ExprId, bool> fixed_;    // expressions seen: do they use no index?
  std::unordered_map<ExprId, Value> values_;  // of the fixed ones
};

}  // namespace cdsl::runtime
