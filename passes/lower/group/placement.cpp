// Which tile a block takes: the tiles of all grid axes are counted as one number, row by row or in bands.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "passes/lower/group/group_lowering.h"

namespace cdsl::lowering {
namespace {

// A size is never negative.
bool is_size(const ExprArena& arena, ExprId id) {
  const auto* symbol = arena.get_if<Symbol>(id);
  return symbol != nullptr && arena.symbol(symbol->symbol).kind == SymbolKind::Size;
}

// Where the tiles of an axis end: skewed ones begin before their place.
ExprId end_of(ExprArena& arena, const GroupAxis& axis, ExprId hi) { return index_add(arena, hi, arena.integer(axis.skew - 1)); }

ExprId tiles_of(ExprArena& arena, ExprId lo, ExprId hi, ExprId size) {
  const int64_t tile = arena.constant_value(size)->i;
  ExprId span = index_sub(arena, hi, lo);
  if (!is_size(arena, span)) span = index_max(arena, span, arena.integer(0));
  return tile == 1 ? span : index_floordiv(arena, index_add(arena, span, arena.integer(tile - 1)), size);
}

}  // namespace

ExprId blocks_of(ExprArena& arena, const Group& group) {
  ExprId blocks = arena.integer(1);
  for (const GroupAxis& axis : group.axes) {
    if (axis.binding == Binding::Grid)
      blocks = index_mul(arena, blocks, tiles_of(arena, axis.lo, end_of(arena, axis, axis.hi), arena.integer(axis.tile())));
  }
  return index_mul(arena, blocks, arena.integer(group.shares));
}

ExprId GroupLowering::tile_of(const GroupAxis& axis) {
  if (axis.tile() == 1) return arena_.integer(1);
  return arena_.constant(ScalarType::I64, Value::of_int(axis.tile()), "tile_" + arena_.symbol(axis.index).name);
}

// The tiles of all grid axes are counted as one number, the last axis fastest. Of a block that runs there is a tile, and at
// most 2^31 - 1 of each axis, as there are blocks.
void GroupLowering::place_blocks(ExprId number) {
  ExprId rest = number;
  if (group_.shares > 1) {
    const ExprId shares = arena_.integer(group_.shares);
    const bool alone = std::none_of(group_.axes.begin(), group_.axes.end(), [](const GroupAxis& a) { return a.binding == Binding::Grid; });
    share_ = alone ? rest : lowerer_.pinned(arena_.apply(Op::Rem, {rest, shares}), "share");
    rest = alone ? arena_.integer(0) : lowerer_.pinned(arena_.apply(Op::Div, {rest, shares}), "tile");
    tile_ = rest;
  }
  find_bounds();
  std::vector<Bound*> grids;
  for (Bound& bound : bounds_)
    if (bound.axis->binding == Binding::Grid) grids.push_back(&bound);
  if (group_.raster > 1 && grids.size() > 1) {
    rest = place_in_bands(rest, *grids[grids.size() - 2], *grids.back(), group_.raster, "raster", grids.size() == 2);
    grids.resize(grids.size() - 2);
  }
  if (group_.bands > 1) {                   // of the last axes that have several tiles
    const auto several = [&](const Bound* bound) {
      const auto lo = constant_integer(arena_, bound->lo), hi = constant_integer(arena_, bound->hi);
      return !lo || !hi || *hi + bound->axis->skew - 1 - *lo > bound->axis->tile();
    };
    const auto last = std::find_if(grids.rbegin(), grids.rend(), several);
    const auto before = last == grids.rend() ? last : std::find_if(last + 1, grids.rend(), several);
    if (before != grids.rend()) {
      rest = place_in_bands(rest, **last, **before, group_.bands, "bands", grids.size() == 2);
      const Bound *placed[] = {*last, *before};
      std::erase_if(grids, [&](const Bound* bound) { return bound == placed[0] || bound == placed[1]; });
    }
  }
  for (std::size_t k = grids.size(); k-- > 0;) {
    ExprId tile = rest;
    if (k > 0) {
      const ExprId count = tiles_along(*grids[k]);
      tile = arena_.apply(Op::Rem, {rest, count});
      rest = lowerer_.pinned(arena_.apply(Op::Div, {rest, count}), "rest");
    }
    place(*grids[k], tile);
  }
}

void GroupLowering::find_bounds() {
  bounds_.resize(group_.axes.size());
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    const GroupAxis& axis = group_.axes[k];
    const ExprId tile_index = bounds_[k].tile_index;
    bounds_[k] = {&axis, lowerer_.value(axis.lo), lowerer_.value(axis.hi), {}, tile_index, {}, {}, std::move(bounds_[k].axes), std::move(bounds_[k].own)};
  }
}

ExprId GroupLowering::tiles_along(const Bound& bound) {
  const ExprId tiles = index_max(arena_, tiles_of(arena_, bound.lo, end_of(arena_, *bound.axis, bound.hi), tile_of(*bound.axis)), arena_.integer(1));
  return lowerer_.pinned_within(tiles, arena_.symbol(bound.axis->index).name + "_tiles", arena_.integer(1), arena_.integer(int64_t{1} << 31));
}

void GroupLowering::place(Bound& bound, ExprId tile) {
  const ExprId first = index_add(arena_, index_mul(arena_, tile, tile_of(*bound.axis)), bound.lo);
  bound.base = lowerer_.pinned_within(first, arena_.symbol(bound.axis->index).name + "_block", bound.lo, end_of(arena_, *bound.axis, bound.hi));
}

// Tiles of two axes in bands of rows, within a band a column after the other; the last band may have fewer rows.
ExprId GroupLowering::place_in_bands(ExprId number, Bound& down, Bound& across, int64_t most_rows, std::string name, bool alone) {
  const ExprId most = arena_.integer(int64_t{1} << 31), none = arena_.integer(0);
  const auto pinned = [&](ExprId value, std::string_view name) { return lowerer_.pinned_within(value, name, none, most); };
  const ExprId rows = tiles_along(down), columns = tiles_along(across);
  ExprId rest = none, place_of = number;
  if (!alone) {
    const ExprId plane = lowerer_.pinned_within(arena_.apply(Op::Mul, {rows, columns}), "plane", arena_.integer(1), most);
    rest = pinned(arena_.apply(Op::Div, {number, plane}), "rest");
    place_of = pinned(arena_.apply(Op::Rem, {number, plane}), "place");
  }
  const ExprId raster = arena_.constant(ScalarType::I64, Value::of_int(most_rows), std::move(name));
  const ExprId band_rows = lowerer_.pinned_within(index_min(arena_, raster, rows), "band_rows", arena_.integer(1), arena_.integer(most_rows + 1));
  const ExprId band = lowerer_.pinned_within(index_max(arena_, arena_.apply(Op::Mul, {band_rows, columns}), arena_.integer(1)), "band_tiles", arena_.integer(1), most);
  const ExprId first = pinned(arena_.apply(Op::Mul, {arena_.apply(Op::Div, {place_of, band}), band_rows}), "band_row");
  const ExprId within = pinned(arena_.apply(Op::Rem, {place_of, band}), "in_band");
  const ExprId height = lowerer_.pinned_within(index_max(arena_, index_min(arena_, band_rows, index_sub(arena_, rows, first)), arena_.integer(1)), "height",
                                               arena_.integer(1), arena_.integer(most_rows + 1));
  place(down, arena_.apply(Op::Add, {first, arena_.apply(Op::Rem, {within, height})}));
  place(across, arena_.apply(Op::Div, {within, height}));
  return rest;
}

}  // namespace cdsl::lowering
