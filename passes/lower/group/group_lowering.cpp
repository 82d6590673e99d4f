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
namespace {

bool is_read(const ExprArena& arena, ExprId id) { return arena.get_if<Read>(id) != nullptr; }

bool is_arg(Monoid monoid) { return monoid == Monoid::ArgMin || monoid == Monoid::ArgMax; }

}  // namespace

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

// Blocks inside may read beyond the ends of rows.
bool GroupLowering::is_readable(ExprId read) {
  if (tested_) return false;
  return std::any_of(group_.axes.begin(), group_.axes.end(), [&](const GroupAxis& axis) {
    return axis.ends > 0 && lowerer_.lies_in_rows_beside(read, axis.index, axis.ends);
  });
}

// Arms that read, and nothing that could not be read or computed for nothing.
bool GroupLowering::may_take_both(ExprId select) {
  if (tested_ || std::none_of(group_.axes.begin(), group_.axes.end(), [](const GroupAxis& axis) { return axis.ends > 0; })) return false;
  bool reads = false;
  const ExprId arms[] = {arena_.args(select)[1], arena_.args(select)[2]};
  for (ExprId id : postorder(arena_, arms)) {
    if (arena_.get_if<Reduce>(id) != nullptr) return false;
    if (arena_.get_if<Read>(id) != nullptr) {
      if (!is_readable(id)) return false;
      reads = true;
    }
    const bool divides = arena_.is_apply(id, Op::Div) || arena_.is_apply(id, Op::Rem);
    if (divides && is_integer(arena_.type(id))) return false;
  }
  return reads;
}

