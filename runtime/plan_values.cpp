#include "runtime/plan_values.h"

#include <algorithm>

#include "dsl/expr/walk.h"

namespace cdsl::runtime {

PlanValues::PlanValues(const plan::Plan& plan, tir::Bindings bindings)
    : plan_(plan), bindings_(std::move(bindings)) {
  for (const plan::Variant& variant : plan.variants) collect_indices(variant.steps);
}

void PlanValues::collect_indices(const std::vector<plan::Step>& steps) {
  for (const plan::Step& step : steps) {
    if (const auto* loop = std::get_if<plan::Loop>(&step.what)) {
      indices_.insert(loop->index);
      collect_indices(loop->steps);
    }
  }
}

bool PlanValues::is_fixed(ExprId id) {
  auto [found, is_new] = fixed_.try_emplace(id, true);
  if (is_new && !indices_.empty()) {
    const auto symbols = free_symbols(plan_.arena, id);
    found->second = std::none_of(symbols.begin(), symbols.end(),
                                 [&](SymbolId s) { return indices_.contains(s); });
  }
  return found->second;
}

Value PlanValues::operator()(ExprId id) {
  if (!is_fixed(id)) return tir::evaluate_constant(plan_.arena, id, bindings_);
  if (const auto found = values_.find(id); found != values_.end()) return found->second;
  return values_[id] = tir::evaluate_constant(plan_.arena, id, bindings_);
}

}  // namespace cdsl::runtime
