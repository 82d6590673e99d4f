#include "passes/lower/group/group_lowering.h"

#include <algorithm>
#include <set>
#include <utility>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/reduction.h"
#include "passes/lower/tiles/combine.h"

namespace cdsl::lowering {

GroupLowering::GroupLowering(Lowerer& lowerer, const Group& group, uint32_t counter, Parts parts)
    : lowerer_(lowerer), builder_(lowerer.builder()), arena_(lowerer.arena()), group_(group), counter_(counter), parts_(std::move(parts)) {}

void GroupLowering::run_totals() {
  totals_ = true;
  run();
}

void GroupLowering::run() {
  builder_.kernel().block[0] = group_.warps * 32;
  builder_.kernel().resident = group_.resident;
  for (std::size_t k = 0; k < group_.stores.size(); ++k) {
    const tir::Target& target = group_.stores[k];
    roots_.insert(roots_.end(), target.subscripts.begin(), target.subscripts.end());
    roots_.push_back(target.value);
    if (group_.conditions[k].valid()) roots_.push_back(group_.conditions[k]);
  }
  for (const GroupAxis& axis : group_.axes) roots_.insert(roots_.end(), {axis.lo, axis.hi});
  lowerer_.begin(roots_);
  find_kept();
  builder_.at(group_.where);
  lowerer_.set_hooks({[this](ReductionId id) { return reduce(id); },
                      [this](ExprId index) { return inside_where(index); },
                      [this](ExprId read) { return staged(read); },
                      [this](ExprId select) {
                        return std::binary_search(group_.selected.begin(), group_.selected.end(), select) || may_take_both(select);
                      },
                      [this](ExprId read) { return is_readable(read); },
                      [this](ExprId id) { return axes_of(id); },
                      [this](ExprId read) {
                        if (read != outside_.read) return ExprId{};
                        outside_.is_used = true;
                        return outside_.value;
                      }});
  const ExprId block = builder_.special64(loop::Special::BlockX);
  if (group_.rounds) {
    in_rounds();
  } else if (!group_.persistent) {
    place_blocks(block);
    declare_axes();
    tile();
  } else {
    find_bounds();
    declare_axes();
    builder_.for_(lowerer_.kernel().fresh("tile"), block, lowerer_.value(blocks_of(arena_, group_)), builder_.special64(loop::Special::GridDimX),
                  [&](ExprId number) {
                    Lowerer::Scope scope(lowerer_);
                    tile_number_ = arena_.get_if<Symbol>(number)->symbol;
                    place_blocks(builder_.let_within(lowerer_.kernel().fresh("number"), number, arena_.integer(0), arena_.integer(int64_t{1} << 31)));
                    tile();
                    builder_.barrier();        // the next tile takes the shared memory of this one
                  }).note = "tiles";
  }
  lowerer_.set_hooks({});
  for (const SizeMultiple& multiple : group_.multiples) {
    const ExprId size = lowerer_.value(arena_.symbol_ref(multiple.size));
    if (const auto* symbol = arena_.get_if<Symbol>(size)) builder_.kernel().multiples.push_back({symbol->symbol, multiple.of});
  }
  note_alignment();
  note_streams();
}

// All of one tile; where its edges are split from its inside, one of both.
void GroupLowering::tile() {
  ExprId interior;
  if (group_.split_edge) {
    for (const Bound& bound : bounds_) {
      if (bound.axis->binding != Binding::Grid) continue;
      if (bound.axis->low > 0) {
        const ExprId least = index_add(arena_, bound.lo, arena_.integer(bound.axis->low));
        interior = logical_and(arena_, interior, arena_.apply(Op::Ge, {bound.base, least}));
      }
      if (bound.axis->high == 0 && !needs_test(bound)) continue;
      const ExprId end = index_add(arena_, bound.base, index_add(arena_, tile_of(*bound.axis), arena_.integer(bound.axis->high)));
      interior = logical_and(arena_, interior, arena_.apply(Op::Le, {end, bound.hi}));
    }
  }
  if (!interior.valid()) {
    body(true);
  } else {
    builder_.if_(interior, [&] { body(false); }, [&] { body(true); });
  }
}

// Workspace is aligned wherever it begins; parameters as the group asks.
void GroupLowering::note_alignment() {
  if (group_.alignment == 1) return;
  const loop::Program& program = lowerer_.kernel().memory().program();
  for (BufferId id : builder_.kernel().buffers) {
    const uint32_t number = lowerer_.kernel().plan_buffer(id);
    if (number == kNoBuffer) continue;
    const plan::Buffer& buffer = program.plan.buffers[number];
    const bool asked = std::find(group_.aligned.begin(), group_.aligned.end(), buffer.tensor) != group_.aligned.end();
    if (asked || (buffer.kind == plan::Buffer::Kind::Workspace && !buffer.tensor.valid())) builder_.kernel().alignments.push_back({id, group_.alignment});
  }
}

void GroupLowering::note_streams() {
  const loop::Program& program = lowerer_.kernel().memory().program();
  for (BufferId id : builder_.kernel().buffers) {
    const uint32_t number = lowerer_.kernel().plan_buffer(id);
    if (number == kNoBuffer) continue;
    const TensorId tensor = program.plan.buffers[number].tensor;
    if (std::find(group_.streamed.begin(), group_.streamed.end(), tensor) != group_.streamed.end()) builder_.kernel().streamed.push_back(id);
  }
}

void GroupLowering::declare_axes() {
  for (Bound& bound : bounds_) {
    if (bound.axis->factors.empty()) continue;
    if (is_walked_online(*bound.axis)) {
      declare_apart(bound);
      continue;
    }
    bound.tile_index = builder_.axis(lowerer_.kernel().fresh(arena_.symbol(bound.axis->index).name), bound.axis->factors);
    bound.axes = {bound.tile_index};
  }
}

bool GroupLowering::needs_test(const Bound& bound) const {
  if (bound.axis->start) return true;
  const int64_t step = bound.axis->tile() * (bound.axis->binding == Binding::Stream ? bound.axis->chunk : 1);
  if (bound.axis->binding != Binding::Resident && step == 1) return false;
  const auto lo = constant_integer(arena_, bound.lo), hi = constant_integer(arena_, bound.hi);
  if (!lo || !hi) return true;
  return bound.axis->binding == Binding::Resident ? *hi - *lo != step : (*hi - *lo) % step != 0;
}

void GroupLowering::bind(Bound& bound, ExprId index, bool tested) {
  bound.inside = {};
  if (!tested && group_.split_edge && bound.axis->binding == Binding::Grid) {
    const GroupAxis& axis = *bound.axis;
    return lowerer_.bind_inside(axis.index, index, index_add(arena_, bound.lo, arena_.integer(axis.low)), index_sub(arena_, bound.hi, arena_.integer(axis.high)));
  }
  // A range that a block holds whole may be empty: what lies outside the reduction over it is computed all the same.
  lowerer_.bind(bound.axis->index, index, bound.lo, bound.hi, bound.axis->binding != Binding::Resident);
  bound.inside = tested && needs_test(bound) ? arena_.apply(Op::Lt, {index, bound.hi}) : ExprId{};
  if (tested && bound.axis->start) bound.inside = logical_and(arena_, arena_.apply(Op::Le, {bound.lo, index}), bound.inside);
}

// Do threads of the block hold one point of the store several times?
bool GroupLowering::is_replicated() const {
  int64_t told_apart = 1;
  for (const GroupAxis& axis : group_.axes) {
    for (const loop::Factor& f : axis.factors) {
      const bool stored = axis.binding == Binding::Grid || is_carried_along(axis);
      if ((f.level == loop::Level::Warp || f.level == loop::Level::Lane) && stored) told_apart *= f.extent;
    }
  }
  return told_apart < group_.warps * 32;
}

void GroupLowering::body(bool tested) {
  Lowerer::Scope scope(lowerer_);
  tested_ = tested;
  online_.clear();
  std::vector<ExprId> indices, extents;
  for (Bound& bound : bounds_) {
    if (bound.axis->binding == Binding::Stream || bound.axis->start || (group_.flat && &bound != &bounds_.back()) || bound.axis->skew > 1) continue;
    ExprId index = bound.axis->binding == Binding::Grid ? bound.base : bound.lo;
    if (bound.tile_index.valid()) index = index_add(arena_, index, bound.tile_index);
    bind(bound, index, tested);
  }
  for (Bound& bound : bounds_)
    if (bound.axis->skew > 1) bind_skewed(bound);
  for (Bound& bound : bounds_) {            // where a row begins hangs on the others
    if (bound.axis->binding == Binding::Resident && bound.axis->start) bind(bound, index_add(arena_, begin_of(bound), bound.tile_index), tested);
  }
  if (group_.flat) {
    // The box's indices, from the last to the first.
    ExprId rest = lowerer_.index_in_scope(bounds_.back().axis->index);
    const ExprId point = rest;
    std::vector<ExprId> found(bounds_.size() - 1);
    for (std::size_t k = found.size(); k-- > 0;) {
      found[k] = k == 0 ? rest : arena_.apply(Op::Rem, {rest, bounds_[k].hi});
      if (k > 0) rest = arena_.apply(Op::Div, {rest, bounds_[k].hi});
      lowerer_.bind(bounds_[k].axis->index, found[k], bounds_[k].lo, bounds_[k].hi);
      extents.insert(extents.begin(), bounds_[k].hi);
    }
    lowerer_.bind_flat(found, extents, point);
  }
  declare_boxes();
  const std::vector<ExprId> none;
  fill_boxes(none);
  if (group_.shares > 1) return in_shares();
  if (totals_) return store_totals();
  bool waits = false;
  for (std::size_t k = 0; k < group_.stores.size(); ++k) {
    builder_.at(group_.stores[k].where);
    reduce_first(group_.stores[k].value);
    keep(std::span(&group_.stores[k].value, 1));
    waits |= reads_earlier(k);
  }
  if (waits) return store_together();
  for (std::size_t k = 0; k < group_.stores.size(); ++k) store(k);
}

// --- Stores ---

void GroupLowering::store(std::size_t k) {
  std::vector<ExprId> roots = group_.stores[k].subscripts;
  builder_.at(group_.stores[k].where);
  Lowerer::Scope scope(lowerer_);
  reduce_first(group_.stores[k].value);
  declare_carries(group_.stores[k].value);
  over(open_streams(roots), true, [&] {
    write(k);
    carry_on();
  });
}

// All values are of the memory before the first store: `p[i] = P(a: p[i].b, b: p[i].a)` exchanges two fields.
void GroupLowering::store_together() {
  std::vector<ExprId> roots;
  for (const tir::Target& target : group_.stores) roots.insert(roots.end(), target.subscripts.begin(), target.subscripts.end());
  for (const tir::Target& target : group_.stores)
    CDSL_CHECK(open_streams(target.subscripts).size() == open_streams(roots).size(), "stores that wait for each other along different axes");
  Lowerer::Scope scope(lowerer_);
  for (const tir::Target& target : group_.stores) declare_carries(target.value);
  over(open_streams(roots), true, [&] {
    std::vector<ExprId> values;
    for (std::size_t k = 0; k < group_.stores.size(); ++k) values.push_back(under_condition(k, [&] { return value_now(k); }));
    if (is_replicated()) builder_.barrier();
    for (std::size_t k = 0; k < group_.stores.size(); ++k) write(k, values[k]);
    carry_on();
  });
}

// A value of store k in a register, before any of the stores.
ExprId GroupLowering::value_now(std::size_t k) {
  const ExprId value = group_.stores[k].value;
  builder_.at(group_.stores[k].where);
  lowerer_.prepare(std::span(&value, 1));
  return lowerer_.fixed(value, "now");
}

// What `body` lowers counts only where the condition of store k holds.
ExprId GroupLowering::under_condition(std::size_t k, const std::function<ExprId()>& body) {
  if (!group_.conditions[k].valid()) return body();
  predicates_.push_back(lowerer_.fixed(group_.conditions[k], "holds"));
  conditions_.push_back(group_.conditions[k]);
  const ExprId made = body();
  predicates_.pop_back();
  conditions_.pop_back();
  return made;
}

// Reductions that `root` needs, inner ones first, so that no walk over an axis stands inside another over the same.
void GroupLowering::reduce_first(ExprId root) {
  for (ExprId id : postorder(arena_, std::span(&root, 1))) {
    if (arena_.get_if<Reduce>(id) != nullptr && open_streams(std::span(&id, 1)).empty())
      lowerer_.prepare(std::span(&id, 1));
  }
}

void GroupLowering::write(std::size_t k, ExprId now) {
  const tir::Target& target = group_.stores[k];
  Storage& storage = lowerer_.kernel().memory().of(target.tensor);
  const std::size_t outer = predicates_.size();
  ExprId guard;
  if (group_.conditions[k].valid()) {
    guard = lowerer_.fixed(group_.conditions[k], "holds");
    predicates_.push_back(guard);
    conditions_.push_back(group_.conditions[k]);
  }
  std::vector<ExprId> roots = target.subscripts;
  roots.push_back(target.value);
  if (!now.valid()) lowerer_.prepare(roots);
  ExprId value = now.valid() ? now : lowerer_.value(target.value);
  const bool overwrites = !now.valid() && (std::any_of(group_.stores.begin(), group_.stores.end(), [&](const tir::Target& other) {
    return reads_tensor(arena_, other.value, target.tensor);
  }) || std::any_of(group_.conditions.begin(), group_.conditions.end(), [&](ExprId condition) {
    return condition.valid() && reads_tensor(arena_, condition, target.tensor);
  }));
  if (overwrites && is_replicated()) {      // every thread has read the element before one of them writes it
    value = lowerer_.fixed(target.value, "now");
    builder_.barrier();
  }
  const Place place = lowerer_.place_of_target(target, storage);
  predicates_.resize(outer);
  conditions_.resize(outer);
  CDSL_CHECK(place.tests.empty(), "a store of a group that is tested for each element");
  for (const Bound& bound : bounds_) {
    const bool moves = group_.flat ? &bound == &bounds_.back() : std::any_of(target.subscripts.begin(), target.subscripts.end(), [&](ExprId s) {
      const auto symbols = free_symbols(arena_, s);
      return std::find(symbols.begin(), symbols.end(), bound.axis->index) != symbols.end();
    });
    if (moves) guard = logical_and(arena_, bound.inside, guard);
  }
  const ScalarType held = lowerer_.kernel().memory().program().buffer(place.buffer).element.leaves[place.leaf].type;
  const ExprId stored = lowerer_.stored(target.value, value, held);
  const loop::Access access = builder_.access(place.buffer, place.index, place.leaf, place.within);
  if (!guard.valid()) return builder_.store(access, stored);
  builder_.if_(guard, [&] { builder_.store(access, stored); });
}

}  // namespace cdsl::lowering
