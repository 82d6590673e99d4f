// Running reductions: the points of a tile are scanned along the axis, by the registers, lanes and warps that its factors name, and
// what came before the tile goes in front: from the last round of a walk, or, of a group in parts, from memory.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/reduction.h"
#include "passes/lower/tiles/combine.h"

namespace cdsl::lowering {
namespace {

constexpr int64_t kWarps = 32, kRuns = 8;      // of the block that goes over the totals of a row, a value a lane and run
constexpr int64_t kWarpsAcross = 8;            // the same of 32 rows

ExprId span_of(ExprArena& arena, const GroupAxis& axis) { return index_max(arena, index_sub(arena, axis.hi, axis.lo), arena.integer(0)); }

const GroupAxis& along(const Group& group) {
  return *std::find_if(group.axes.begin(), group.axes.end(), [&](const GroupAxis& axis) { return axis.index == group.running[0].along; });
}

// Points of the axes beside it.
ExprId rows_of(ExprArena& arena, const Group& group) {
  ExprId count = arena.integer(1);
  for (const GroupAxis& axis : group.axes)
    if (axis.binding == Binding::Grid && axis.index != group.running[0].along) count = index_mul(arena, count, span_of(arena, axis));
  return count;
}

ExprId tiles_of(ExprArena& arena, const Group& group) {
  const int64_t tile = along(group).tile();
  return index_floordiv(arena, index_add(arena, span_of(arena, along(group)), arena.integer(tile - 1)), arena.integer(tile));
}

ScalarType type_of(const ExprArena& arena, const RunningReduction& running) {
  return evaluation_type(arena.reduction(running.id).types[0]);
}

loop::Combine how_of(const ExprArena& arena, const RunningReduction& running) {
  loop::Combine how;
  how.monoid = arena.reduction(running.id).monoid;
  return how;
}

}  // namespace

ExprId with_ranges(ExprArena& arena, const Group& group, ExprId value) {
  if (group.running.empty()) return value;
  Rewriter rewrite(arena, [&](ExprId id) -> std::optional<ExprId> {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce == nullptr) return std::nullopt;
    const auto is_it = [&](const RunningReduction& r) { return r.id == reduce->reduction; };
    const auto found = std::find_if(group.running.begin(), group.running.end(), is_it);
    if (found == group.running.end()) return std::nullopt;
    Reduction shown = arena.reduction(found->id);
    const SymbolId index = arena.add_symbol("k", SymbolKind::Index);
    const ExprId end = index_add(arena, arena.symbol_ref(found->along), arena.integer(found->exclusive ? 0 : 1));
    const std::unordered_map<SymbolId, ExprId> with{{found->along, arena.symbol_ref(index)}};
    shown.axes = {{index, arena.integer(0), end}};
    if (shown.guard.valid()) shown.guard = substitute(arena, shown.guard, with);
    for (ExprId& lifted : shown.lifted) lifted = substitute(arena, lifted, with);
    return arena.reduce(arena.add_reduction(std::move(shown)));
  });
  return rewrite(value);
}

Parts add_parts(Memory& memory, const Group& group) {
  Parts parts;
  for (const RunningReduction& running : group.running) {
    const ExprId count = index_mul(memory.arena(), rows_of(memory.arena(), group), tiles_of(memory.arena(), group));
    parts.push_back(memory.add_workspace(group.name + "_parts", scalar_record(type_of(memory.arena(), running)), count));
  }
  return parts;
}

ExprId blocks_of_parts(ExprArena& arena, const Group& group) {
  const ExprId rows = rows_of(arena, group);
  return group.across ? index_floordiv(arena, index_add(arena, rows, arena.integer(31)), arena.integer(32)) : rows;
}

