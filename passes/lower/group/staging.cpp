// Boxes in shared memory: what the block's tile reads of a tensor, copied once with lanes along the tensor's own rows.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {

namespace {

// A skewed tile begins less than a sector before its place, a box a whole one.
int64_t reach_back(const GroupAxis& axis) { return axis.skew > 1 ? axis.skew : 0; }

// How the threads of a block go over a box, in digits of two axes.
struct Spread {
  std::vector<loop::Factor> rows, columns;
};

int64_t points_of(const std::vector<loop::Factor>& factors) {
  int64_t points = 1;
  for (const loop::Factor& f : factors) points *= f.extent;
  return points;
}

// Lanes along the last axis of the tensor, warps along the other. Vectors are divided evenly, so that each lies in the box or not; where
// the rows are no multiple of what the warps take, some warps go along the columns if both come out even then.
Spread spread_of(int64_t rows, int64_t columns, int64_t vector, int64_t warps) {
  using loop::Level;
  const auto ceil = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const int64_t vectors = columns / vector;
  int64_t across = 1;
  while (across < 32 && across * 2 <= vectors && (vector == 1 || vectors % (across * 2) == 0)) across *= 2;
  const int64_t down = 32 / across;
  int64_t beside = 1;                     // warps along the columns
  for (int64_t n = 2; vector > 1 && n <= warps && rows % (warps / beside * down) != 0; ++n)
    if (warps % n == 0 && vectors / across % n == 0 && rows % (warps / n * down) == 0) beside = n;
  Spread spread;
  spread.rows = {{Level::Register, ceil(rows, warps / beside * down), 1}, {Level::Warp, warps / beside, 1}};
  if (down > 1) spread.rows.push_back({Level::Lane, down, across});
  spread.columns = {{Level::Register, ceil(vectors, across * beside), 1}};
  if (beside > 1) spread.columns.push_back({Level::Warp, beside, warps / beside});
  spread.columns.push_back({Level::Lane, across, 1});
  if (vector > 1) spread.columns.push_back({Level::Vector, vector, 1});
  return spread;
}

}  // namespace

// The subscripts must be sums of group indices with whole coefficients, each at most once an axis.
std::optional<GroupLowering::Box> GroupLowering::box_of(const Staging& staging, ExprId read) {
  Box box{&staging, read, {}, {}, {}, 0};
  for (const AxisRule& rule : arena_.rules(read))       // a box holds elements where they are
    if (rule.boundary != Boundary::None || rule.holes.valid()) return std::nullopt;
  for (ExprId subscript : arena_.args(read)) {
    const auto form = linear(arena_, subscript);
    if (!form) return std::nullopt;
    int64_t extent = 1;
    for (const auto& [term, coefficient] : form->terms) {
      const auto* symbol = arena_.get_if<Symbol>(term);
      if (symbol == nullptr) return std::nullopt;
      const auto bound = std::find_if(bounds_.begin(), bounds_.end(), [&](const Bound& b) { return b.axis->index == symbol->symbol; });
      if (bound == bounds_.end()) continue;
      if (coefficient < 0) return std::nullopt;
      const int64_t points = bound->axis->tile() * (bound->axis->binding == Binding::Stream ? bound->axis->chunk : 1);
      extent += coefficient * (points - 1 + reach_back(*bound->axis));
    }
    box.extents.push_back(extent);
  }
  return box;
}

void GroupLowering::declare_boxes() {
  boxes_.clear();
  for (const Staging& staging : group_.staged) {
    for (ExprId id : postorder(arena_, roots_)) {
      const auto* read = arena_.get_if<Read>(id);
      if (read == nullptr || read->tensor != staging.tensor || read->leaf != staging.leaf) continue;
      auto box = box_of(staging, id);
      if (!box || box->extents.empty()) continue;
      const int64_t columns = box->extents.back();
      int64_t rows = 1;
      for (std::size_t d = 0; d + 1 < box->extents.size(); ++d) rows *= box->extents[d];
      const int64_t lines = staging.transposed ? columns : rows;
      box->pitch = (staging.transposed ? rows : columns) + (staging.every == 1 ? staging.pad : 0);
      const int64_t pads = staging.every == 1 ? 0 : lines / staging.every;
      const std::string name = lowerer_.kernel().fresh(lowerer_.kernel().function().tensor(staging.tensor).name + "_tile");
      box->buffer = builder_.shared(name, scalar_record(arena_.type(id)), lines * box->pitch + pads * staging.pad);
      boxes_.push_back(std::move(*box));
    }
  }
}

