// Boxes in shared memory: what the block's tile reads of a tensor, copied once with lanes along the tensor's own rows.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {

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
      extent += coefficient * (points - 1);
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
      box->pitch = (staging.transposed ? rows : columns) + staging.pad;
      const std::string name = lowerer_.kernel().fresh(lowerer_.kernel().function().tensor(staging.tensor).name + "_tile");
      box->buffer = builder_.shared(name, scalar_record(arena_.type(id)), (staging.transposed ? columns : rows) * box->pitch);
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

// Elements from one row of a box to the next, as a constant with a name.
ExprId GroupLowering::pitch_of(const Box& box) {
  return arena_.constant(ScalarType::I64, Value::of_int(box.pitch), "pitch_" + lowerer_.kernel().function().tensor(box.staging->tensor).name);
}

// Lanes along the last axis of the tensor, warps along the other.
void GroupLowering::fill(Box& box) {
  const Read node = *arena_.get_if<Read>(box.read);
  Storage& storage = lowerer_.kernel().memory().of(node.tensor);
  const std::size_t last = box.extents.size() - 1;
  const int64_t columns = box.extents[last];
  int64_t rows = 1;
  for (std::size_t d = 0; d < last; ++d) rows *= box.extents[d];
  int64_t across = 1;
  while (across < 32 && across * 2 <= columns) across *= 2;
  const int64_t down = 32 / across;
  const std::string name = lowerer_.kernel().function().tensor(node.tensor).name;
  using loop::Level;
  const auto ceil = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  std::vector<loop::Factor> row_factors{{Level::Register, ceil(rows, group_.warps * down), 1}, {Level::Warp, group_.warps, 1}};
  if (down > 1) row_factors.push_back({Level::Lane, down, across});
  const std::vector<loop::Factor> column_factors{{Level::Register, ceil(columns, across), 1}, {Level::Lane, across, 1}};
  const ExprId row = builder_.axis(lowerer_.kernel().fresh(name + "_row"), row_factors);
  const ExprId column = builder_.axis(lowerer_.kernel().fresh(name + "_column"), column_factors);

  // Where the box begins: the subscripts at the first point of every tile axis.
  std::unordered_map<SymbolId, ExprId> first;
  std::vector<ExprId> origin;
  const std::vector<ExprId> subscripts(arena_.args(box.read).begin(), arena_.args(box.read).end());
  {
    Lowerer::Scope scope(lowerer_);
    for (Bound& bound : bounds_) {
      if (!bound.axis || (bound.axis->binding == Binding::Stream && !arena_.symbol_ref(bound.axis->index).valid())) continue;
      ExprId start;
      if (bound.axis->binding == Binding::Grid) start = bound.base;
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
  ExprId inside;
  for (std::size_t d = 0; d <= last; ++d) {
    const ExprId below = arena_.apply(Op::Lt, {at[d], lowerer_.value(storage.extents[d])});
    if (d == last || box.extents[d] > 1) inside = logical_and(arena_, inside, below);
  }
  const Place place = lowerer_.place_at(storage, node.leaf, at);
  const ScalarType held = arena_.type(box.read);
  const ExprId load = arena_.load(place.buffer, place.leaf, held, place.index, place.within, arena_.where(box.read));
  const ExprId value = builder_.let(lowerer_.kernel().fresh(name + "_value"),
                                    arena_.apply(Op::Select, {inside, load, zero(arena_, held)}));
  const ExprId to = box.staging->transposed ? index_add(arena_, index_mul(arena_, column, pitch_of(box)), row)
                                            : index_add(arena_, index_mul(arena_, row, pitch_of(box)), column);
  ExprId in_box;
  const int64_t row_points = row_factors[0].extent * group_.warps * down, column_points = column_factors[0].extent * across;
  if (row_points > rows) in_box = arena_.apply(Op::Lt, {row, arena_.integer(rows)});
  if (column_points > columns) in_box = logical_and(arena_, in_box, arena_.apply(Op::Lt, {column, arena_.integer(columns)}));
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
    const ExprId major = box.staging->transposed ? column : row, minor = box.staging->transposed ? row : column;
    const ExprId index = index_add(arena_, index_mul(arena_, major, pitch_of(box)), minor);
    const ScalarType held = arena_.type(read);
    const ExprId raw = builder_.let(lowerer_.kernel().fresh(lowerer_.kernel().function().tensor(box.staging->tensor).name + "_now"),
                                    arena_.load(box.buffer, 0, held, index, {}, arena_.where(read)));
    return arena_.cast(raw, evaluation_type(held));
  }
  return std::nullopt;
}

}  // namespace cdsl::lowering