void sum_up_parts(Lowerer& lowerer, const Group& group, uint32_t parts, std::size_t number) {
  ExprArena& arena = lowerer.arena();
  loop::Builder& builder = lowerer.builder();
  const RunningReduction& running = group.running[number];
  const loop::Combine how = how_of(arena, running);
  const ScalarType type = type_of(arena, running);
  const ExprId identity = identity_of(arena, how, {type})[0];
  const ExprId count = tiles_of(arena, group), all = rows_of(arena, group);
  const ExprId roots[] = {count, all};
  lowerer.begin(roots);
  const int64_t warps = group.across ? kWarpsAcross : kWarps;
  builder.kernel().block[0] = static_cast<int>(warps * 32);
  builder.at(group.where);
  const ExprId tiles = lowerer.pinned(lowerer.value(count), "tiles"), rows = lowerer.pinned(lowerer.value(all), "rows");
  const BufferId buffer = lowerer.kernel().buffer(parts, scalar_record(type), true);
  std::vector<loop::Factor> factors{{loop::Level::Warp, warps, 1}, {loop::Level::Register, kRuns, 1}};
  if (!group.across) factors.push_back({loop::Level::Lane, 32, 1});
  const ExprId t = builder.axis(lowerer.kernel().fresh("t"), factors);
  ExprId row = builder.special64(loop::Special::BlockX), there;
  std::vector<ExprId> across;
  if (group.across) {
    across.push_back(builder.axis(lowerer.kernel().fresh("q"), {{loop::Level::Lane, 32, 1}}));
    row = index_add(arena, index_mul(arena, row, arena.integer(32)), across[0]);
    there = arena.apply(Op::Lt, {row, rows});
  }
  const loop::Variable before = builder.var_over(lowerer.kernel().fresh("before"), across, identity);
  const int64_t round = warps * kRuns * (group.across ? 1 : 32);
  builder.for_(lowerer.kernel().fresh("first"), arena.integer(0), tiles, arena.integer(round), [&](ExprId first) {
    const ExprId tile = index_add(arena, first, t);
    const ExprId inside = logical_and(arena, there, arena.apply(Op::Lt, {tile, tiles}));
    const ExprId place = index_add(arena, index_mul(arena, tile, rows), row);
    const ExprId load = arena.load(buffer, 0, type, place, {}, group.where);
    const ExprId total = builder.let(lowerer.kernel().fresh("total"), arena.apply(Op::Select, {inside, load, identity}));
    const auto scanned = builder.scan(lowerer.kernel().fresh(name_of_accumulator(how.monoid)), how, t, {total}, true, true);
    builder.if_(inside, [&] { builder.store(buffer, place, combined(arena, how, {before.ref}, scanned.results)[0]); });
    builder.assign(before, combined(arena, how, {before.ref}, scanned.totals)[0]);
  });
}

const RunningReduction* GroupLowering::running(ReductionId id) const {
  const auto found = std::find_if(group_.running.begin(), group_.running.end(), [&](const RunningReduction& r) { return r.id == id; });
  return found == group_.running.end() ? nullptr : &*found;
}

GroupLowering::Bound& GroupLowering::bound_of(SymbolId index) {
  return *std::find_if(bounds_.begin(), bounds_.end(), [&](const Bound& bound) { return bound.axis->index == index; });
}

GroupLowering::Carried GroupLowering::carried(const RunningReduction& running) {
  Carried c;
  c.how = how_of(arena_, running);
  c.identity = identity_of(arena_, c.how, {type_of(arena_, running)})[0];
  const auto symbols = free_symbols(arena_, arena_.reduce(running.id));
  for (const Bound& bound : bounds_) {
    const bool used = std::find(symbols.begin(), symbols.end(), bound.axis->index) != symbols.end();
    if (used && bound.axis->index != running.along && bound.tile_index.valid()) c.axes.push_back(bound.tile_index);
  }
  return c;
}

// Of a point; the identity where there is none.
ExprId GroupLowering::running_term(const RunningReduction& running, const Carried& c) {
  const Reduction reduction = arena_.reduction(running.id);
  const std::size_t outer = predicates_.size();
  ExprId inside = bound_of(running.along).inside;
  Lowerer::Scope scope(lowerer_);             // what is read under more conditions is not what others read at the same place
  if (running.limit.valid()) {
    const ExprId limit = arena_.apply(Op::Lt, {lowerer_.index_in_scope(running.along), lowerer_.value(running.limit)});
    predicates_.push_back(limit);
    inside = logical_and(arena_, inside, limit);
  }
  if (reduction.guard.valid()) {
    const ExprId holds = lowerer_.fixed(reduction.guard, "holds");
    predicates_.push_back(holds);
    conditions_.push_back(reduction.guard);
    inside = logical_and(arena_, inside, holds);
  }
  const ExprId term = widened(arena_, lowerer_.value(reduction.lifted[0]));
  predicates_.resize(outer);
  conditions_.resize(reduction.guard.valid() ? conditions_.size() - 1 : conditions_.size());
  return inside.valid() ? arena_.apply(Op::Select, {inside, term, c.identity}) : term;
}