void GroupLowering::fill_boxes(std::span<const ExprId> moving) {
  bool any = false;
  for (Box& box : boxes_) {
    const auto symbols = free_symbols(arena_, box.read);
    bool streams = false, here = moving.empty();
    for (const Bound& bound : bounds_) {
      if (bound.axis->binding != Binding::Stream) continue;
      const bool uses = std::find(symbols.begin(), symbols.end(), bound.axis->index) != symbols.end();
      streams |= uses;
      here |= uses && !moving.empty() && arena_.symbol_ref(bound.axis->index) == moving[0];
    }
    if (streams == moving.empty() || !here) continue;
    fill(box);
    any = true;
  }
  if (any) builder_.barrier();
}

// Where an element of a box is: its pitch and its pad are constants with names.
ExprId GroupLowering::place_in(const Box& box, ExprId row, ExprId column) {
  const ExprId major = box.staging->transposed ? column : row, minor = box.staging->transposed ? row : column;
  const auto named = [&](std::string_view what, int64_t value) {
    return arena_.constant(ScalarType::I64, Value::of_int(value), std::string(what) + lowerer_.kernel().function().tensor(box.staging->tensor).name);
  };
  ExprId place = index_mul(arena_, major, named("pitch_", box.pitch));
  if (box.staging->every > 1 && box.staging->pad > 0) {
    const ExprId pads = arena_.apply(Op::Div, {major, arena_.integer(box.staging->every)});
    place = index_add(arena_, place, index_mul(arena_, pads, named("pad_", box.staging->pad)));
  }
  return index_add(arena_, place, minor);
}

// What must hold for an element of the box, where it is not known of the tiles of the axis that the subscript is.
ExprId GroupLowering::inside_box(ExprId subscript, ExprId at, ExprId extent) {
  const auto* symbol = arena_.get_if<Symbol>(subscript);
  const auto bound = std::find_if(bounds_.begin(), bounds_.end(), [&](const Bound& b) { return symbol != nullptr && b.axis->index == symbol->symbol; });
  const bool is_grid = bound != bounds_.end() && bound->axis->binding == Binding::Grid;
  const bool is_skewed = is_grid && bound->axis->skew > 1;
  if (is_grid && !is_skewed && !needs_test(*bound) && bound->hi == extent) return {};
  const ExprId below = arena_.apply(Op::Lt, {at, extent});
  return is_skewed ? logical_and(arena_, arena_.apply(Op::Ge, {at, arena_.integer(0)}), below) : below;
}

