#include "passes/simplify/simplify.h"

#include <unordered_map>

#include "dsl/expr/walk.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/dead.h"
#include "passes/simplify/map_function.h"
#include "passes/simplify/share.h"

namespace cdsl {
namespace {

using namespace simplification;

std::unordered_map<uint32_t, int64_t> known_sizes(const tir::Function& function) {
  std::unordered_map<uint32_t, int64_t> known;
  for (const tir::Size& size : function.sizes) {
    if (size.known) known[size.symbol.value] = *size.known;
  }
  return known;
}

void drop_true_guards(tir::Function& function, tir::Block& block) {
  const auto drop = [&](tir::Domain& domain) {
    const Value* guard =
        domain.guard.valid() ? function.arena.constant_value(domain.guard) : nullptr;
    if (guard != nullptr && guard->i != 0) domain.guard = {};
  };
  for (tir::Statement& statement : block.statements) {
    if (auto* stage = std::get_if<tir::Stage>(&statement))
      drop(stage->domain);
    else if (auto* scatter = std::get_if<tir::Scatter>(&statement))
      drop(scatter->domain);
    else
      drop_true_guards(function, *std::get<tir::Loop>(statement).body);
  }
}

void add_remark(const tir::Function& function, const Algebra& algebra, int shared, int removed,
                PassContext& context) {
  Remark remark;
  remark.pass = "simplify";
  remark.site = function.name;
  for (const auto& [rule, count] : algebra.fired())
    remark.numbers.push_back({std::string(rule), static_cast<double>(count), ""});
  if (shared > 0)
    remark.numbers.push_back({"equal reductions made one", static_cast<double>(shared), ""});
  if (removed > 0)
    remark.numbers.push_back({"dead statements removed", static_cast<double>(removed), ""});
  remark.fired = !remark.numbers.empty();
  remark.choice = remark.fired ? "simplified" : "unchanged";
  remark.reason = remark.fired ? "exact rules applied" : "no exact rule applies";
  remark.where = function.where;
  context.remarks.push_back(std::move(remark));
}

}  // namespace

tir::Function simplify(tir::Function function, PassContext& context) {
  ExprArena& arena = function.arena;
  Algebra algebra(arena);
  ReductionSharing sharing(arena);
  const auto known = known_sizes(function);
  const auto replace = [&](ExprId id) -> std::optional<ExprId> {
    const auto* symbol = arena.get_if<Symbol>(id);
    const auto found = symbol == nullptr ? known.end() : known.find(symbol->symbol.value);
    return found == known.end() ? std::nullopt : std::optional(arena.integer(found->second));
  };
  const auto finish = [&](ExprId id) {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce == nullptr) return algebra.simplest(id);
    const uint32_t part = reduce->part;
    return arena.reduce(sharing.shared(reduce->reduction), part);
  };
  Rewriter rewriter(arena, replace, finish);
  map_expressions(function, [&](ExprId id) { return rewriter(id); });
  drop_true_guards(function, function.body);
  const int removed = remove_dead(function);
  add_remark(function, algebra, sharing.found(), removed, context);
  return function;
}

}  // namespace cdsl
