// Walks over what a block does not hold at once: rounds of a tile, whole ones without tests, and the taps of a filter.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"

namespace cdsl::lowering {

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

}  // namespace cdsl::lowering
