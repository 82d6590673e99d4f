#include "api/variants.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/expose.h"
#include "api/ir_input.h"
#include "dsl/expr/print.h"
#include "dsl/plan/variants.h"
#include "dsl/tensor/print.h"
#include "frontend/analyze.h"

namespace cdsl {
namespace {

constexpr std::string_view kName = "facts";

// Alignment and aliasing prove nothing about Tensor IR; decisions guard what they do with them.
bool is_assumed(const tir::Fact& fact) {
  return !fact.required && fact.kind == tir::Fact::Kind::Condition;
}

bool has_assumed(const tir::Function& function) {
  return std::any_of(function.facts.begin(), function.facts.end(), is_assumed);
}

std::set<std::string> texts_of(const Remarks& remarks) {
  std::set<std::string> texts;
  for (const Remark& remark : remarks) texts.insert(to_string(remark));
  return texts;
}

Remark of_variant(Remark remark, std::string_view variant) {
  remark.site += fmt::format(" in variant {}", variant);
  return remark;
}

}  // namespace

std::optional<tir::Function> analyze_assuming_facts(Source& source, std::string_view name,
                                                    const CompileOptions& options,
                                                    const tir::Function& general) {
  if (input_level(source) != InputLevel::Language || !has_assumed(general)) return std::nullopt;
  AnalyzeOptions analysis{options.defines.sizes, options.defines.types, options.strict};
  analysis.assume_facts = true;
  // What is wrong with the function was reported of its general form.
  DiagnosticSink unheard;
  auto function = analyzer_of(source).analyze(name, analysis, unheard);
  if (!function || unheard.has_errors()) return std::nullopt;
  if (options.stored) expose(*function, options.stored);
  if (tir::to_string(*function) == tir::to_string(general)) return std::nullopt;
  return function;
}

bool guard_by_facts(Compiled& variant, const Compiled& general) {
  std::set<std::string> made;
  for (const tir::Check& check : general.function.checks)
    made.insert(to_string(general.function.arena, check.condition, {}));
  plan::Variant& made_of = variant.program.plan.general();
  made_of.name = kName;
  made_of.guards =
      plan::guards_of(variant.function, variant.program.plan, tir::Fact::Kind::Condition);
  for (const tir::Check& check : variant.function.checks) {
    if (!made.contains(to_string(variant.function.arena, check.condition, {})))
      made_of.guards.emplace_back(plan::Holds{check.condition});
  }
  const auto known = [&](const plan::Guard& guard) {
    const auto* holds = std::get_if<plan::Holds>(&guard);
    return holds == nullptr ? nullptr : variant.program.arena.constant_value(holds->condition);
  };
  const auto never = [&](const plan::Guard& guard) { return known(guard) && known(guard)->i == 0; };
  if (std::any_of(made_of.guards.begin(), made_of.guards.end(), never)) return false;
  std::erase_if(made_of.guards, [&](const plan::Guard& guard) { return known(guard) != nullptr; });
  return true;
}

Remarks joined_remarks(const Compiled& variant, const Compiled& general) {
  const std::set<std::string> of_general = texts_of(general.remarks),
                              of_variant_too = texts_of(variant.remarks);
  Remarks joined;
  for (const Remark& remark : variant.remarks) {
    joined.push_back(of_general.contains(to_string(remark)) ? remark : of_variant(remark, kName));
  }
  for (const Remark& remark : general.remarks) {
    if (!of_variant_too.contains(to_string(remark)))
      joined.push_back(of_variant(remark, plan::Variant().name));
  }
  return joined;
}

std::optional<Remark> variants_remark(const Compiled& unit) {
  if (!has_assumed(unit.function)) return std::nullopt;
  Remark remark;
  remark.pass = "variants";
  remark.site = unit.function.name;
  remark.fired = unit.program.plan.variants.size() > 1;
  remark.choice = remark.fired ? "facts, general" : "general";
  remark.reason = remark.fired
                      ? "where the facts hold, what they prove is not checked"
                      : "the facts prove nothing more, or never hold";
  remark.where = unit.function.where;
  return remark;
}

}  // namespace cdsl