std::vector<ExprId> GroupLowering::run_along(const RunningReduction& running) {
  const SourceRange outer = builder_.where();
  if (const SourceRange where = arena_.reduction(running.id).where; where.valid()) builder_.at(where);
  if (group_.rounds) {
    const Round& round = rounds_.at(running.id);
    return combined(arena_, round.c.how, {round.before.ref}, {round.waiting.ref});
  }
  const Carried c = carried(running);
  const Bound& bound = bound_of(running.along);
  CDSL_CHECK(bound.tile_index.valid(), "a running reduction along an axis of no tile");
  const ExprId before = group_.parts ? part_before(running, c) : ExprId();
  const bool walks = bound.axis->binding == Binding::Stream;
  const std::string name = lowerer_.kernel().fresh(name_of_accumulator(c.how.monoid));
  const auto scanned = builder_.scan(name, c.how, bound.tile_index, {running_term(running, c)}, running.exclusive, walks);
  builder_.at(outer);
  if (!walks) return before.valid() ? combined(arena_, c.how, {before}, scanned.results) : scanned.results;
  const loop::Variable& carry = carries_.at(running.id);
  carried_on_.emplace_back(carry, combined(arena_, c.how, {carry.ref}, scanned.totals)[0]);
  return combined(arena_, c.how, {carry.ref}, scanned.results);
}

// A variable for each running reduction in `value` that is walked along.
void GroupLowering::declare_carries(ExprId value) {
  for (ExprId id : postorder(arena_, std::span(&value, 1))) {
    const auto* reduce = arena_.get_if<Reduce>(id);
    const RunningReduction* found = reduce == nullptr ? nullptr : running(reduce->reduction);
    if (found == nullptr || bound_of(found->along).axis->binding != Binding::Stream) continue;
    const Carried c = carried(*found);
    carries_[found->id] = builder_.var_over(lowerer_.kernel().fresh("before"), c.axes, c.identity);
  }
}

// At the end of a round: values of this one hang on what came before it.
void GroupLowering::carry_on() {
  for (const auto& [carry, value] : carried_on_) builder_.assign(carry, value);
  carried_on_.clear();
}

// Neighbouring rows lie side by side.
ExprId GroupLowering::part_number() {
  const Bound& own = bound_of(group_.running[0].along);
  ExprId row = arena_.integer(0);
  for (const Bound& bound : bounds_) {
    if (bound.axis->binding != Binding::Grid || bound.axis == own.axis) continue;
    const ExprId offset = index_sub(arena_, lowerer_.index_in_scope(bound.axis->index), bound.lo);
    row = index_add(arena_, index_mul(arena_, row, index_sub(arena_, bound.hi, bound.lo)), offset);
  }
  const ExprId rows = lowerer_.value(rows_of(arena_, group_));
  const ExprId tile = lowerer_.pinned(arena_.apply(Op::Div, {own.base, tile_of(*own.axis)}), "tile");
  return index_add(arena_, index_mul(arena_, tile, rows), row);
}

// Of the axes beside the one that is run along.
ExprId GroupLowering::inside_others() const {
  ExprId inside;
  for (const Bound& bound : bounds_)
    if (bound.axis->binding == Binding::Grid && !is_carried_along(*bound.axis)) inside = logical_and(arena_, inside, bound.inside);
  return inside;
}

BufferId GroupLowering::part_buffer(std::size_t number, bool written) {
  return lowerer_.kernel().buffer(parts_[number], scalar_record(type_of(arena_, group_.running[number])), written);
}

ExprId GroupLowering::part_before(const RunningReduction& running, const Carried& c) {
  const BufferId buffer = part_buffer(static_cast<std::size_t>(&running - group_.running.data()), false);
  const ExprId load = arena_.load(buffer, 0, type_of(arena_, running), part_number(), {}, group_.where);
  const ExprId inside = inside_others();
  return builder_.let(lowerer_.kernel().fresh("before"), inside.valid() ? arena_.apply(Op::Select, {inside, load, c.identity}) : load);
}

void GroupLowering::store_totals() {
  for (std::size_t k = 0; k < group_.running.size(); ++k) {
    const RunningReduction& running = group_.running[k];
    const Carried c = carried(running);
    const std::string name = lowerer_.kernel().fresh(name_of_accumulator(c.how.monoid));
    const auto total = builder_.reduce(name, c.how, {bound_of(running.along).tile_index}, {running_term(running, c)});
    const BufferId buffer = part_buffer(k, true);
    const ExprId place = part_number(), inside = inside_others();
    const auto put = [&] { builder_.store(buffer, place, total[0]); };
    inside.valid() ? builder_.if_(inside, put) : put();
  }
}

}  // namespace cdsl::lowering
