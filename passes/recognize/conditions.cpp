#include "passes/recognize/conditions.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

// Facts that hold for every launch; those that are only assumed do not count here.
std::vector<ExprId> required(const tir::Function& function) {
  std::vector<ExprId> facts;
  for (const tir::Fact& fact : function.facts)
    if (fact.required && fact.kind == tir::Fact::Kind::Condition) facts.push_back(fact.condition);
  return facts;
}

}  // namespace

std::unordered_set<ExprId> surely_evaluated(const ExprArena& arena, const std::vector<ExprId>& roots) {
  std::unordered_set<ExprId> sure;
  std::vector<ExprId> open = roots;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!id.valid() || !sure.insert(id).second) continue;
    const auto* apply = arena.get_if<Apply>(id);
    if (apply != nullptr && (apply->op == Op::Select || apply->op == Op::LogicalAnd || apply->op == Op::LogicalOr)) {
      open.push_back(arena.args(id)[0]);
      continue;
    }
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce != nullptr && arena.reduction(reduce->reduction).guard.valid()) {
      open.push_back(arena.reduction(reduce->reduction).guard);
      continue;
    }
    for_each_child(arena, id, [&](ExprId child) { open.push_back(child); });
  }
  return sure;
}

// Two reductions may use one index for different ranges: of that one nothing is known.
SafeReads::SafeReads(const tir::Function& function, std::vector<Axis> axes) : function_(function) {
  for (const Axis& axis : axes) {
    const auto differs = [&](const Axis& other) { return other.index == axis.index && (other.lo != axis.lo || other.hi != axis.hi); };
    if (std::none_of(axes.begin(), axes.end(), differs)) axes_.push_back(axis);
  }
}
SafeReads::~SafeReads() = default;

bool SafeReads::holds(ExprId read) {
  const Read node = *function_.arena.get_if<Read>(read);
  const tir::Tensor& tensor = function_.tensor(node.tensor);
  const auto args = function_.arena.args(read);
  const auto rules = function_.arena.rules(read);
  for (std::size_t d = 0; d < args.size(); ++d) {
    if (rules[d].boundary == Boundary::Unchecked) return false;
    if (rules[d].boundary != Boundary::None || rules[d].holes.valid()) continue;
    if (d >= tensor.shape.size()) {                       // of an array in the element
      if (function_.arena.constant_value(args[d]) == nullptr) return false;
      continue;
    }
    if (!tensor.may_be_one.empty() && tensor.may_be_one[d]) return false;
    if (!inside(args[d], tensor.shape[d])) return false;
  }
  return true;
}

bool SafeReads::inside(ExprId subscript, ExprId extent) {
  const ExprArena& arena = function_.arena;
  Context where;
  const auto symbols = free_symbols(arena, subscript);
  for (const Axis& axis : axes_) {
    if (std::find(symbols.begin(), symbols.end(), axis.index) == symbols.end()) continue;
    const auto* bare = arena.get_if<Symbol>(subscript);
    const auto lo = constant_integer(arena, axis.lo);
    if (bare != nullptr && lo && *lo >= 0 && axis.hi == extent) return true;
    where.axes.push_back(axis);
  }
  if (!prover_) prover_ = std::make_unique<Prover>(arena, required(function_));
  return prover_->inside(where, subscript, extent) == Verdict::Proved;
}

std::string reduces_too_early(const tir::Function& function, const tir::Domain& domain, const std::vector<tir::Target>& stores) {
  const ExprArena& arena = function.arena;
  std::vector<ExprId> roots;
  for (const tir::Target& target : stores) roots.push_back(target.value);
  const auto sure = domain.guard.valid() ? std::unordered_set<ExprId>{} : surely_evaluated(arena, roots);
  std::vector<Axis> axes = domain.axes;
  std::vector<ExprId> early;
  for (ExprId id : postorder(arena, roots)) {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce == nullptr) continue;
    const Reduction& reduction = arena.reduction(reduce->reduction);
    axes.insert(axes.end(), reduction.axes.begin(), reduction.axes.end());
    if (sure.contains(id)) continue;
    if (reduction.monoid == Monoid::ArgMin || reduction.monoid == Monoid::ArgMax) return "a reduction that may report stands under a condition";
    early.insert(early.end(), reduction.lifted.begin(), reduction.lifted.end());
    if (reduction.guard.valid()) early.push_back(reduction.guard);
  }
  if (early.empty()) return {};
  SafeReads safe(function, axes);
  for (ExprId id : surely_evaluated(arena, early))
    if (arena.get_if<Read>(id) != nullptr && !safe.holds(id)) return "a reduction reads what a condition over it proves inside";
  return {};
}

}  // namespace cdsl::deciding
