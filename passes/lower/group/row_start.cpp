// Rows that begin anywhere: tiles begin at the vector, or the sector of a store, in which a row's first element lies, and test what lies outside the row, at both of
// its ends. The tests of a vector at an end fall apart into those of its elements (passes/lower/tiles/vector_units).
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {

// The element index of an access at the beginning of a row.
ExprId GroupLowering::first_of_row(const Bound& bound, TensorId tensor, uint32_t leaf, std::span<const ExprId> subscripts) {
  Lowerer::Scope scope(lowerer_);
  lowerer_.bind(bound.axis->index, bound.lo);
  std::vector<ExprId> at;
  for (ExprId subscript : subscripts) at.push_back(lowerer_.at_bound(subscript));
  return lowerer_.place_at(lowerer_.kernel().memory().of(tensor), leaf, std::move(at)).index;
}

ExprId GroupLowering::begin_of(Bound& bound) {
  const RowStart& row = *bound.axis->start;
  ExprId first = first_of_row(bound, row.tensor, row.leaf, row.subscripts);
  // What a row reads beside it may lie before the tensor; whole vectors leave the remainder as it is.
  const auto form = linear(arena_, first);
  const int64_t below = form ? std::max<int64_t>(0, -form->constant) : 0;
  first = index_add(arena_, first, arena_.integer((below + row.vector - 1) / row.vector * row.vector));
  const std::string& name = arena_.symbol(bound.axis->index).name;
  const ExprId before = lowerer_.pinned_within(arena_.apply(Op::Rem, {first, arena_.integer(row.vector)}), name + "_before", arena_.integer(0),
                                               arena_.integer(row.vector));
  bound.begin = constant_integer(arena_, bound.lo) == 0 ? arena_.apply(Op::Neg, {before}) : index_sub(arena_, bound.lo, before);
  return bound.begin;
}

// Tiles of a skewed row begin where a sector does: how far into one the first store's row begins hangs on the other indices.
void GroupLowering::bind_skewed(Bound& bound) {
  const tir::Target& target = group_.stores[0];
  const ExprId row = first_of_row(bound, target.tensor, target.leaf, target.subscripts);
  const ExprId skew = builder_.let(lowerer_.kernel().fresh("skew"), arena_.apply(Op::Rem, {row, arena_.integer(bound.axis->skew)}));
  const ExprId index = index_sub(arena_, index_add(arena_, bound.base, bound.tile_index), skew);
  bind(bound, index, true);
  bound.inside = logical_and(arena_, arena_.apply(Op::Ge, {index, bound.lo}), arena_.apply(Op::Lt, {index, bound.hi}));
}

// Rounds that lie inside the row test nothing.
void GroupLowering::over_row(Bound& stream, ExprId start, ExprId stride, const std::function<void()>& inner) {
  const std::string name = arena_.symbol(stream.axis->index).name + "_first";
  builder_.for_(lowerer_.kernel().fresh(name), start, stream.hi, stride, [&](ExprId first) {
    const ExprId end = index_add(arena_, first, tile_of(*stream.axis));
    const ExprId whole = logical_and(arena_, arena_.apply(Op::Le, {stream.lo, first}), arena_.apply(Op::Le, {end, stream.hi}));
    builder_.if_(whole, [&] { round(stream, first, false, inner); }, [&] { round(stream, first, true, inner); });
  });
}

// Does a value with these free symbols hang on the axis: by its index, or by where a row begins?
bool GroupLowering::is_moved_by(const Bound& bound, const std::vector<SymbolId>& symbols) const {
  const auto is_used = [&](SymbolId index) { return std::find(symbols.begin(), symbols.end(), index) != symbols.end(); };
  if (is_used(bound.axis->index)) return true;
  return std::any_of(bounds_.begin(), bounds_.end(), [&](const Bound& row) {
    if (!row.axis->start || !is_used(row.axis->index)) return false;
    const auto& at = row.axis->start->subscripts;
    return std::any_of(at.begin(), at.end(), [&](ExprId subscript) {
      const auto within = free_symbols(arena_, subscript);
      return std::find(within.begin(), within.end(), bound.axis->index) != within.end();
    });
  });
}

}  // namespace cdsl::lowering
