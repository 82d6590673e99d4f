#include "passes/recognize/running.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

/// bound - index, where that is a constant.
std::optional<int64_t> distance(const ExprArena& arena, ExprId bound, SymbolId index) {
  if (const auto* symbol = arena.get_if<Symbol>(bound)) return symbol->symbol == index ? std::optional<int64_t>(0) : std::nullopt;
  if (!arena.is_apply(bound, Op::Add)) return std::nullopt;
  const auto args = arena.args(bound);
  const auto* of = arena.get_if<Symbol>(args[0]);
  return of != nullptr && of->symbol == index ? constant_integer(arena, args[1]) : std::nullopt;
}

/// Extents of all axes hang on none of them, and none starts below 0.
bool is_box(const ExprArena& arena, const tir::Stage& stage) {
  const auto& axes = stage.domain.axes;
  return std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) {
    return constant_integer(arena, axis.lo).value_or(-1) >= 0 && std::none_of(axes.begin(), axes.end(), [&](const Axis& other) {
      return uses(arena, axis.lo, other.index) || uses(arena, axis.hi, other.index);
    });
  });
}

}  // namespace

std::optional<Op> joining(Monoid monoid) {
  switch (monoid) {
    case Monoid::Sum: return Op::Add;
    case Monoid::Prod: return Op::Mul;
    case Monoid::Min: return Op::Min;
    case Monoid::Max: return Op::Max;
    case Monoid::Any: return Op::LogicalOr;
    case Monoid::All: return Op::LogicalAnd;
    default: return std::nullopt;
  }
}

bool uses(const ExprArena& arena, ExprId id, SymbolId symbol) {
  if (!id.valid()) return false;
  const auto free = free_symbols(arena, id);
  return std::find(free.begin(), free.end(), symbol) != free.end();
}

std::optional<Running> running(ExprArena& arena, const tir::Stage& stage, ExprId node) {
  const ReductionId id = arena.get_if<Reduce>(node)->reduction;
  const Reduction& reduction = arena.reduction(id);
  if (reduction.axes.size() != 1 || !joining(reduction.monoid) || !is_box(arena, stage)) return std::nullopt;
  const Axis& inner = reduction.axes[0];
  for (std::size_t axis = 0; axis < stage.domain.axes.size(); ++axis) {
    const Axis& outer = stage.domain.axes[axis];
    if (constant_integer(arena, outer.lo) != 0) continue;
    if (uses(arena, reduction.lifted[0], outer.index) || uses(arena, reduction.guard, outer.index)) continue;
    Running found{node, id, axis, false, 0, {}, {}};
    if (const auto to = distance(arena, inner.hi, outer.index); to && *to >= 0 && *to <= 1 && constant_integer(arena, inner.lo) == 0) {
      found.shift = *to;
      found.lo = inner.lo;
      found.hi = index_add(arena, outer.hi, arena.integer(*to - 1));
      return found;
    }
    if (const auto from = distance(arena, inner.lo, outer.index); from && *from >= 0 && *from <= 1 && inner.hi == outer.hi) {
      found.down = true;
      found.shift = *from;
      found.lo = outer.lo;
      found.hi = inner.hi;
      return found;
    }
  }
  return std::nullopt;
}

std::vector<Running> all_running(ExprArena& arena, const tir::Stage& stage, ExprId value) {
  std::vector<Running> all;
  std::vector<ExprId> open{value};
  std::unordered_set<ExprId> seen;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    if (arena.get_if<Reduce>(id) != nullptr) {
      if (const auto found = running(arena, stage, id)) all.push_back(*found);
      continue;
    }
    const auto* apply = arena.get_if<Apply>(id);
    if (apply == nullptr || apply->op == Op::Select || apply->op == Op::LogicalAnd || apply->op == Op::LogicalOr) continue;
    const auto args = arena.args(id);
    open.insert(open.end(), args.begin(), args.end());
  }
  return all;
}

}  // namespace cdsl::deciding
