#include "frontend/sema/finish.h"

#include "frontend/sema/expression.h"
#include "frontend/sema/extremes.h"
#include "frontend/sema/overlap.h"

namespace cdsl::sema {

void check_output(Analysis& a, const TensorSymbol& symbol) {
  if (a.is_over_budget || symbol.is_poisoned || symbol.is_scattered || symbol.is_called ||
      symbol.is_state || symbol.was_state)
    return;
  if (symbol.parts.empty()) {
    a.report(Code::OutputNotDefined, symbol.where, "output '" + symbol.name + "' is never defined");
    return;
  }
  check_covered(a, symbol);
}

void require_facts(Analysis& a, const ast::FnDecl& fn, SourceRange at) {
  for (const ast::Fact& fact : fn.facts) {
    const auto* expr = std::get_if<ast::FactExpr>(&fact.node);
    if (!fact.is_required || expr == nullptr) continue;
    const auto condition = evaluate_condition(a, expr->condition);
    if (!condition) continue;
    const Verdict verdict = a.prover().holds({}, *condition);
    if (verdict == Verdict::Proved) continue;
    if (verdict == Verdict::Refuted || !is_launch_known(a.arena(), *condition)) {
      a.report(Code::FactViolated, at,
               "a required fact of '" + fn.name.text + "' does not hold here")
          .note(fact.range, "the fact");
      continue;
    }
    // It is the caller's from here on.
    tir::Fact own;
    own.condition = *condition;
    own.required = true;
    own.where = at;
    a.add_fact(*condition);
    a.fn.facts.push_back(std::move(own));
  }
}

void warn_unused(Analysis& a) {
  for (const TensorSymbol& symbol : a.tensors) {
    const bool is_local = symbol.kind == TensorKind::Intermediate || symbol.kind == TensorKind::Tmp;
    if (!is_local || symbol.is_used || symbol.is_poisoned || symbol.is_state || symbol.was_state)
      continue;
    if (symbol.name.starts_with('_')) continue;
    a.report(Code::NeverUsed, symbol.where, "'" + symbol.name + "' is never used");
  }
  for (const LetSymbol& let : a.lets) {
    if (let.is_used || let.name.starts_with('_')) continue;
    a.report(Code::NeverUsed, let.where, "'" + let.name + "' is never used");
  }
}

}  // namespace cdsl::sema