void GroupLowering::fill(Box& box) {
  const Read node = *arena_.get_if<Read>(box.read);
  Storage& storage = lowerer_.kernel().memory().of(node.tensor);
  const std::size_t last = box.extents.size() - 1;
  const int64_t columns = box.extents[last];
  int64_t rows = 1;
  for (std::size_t d = 0; d < last; ++d) rows *= box.extents[d];
  const Spread spread = spread_of(rows, columns, box.staging->vector, group_.warps);
  const std::string name = lowerer_.kernel().function().tensor(node.tensor).name;
  const ExprId row = builder_.axis(lowerer_.kernel().fresh(name + "_row"), spread.rows);
  const ExprId column = builder_.axis(lowerer_.kernel().fresh(name + "_column"), spread.columns);

  // Where the box begins: the subscripts at the first point of every tile axis.
  std::unordered_map<SymbolId, ExprId> first;
  std::vector<ExprId> origin;
  const std::vector<ExprId> subscripts(arena_.args(box.read).begin(), arena_.args(box.read).end());
  {
    Lowerer::Scope scope(lowerer_);
    for (Bound& bound : bounds_) {
      if (!bound.axis || (bound.axis->binding == Binding::Stream && !arena_.symbol_ref(bound.axis->index).valid())) continue;
      ExprId start;
      if (bound.axis->binding == Binding::Grid) start = index_sub(arena_, bound.base, arena_.integer(reach_back(*bound.axis)));
      if (bound.axis->binding == Binding::Resident) start = bound.lo;
      if (bound.axis->binding == Binding::Stream) {
        const ExprId now = lowerer_.try_index(bound.axis->index);
        if (!now.valid()) continue;
        start = bound.tile_index.valid() ? index_sub(arena_, now, bound.tile_index) : now;
      }
      lowerer_.bind(bound.axis->index, start);
    }
    for (ExprId subscript : subscripts) origin.push_back(lowerer_.at_bound(subscript));
  }
  box.origins = origin;
  // Rows of the box are counted over all axes but the last.
  std::vector<ExprId> at(last + 1);
  at[last] = index_add(arena_, origin[last], column);
  ExprId rest = row;
  for (std::size_t d = last; d-- > 0;) {
    const bool outermost = std::all_of(box.extents.begin(), box.extents.begin() + static_cast<std::ptrdiff_t>(d), [](int64_t e) { return e == 1; });
    const ExprId extent = arena_.integer(box.extents[d]);
    const ExprId digit = box.extents[d] == 1 ? arena_.integer(0) : outermost ? rest : arena_.apply(Op::Rem, {rest, extent});
    if (box.extents[d] > 1 && !outermost) rest = arena_.apply(Op::Div, {rest, extent});
    at[d] = index_add(arena_, origin[d], digit);
  }
  ExprId in_box;
  if (points_of(spread.rows) > rows) in_box = arena_.apply(Op::Lt, {row, arena_.integer(rows)});
  if (points_of(spread.columns) > columns) in_box = logical_and(arena_, in_box, arena_.apply(Op::Lt, {column, arena_.integer(columns)}));
  ExprId inside = in_box;
  for (std::size_t d = 0; d <= last; ++d) {
    const bool is_one = d < last && box.extents[d] == 1;
    if (!is_one) inside = logical_and(arena_, inside, inside_box(subscripts[d], at[d], lowerer_.value(storage.extents[d])));
  }
  const Place place = lowerer_.place_at(storage, node.leaf, at);
  const ScalarType held = arena_.type(box.read);
  const ExprId load = arena_.load(place.buffer, place.leaf, held, place.index, place.within, arena_.where(box.read));
  const ExprId value = builder_.let(lowerer_.kernel().fresh(name + "_value"),
                                    inside.valid() ? arena_.apply(Op::Select, {inside, load, zero(arena_, held)}) : load);
  const ExprId to = place_in(box, row, column);
  if (in_box.valid()) {
    builder_.if_(in_box, [&] { builder_.store(box.buffer, to, value); });
  } else {
    builder_.store(box.buffer, to, value);
  }
}

std::optional<ExprId> GroupLowering::staged(ExprId read) {
  for (const Box& box : boxes_) {
    if (box.read != read || box.origins.empty()) continue;
    const std::vector<ExprId> subscripts(arena_.args(read).begin(), arena_.args(read).end());
    const std::size_t last = subscripts.size() - 1;
    ExprId row = arena_.integer(0), column;
    for (std::size_t d = 0; d <= last; ++d) {
      const auto form = difference(arena_, lowerer_.at_bound(subscripts[d]), box.origins[d]);
      if (!form) return std::nullopt;
      ExprId offset = arena_.integer(form->constant);
      for (const auto& [term, coefficient] : form->terms)
        offset = index_add(arena_, offset, index_mul(arena_, term, arena_.integer(coefficient)));
      if (d == last)
        column = offset;
      else
        row = index_add(arena_, index_mul(arena_, row, arena_.integer(box.extents[d])), offset);
    }
    const ExprId index = place_in(box, row, column);
    const ScalarType held = arena_.type(read);
    const ExprId raw = builder_.let(lowerer_.kernel().fresh(lowerer_.kernel().function().tensor(box.staging->tensor).name + "_now"),
                                    arena_.load(box.buffer, 0, held, index, {}, arena_.where(read)));
    return arena_.cast(raw, evaluation_type(held));
  }
  return std::nullopt;
}

}  // namespace cdsl::lowering
