#include "api/fix_scalars.h"

#include <unordered_map>

#include <fmt/format.h>

#include "dsl/expr/walk.h"
#include "passes/simplify/map_function.h"

namespace cdsl {

void fix_scalars(tir::Function& function, const Defines& defines, DiagnosticSink& sink) {
  ExprArena& arena = function.arena;
  std::unordered_map<SymbolId, ExprId> fixed;
  std::vector<tir::Check> checks;
  for (const tir::ScalarParameter& scalar : function.scalars) {
    const std::string name = arena.symbol(scalar.symbol).name;
    const auto integer = defines.sizes.find(name);
    const auto other = defines.values.find(name);
    if (integer == defines.sizes.end() && other == defines.values.end()) continue;
    const std::string text =
        other != defines.values.end() ? other->second : std::to_string(integer->second);
    const auto value = parse_scalar(text, scalar.declared);
    if (!value) {
      sink.report(Code::BadDefine, scalar.where,
                  fmt::format("-D{}={}: {}", name, text, value.message()));
      continue;
    }
    const ExprId given = arena.symbol_ref(scalar.symbol),
                 constant = arena.constant(arena.type(given), *value);
    fixed[scalar.symbol] = constant;
    checks.push_back({arena.apply(Op::Eq, {given, constant}),
                      fmt::format("this was compiled for {} = {}", name, text),
                      {},
                      scalar.where});
  }
  if (fixed.empty()) return;
  Rewriter rewrite(arena, [&](ExprId id) -> std::optional<ExprId> {
    const auto* symbol = arena.get_if<Symbol>(id);
    if (symbol == nullptr) return std::nullopt;
    const auto found = fixed.find(symbol->symbol);
    return found == fixed.end() ? std::nullopt : std::optional(found->second);
  });
  simplification::map_expressions(function, [&](ExprId id) { return rewrite(id); });
  for (tir::Check& check : checks) function.checks.push_back(std::move(check));
}

}  // namespace cdsl