// How far into a sector the first store's row begins hangs on the other indices.
void GroupLowering::bind_skewed(Bound& bound) {
  const tir::Target& target = group_.stores[0];
  ExprId row;
  {
    Lowerer::Scope scope(lowerer_);
    lowerer_.bind(bound.axis->index, bound.lo);
    std::vector<ExprId> at;
    for (ExprId subscript : target.subscripts) at.push_back(lowerer_.at_bound(subscript));
    row = lowerer_.place_at(lowerer_.kernel().memory().of(target.tensor), target.leaf, std::move(at)).index;
  }
  const ExprId skew = builder_.let(lowerer_.kernel().fresh("skew"), arena_.apply(Op::Rem, {row, arena_.integer(bound.axis->skew)}));
  const ExprId index = index_sub(arena_, index_add(arena_, bound.base, bound.tile_index), skew);
  bind(bound, index, true);
  bound.inside = logical_and(arena_, arena_.apply(Op::Ge, {index, bound.lo}), arena_.apply(Op::Lt, {index, bound.hi}));
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

// --- Streams ---

std::vector<GroupLowering::Bound*> GroupLowering::open_streams(std::span<const ExprId> roots) {
  std::vector<Bound*> streams;
  for (Bound& bound : bounds_) {
    if (bound.axis->binding != Binding::Stream) continue;
    const bool used = std::any_of(roots.begin(), roots.end(), [&](ExprId root) {
      const auto symbols = free_symbols(arena_, root);
      return std::find(symbols.begin(), symbols.end(), bound.axis->index) != symbols.end();
    });
    if (used) streams.push_back(&bound);
  }
  return streams;
}

// Taps of a filter, which blocks inside unroll: how many; 0 where the stream is something else.
int64_t GroupLowering::unrolled_taps(const Bound& stream) const {
  const auto lo = constant_integer(arena_, stream.lo), hi = constant_integer(arena_, stream.hi);
  if (tested_ || stream.axis->tile() != 1 || stream.axis->chunk != 1 || !lo || !hi || *hi - *lo > kMostTaps) return 0;
  return std::max<int64_t>(0, *hi - *lo);
}

// Do the taps move what a vector reads along its row? Then neighbours share it, once it is known which they are.
bool GroupLowering::moves_vectors(const Bound& stream) const {
  const auto has_vector = [](const GroupAxis& axis) {
    return std::any_of(axis.factors.begin(), axis.factors.end(), [](const loop::Factor& f) { return f.level == loop::Level::Vector && f.extent > 1; });
  };
  const auto vector = std::find_if(group_.axes.begin(), group_.axes.end(), has_vector);
  if (vector == group_.axes.end() || group_.flat) return false;
  for (ExprId id : postorder(arena_, roots_)) {
    if (arena_.get_if<Read>(id) == nullptr) continue;
    for (ExprId subscript : arena_.args(id)) {
      const auto symbols = free_symbols(arena_, subscript);
      const auto names = [&](SymbolId index) { return std::find(symbols.begin(), symbols.end(), index) != symbols.end(); };
      if (names(stream.axis->index) && names(vector->index)) return true;
    }
  }
  return false;
}

void GroupLowering::over(std::vector<Bound*> streams, bool tested, const std::function<void()>& inner) {
  if (streams.empty()) return inner();
  Bound& stream = *streams.front();
  streams.erase(streams.begin());
  const auto rest = [&] { over(streams, tested, inner); };
  const int64_t step = stream.axis->tile() * stream.axis->chunk;
  const std::string name = arena_.symbol(stream.axis->index).name;
  // A block with a share takes every so many rounds.
  const bool shared = group_.shares > 1 && stream.axis->index == group_.shared;
  const ExprId share = shared ? share_ : arena_.integer(0);
  const ExprId begin = stream.axis->start ? begin_of(stream) : stream.lo;
  const ExprId start = index_add(arena_, begin, index_mul(arena_, share, arena_.integer(step)));
  const ExprId stride = arena_.integer(shared ? step * group_.shares : step);
  if (stream.axis->start) return over_row(stream, start, stride, rest);
  if (step == 1 || !needs_test(stream)) {
    const int64_t taps = unrolled_taps(stream);
    if (taps > 0 && streams.empty() && moves_vectors(stream)) {
      const int64_t lo = *constant_integer(arena_, stream.lo);
      for (int64_t tap = lo; tap < lo + taps; ++tap) round(stream, arena_.integer(tap), false, rest);
      return;
    }
    loop::For& made = builder_.for_(lowerer_.kernel().fresh(step == 1 ? name : name + "_first"), start, stream.hi, stride,
                                    [&](ExprId first) { round(stream, first, false, rest); });
    if (taps > 0) made.unroll = static_cast<int>(taps);   // so that what neighbouring points read in common is read once
    return;
  }
  // Whole rounds without tests, then what is left.
  const ExprId span = index_sub(arena_, stream.hi, stream.lo);
  const ExprId whole = index_sub(arena_, span, arena_.apply(Op::Rem, {span, arena_.integer(step)}));
  const ExprId end = lowerer_.pinned(index_add(arena_, stream.lo, whole), name + "_whole");
  builder_.for_(lowerer_.kernel().fresh(name + "_first"), start, end, stride,
                [&](ExprId first) { round(stream, first, false, rest); });
  ExprId left = arena_.apply(Op::Lt, {end, stream.hi});
  if (shared) left = logical_and(arena_, left, arena_.apply(Op::Eq, {share, arena_.integer(group_.shares - 1)}));
  builder_.if_(left, [&] { round(stream, end, true, rest); });
}

void GroupLowering::round(Bound& stream, ExprId first, bool tested, const std::function<void()>& inner) {
  Lowerer::Scope scope(lowerer_);
  const auto at = [&](ExprId start) {
    ExprId index = stream.tile_index.valid() ? index_add(arena_, start, stream.tile_index) : start;
    bind(stream, index, tested);
  };
  at(first);
  const ExprId moving[] = {arena_.symbol_ref(stream.axis->index)};
  const bool copies = std::any_of(boxes_.begin(), boxes_.end(), [&](const Box& box) {
    const auto symbols = free_symbols(arena_, box.read);
    return std::find(symbols.begin(), symbols.end(), stream.axis->index) != symbols.end();
  });
  if (copies) fill_boxes(moving);
  if (stream.axis->chunk == 1) {
    inner();
  } else {
    loop::For& loop = builder_.for_(lowerer_.kernel().fresh(arena_.symbol(stream.axis->index).name + "_step"), arena_.integer(0),
                                    arena_.integer(stream.axis->chunk), [&](ExprId step) {
      Lowerer::Scope each(lowerer_);
      const ExprId start = index_add(arena_, first, index_mul(arena_, step, arena_.integer(stream.axis->tile())));
      if (!tested || stream.tile_index.valid()) {
        at(start);
        return inner();
      }
      lowerer_.bind(stream.axis->index, start, stream.lo, stream.hi);
      stream.inside = {};
      builder_.if_(arena_.apply(Op::Lt, {start, stream.hi}), [&] {
        Lowerer::Scope left(lowerer_);
        inner();
      });
    });
    if (!tested) loop.unroll = static_cast<int>(stream.axis->chunk);
  }
  if (copies) builder_.barrier();
  stream.inside = {};
}

// --- Reductions ---

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
