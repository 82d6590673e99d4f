// Reductions of a group: terms, or the identity where a point lies outside; over what a thread walks, then over the tile.
#include <algorithm>
#include <set>
#include <utility>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/reduction.h"
#include "passes/lower/tiles/combine.h"

namespace cdsl::lowering {
namespace {

bool is_read(const ExprArena& arena, ExprId id) { return arena.get_if<Read>(id) != nullptr; }

bool is_arg(Monoid monoid) { return monoid == Monoid::ArgMin || monoid == Monoid::ArgMax; }

}  // namespace

// The lifted terms, or the identity at points outside.
std::vector<ExprId> GroupLowering::terms(const Reduction& reduction, const std::vector<ExprId>& identity) {
  ExprId inside;
  for (const Bound& bound : bounds_) {
    const bool reduced = std::any_of(reduction.axes.begin(), reduction.axes.end(),
                                     [&](const Axis& axis) { return axis.index == bound.axis->index; });
    if (reduced) inside = logical_and(arena_, inside, bound.inside);
  }
  const std::size_t outer = predicates_.size();
  if (reduction.guard.valid()) {
    const ExprId holds = lowerer_.fixed(reduction.guard, "holds");
    predicates_.push_back(holds);
    conditions_.push_back(reduction.guard);
    inside = logical_and(arena_, inside, holds);
  }
  std::vector<ExprId> result;
  outside_ = inside.valid() && !reduction.guard.valid() ? outside(reduction, identity[0]) : Outside{};
  for (ExprId lifted : reduction.lifted) result.push_back(widened(arena_, lowerer_.value(lifted)));
  if (std::exchange(outside_, {}).is_used) inside = {};
  predicates_.resize(outer);
  conditions_.resize(outer);
  if (is_arg(reduction.monoid)) result.push_back(arena_.cast(position(reduction), position_type(reduction)));
  if (!inside.valid()) return result;
  for (std::size_t p = 0; p < result.size(); ++p) {
    const ExprId outside = reduction.monoid == Monoid::Count ? arena_.boolean(false) : identity[p];
    result[p] = arena_.apply(Op::Select, {inside, result[p], outside});
  }
  return result;
}

// Of a term that is an element as it stands in memory, widened perhaps.
GroupLowering::Outside GroupLowering::outside(const Reduction& reduction, ExprId identity) const {
  const Value* value = arena_.constant_value(identity);
  if (reduction.lifted.size() != 1 || is_arg(reduction.monoid) || reduction.monoid == Monoid::Count || value == nullptr) return {};
  ExprId read = reduction.lifted[0];
  while (arena_.is_apply(read, Op::Cast)) {
    const ExprId inner = arena_.args(read)[0];
    if (evaluation_type(arena_.type(inner)) != arena_.type(read)) return {};
    read = inner;
  }
  const ScalarType type = arena_.type(read);
  if (!is_read(arena_, read) || type == ScalarType::F8E4M3 || type == ScalarType::F8E5M2) return {};
  const auto symbols = free_symbols(arena_, read);
  for (const Axis& axis : reduction.axes)
    if (std::find(symbols.begin(), symbols.end(), axis.index) == symbols.end()) return {};
  if (type == arena_.type(identity)) return {read, identity};
  return is_float(type) && is_float(arena_.type(identity)) ? Outside{read, arena_.constant(type, *value)} : Outside{};
}

ExprId GroupLowering::position(const Reduction& reduction) {
  if (reduction.axes.size() == 1) return lowerer_.index_in_scope(reduction.axes[0].index);
  ExprId flat = arena_.integer(0);
  for (const Axis& axis : reduction.axes) {
    const ExprId lo = lowerer_.value(axis.lo), hi = lowerer_.value(axis.hi);
    flat = index_add(arena_, index_mul(arena_, flat, index_sub(arena_, hi, lo)),
                     index_sub(arena_, lowerer_.index_in_scope(axis.index), lo));
  }
  return flat;
}

// In 32 bits where that is sure to do.
ScalarType GroupLowering::position_type(const Reduction& reduction) const {
  int64_t count = 1;
  for (const Axis& axis : reduction.axes) {
    const auto lo = constant_integer(arena_, lowerer_.value(axis.lo)), hi = constant_integer(arena_, lowerer_.value(axis.hi));
    if (!lo || !hi || *lo < 0 || *hi > INT32_MAX || __builtin_mul_overflow(count, *hi - *lo, &count)) return ScalarType::I64;
  }
  return count <= INT32_MAX ? ScalarType::I32 : ScalarType::I64;
}

void GroupLowering::finish_position(const Reduction& reduction, std::vector<ExprId>& parts) {
  parts[1] = arena_.cast(parts[1], ScalarType::I64);
  report_empty(reduction, parts);
}

std::optional<std::vector<ExprId>> GroupLowering::reduce(ReductionId id) {
  if (const RunningReduction* found = running(id)) return run_along(*found);
  if (is_online(id)) return std::vector{reduce_online(id)};
  const Reduction reduction = arena_.reduction(id);
  loop::Combine how;
  how.monoid = reduction.monoid;
  const ScalarType type = reduction.monoid == Monoid::Count ? ScalarType::I64 : evaluation_type(reduction.types[0]);
  std::vector<ScalarType> types{type};
  if (is_arg(reduction.monoid)) types.push_back(position_type(reduction));
  const std::vector<ExprId> identity = identity_of(arena_, how, types);
  const std::string name = lowerer_.kernel().fresh(name_of_accumulator(reduction.monoid));
  const SourceRange outer = builder_.where();
  if (reduction.where.valid()) builder_.at(reduction.where);
  if (combining_ && is_shared(reduction)) {
    std::vector<ExprId> result = combine_shares(id, name);
    if (is_arg(reduction.monoid)) finish_position(reduction, result);
    builder_.at(outer);
    return result;
  }

  std::vector<ExprId> tile_axes;
  std::vector<Bound*> streams;
  for (Bound& bound : bounds_) {
    const bool reduced = std::any_of(reduction.axes.begin(), reduction.axes.end(),
                                     [&](const Axis& axis) { return axis.index == bound.axis->index; });
    if (!reduced) continue;
    tile_axes.insert(tile_axes.end(), bound.axes.begin(), bound.axes.end());
    if (bound.axis->binding == Binding::Stream) streams.push_back(&bound);
  }
  std::vector<ExprId> result;
  for (ExprId lifted : reduction.lifted) reduce_first(lifted);
  if (streams.empty()) {
    keep(reduction.lifted);
    Lowerer::Scope scope(lowerer_);
    result = terms(reduction, identity);
    if (!tile_axes.empty()) result = builder_.reduce(name, how, tile_axes, result);
  } else {
    // Distributed over all that the terms depend on.
    std::vector<ExprId> over_axes = tile_axes;
    const auto symbols = free_symbols(arena_, arena_.reduce(id));
    for (const Bound& bound : bounds_) {
      const bool used = group_.flat || is_moved_by(bound, symbols);
      if (!used) continue;
      for (const ExprId axis : bound.axes)
        if (std::find(over_axes.begin(), over_axes.end(), axis) == over_axes.end()) over_axes.push_back(axis);
    }
    std::vector<loop::Variable> sums;
    for (std::size_t p = 0; p < types.size(); ++p)
      sums.push_back(builder_.var_over(p == 0 ? name : name + "_at", over_axes, identity[p]));
    const Positions positions = reduction.axes.size() == 1 ? Positions::Rising : Positions::Any;   // each register goes up along the one axis
    over(streams, true, [&] {
      std::vector<ExprId> values = terms(reduction, identity);
      if (reduction.monoid == Monoid::Count) values[0] = arena_.cast(values[0], ScalarType::I64);
      std::vector<ExprId> now;
      for (const loop::Variable& sum : sums) now.push_back(sum.ref);
      if (values.size() > 1)
        for (ExprId& value : values) value = builder_.let(lowerer_.kernel().fresh("term"), value);
      std::vector<ExprId> next;
      if (is_arg(how)) {
        const ExprId better = builder_.let(lowerer_.kernel().fresh("better"), is_better(arena_, how, now, values, positions));
        for (std::size_t p = 0; p < now.size(); ++p)
          next.push_back(builder_.let(lowerer_.kernel().fresh("next"), builder_.select(better, values[p], now[p])));
      } else {
        next = combined(arena_, how, now, values);
      }
      for (std::size_t p = 0; p < sums.size(); ++p) builder_.assign(sums[p], next[p]);
    });
    for (const loop::Variable& sum : sums) result.push_back(sum.ref);
    if (how.monoid == Monoid::Count) how.monoid = Monoid::Sum;
    if (!tile_axes.empty()) result = builder_.reduce(lowerer_.kernel().fresh(name), how, tile_axes, result);
  }
  if (is_shared(reduction)) {
    result = share(id, how, identity, name, std::move(result));
  } else if (is_arg(reduction.monoid)) {
    finish_position(reduction, result);
  }
  builder_.at(outer);
  return result;
}

void GroupLowering::report_empty(const Reduction& reduction, const std::vector<ExprId>& parts) {
  // Along indices of the statement itself alone there is a point only where there is something to choose from.
  std::set<SymbolId> stored;
  for (const tir::Target& target : group_.stores) {
    for (ExprId subscript : target.subscripts) {
      for (SymbolId symbol : free_symbols(arena_, subscript)) stored.insert(symbol);
    }
  }
  if (std::all_of(reduction.axes.begin(), reduction.axes.end(), [&](const Axis& axis) { return stored.contains(axis.index); })) return;
  const std::string text = std::string(name_of(reduction.monoid)) + " over nothing";
  const uint32_t site = lowerer_.kernel().add_site(loop::ReportSite::Kind::EmptyArg, text, reduction.where);
  ExprId empty = arena_.apply(Op::Lt, {parts[1], arena_.integer(0)});
  // A block whose own points are none chooses nothing.
  for (const Bound& bound : bounds_) {
    if (bound.axis->binding != Binding::Grid && stored.contains(bound.axis->index))
      empty = logical_and(arena_, arena_.apply(Op::Lt, {bound.lo, bound.hi}), empty);
  }
  for (const Bound& bound : bounds_) {
    if (bound.axis->binding == Binding::Grid && bound.inside.valid()) empty = logical_and(arena_, bound.inside, empty);
  }
  builder_.if_(empty, [&] { builder_.report(site, arena_.integer(-1)); });
}

}  // namespace cdsl::lowering
