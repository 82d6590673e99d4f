#include "passes/predict/call_walk.h"

#include <algorithm>
#include <optional>

#include "dsl/expr/walk.h"

namespace cdsl::predicting {
namespace {

constexpr int64_t kWholeLoop = 8, kStretches = 4;

}  // namespace

CallWalk::CallWalk(const tir::Function& function, const loop::Program& program, tir::Bindings bindings)
    : function_(function), program_(program), arena_(program.plan.arena), bindings_(std::move(bindings)) {
  bind_views();
  pick_variant();
  need(variant_->steps);
}

bool CallWalk::is_known(ExprId id) const {
  const auto symbols = free_symbols(arena_, id);
  return std::all_of(symbols.begin(), symbols.end(), [&](SymbolId s) { return bindings_.contains(s); });
}

int64_t CallWalk::integer(ExprId id) const {
  return is_known(id) ? tir::evaluate_constant(arena_, id, bindings_).i : 0;
}

/// Views are dense and have the declared extents.
void CallWalk::bind_views() {
  for (const plan::ViewSymbol& view : program_.plan.views) {
    const tir::Tensor& tensor = function_.tensor(view.tensor);
    const auto extent = [&](std::size_t axis) -> std::optional<int64_t> {
      const auto symbols = free_symbols(function_.arena, tensor.shape[axis]);
      for (const SymbolId s : symbols) {
        if (!bindings_.contains(s)) return std::nullopt;
      }
      return tir::evaluate_constant(function_.arena, tensor.shape[axis], bindings_).i;
    };
    if (view.kind == plan::ViewSymbol::Kind::Extent) {
      if (const auto value = extent(view.axis)) bindings_[view.symbol] = Value::of_int(*value);
      continue;
    }
    int64_t stride = 1;
    bool known = true;
    const bool columns = tensor.order == tir::Order::ColMajor;
    const std::size_t rank = tensor.shape.size();
    for (std::size_t axis = columns ? 0 : view.axis + 1; axis < (columns ? view.axis : rank); ++axis) {
      const auto value = extent(axis);
      known = known && value.has_value();
      stride *= value.value_or(1);
    }
    if (known) bindings_[view.symbol] = Value::of_int(stride);
  }
}

bool CallWalk::holds(const plan::Guard& guard) {
  if (const auto* condition = std::get_if<plan::Holds>(&guard))
    return !is_known(condition->condition) || integer(condition->condition) != 0;
  return true;
}

void CallWalk::pick_variant() {
  for (const plan::Variant& variant : program_.plan.variants) {
    variant_ = &variant;
    if (std::all_of(variant.guards.begin(), variant.guards.end(), [&](const auto& g) { return holds(g); })) break;
  }
  for (const plan::Guard& guard : variant_->guards) {
    if (const auto* aligned = std::get_if<plan::Aligned>(&guard))
      assumed_.push_back(program_.plan.buffers[aligned->buffer.buffer].name + " is aligned to " +
                         std::to_string(aligned->bytes) + " bytes");
    if (std::holds_alternative<plan::NoAlias>(guard)) assumed_.push_back("parameters do not overlap");
  }
}

void CallWalk::need(ExprId id) {
  if (!id.valid()) return;
  for (const SymbolId symbol : free_symbols(arena_, id)) {
    const SymbolInfo& info = arena_.symbol(symbol);
    if (bindings_.contains(symbol) || info.kind == SymbolKind::Index) continue;
    if (std::find(missing_.begin(), missing_.end(), info.name) == missing_.end()) missing_.push_back(info.name);
  }
}

void CallWalk::need(const std::vector<plan::Step>& steps) {
  for (const plan::Step& step : steps) {
    if (const auto* launch = std::get_if<plan::Launch>(&step.what)) {
      need(launch->grid.items);
      need(launch->grid.blocks);
      need(launch->grid.tiles);
      for (const plan::Argument& argument : launch->arguments) {
        const auto* ref = std::get_if<plan::BufferRef>(&argument.value);
        if (ref != nullptr) need(program_.plan.buffers[ref->buffer].bytes);
        const auto* id = std::get_if<ExprId>(&argument.value);
        if (id != nullptr && arena_.type(*id) == ScalarType::I64) need(*id);
      }
    } else if (const auto* loop = std::get_if<plan::Loop>(&step.what)) {
      need(loop->lo);
      need(loop->hi);
      need(loop->steps);
    }
  }
}

void CallWalk::run(const ShapeOf& shape, bool all, const Visit& visit) {
  shape_ = &shape;
  visit_ = &visit;
  all_ = all;
  steps(variant_->steps, 1);
}

void CallWalk::steps(const std::vector<plan::Step>& steps, double weight) {
  for (const plan::Step& step : steps) {
    if (const auto* n = std::get_if<plan::Launch>(&step.what)) launch(*n, weight);
    if (const auto* n = std::get_if<plan::Loop>(&step.what)) loop(*n, weight);
    if (const auto* n = std::get_if<plan::Fill>(&step.what))
      fill_bytes_ += weight * static_cast<double>(integer(program_.plan.buffers[n->buffer.buffer].bytes));
    if (const auto* n = std::get_if<plan::Copy>(&step.what))
      copy_bytes_ += weight * static_cast<double>(std::max<int64_t>(0, integer(n->bytes)));
  }
}

int64_t CallWalk::blocks_of(const plan::Grid& grid, const Shape& shape) const {
  if (grid.blocks.valid()) return integer(grid.blocks);
  const int64_t items = integer(grid.items.valid() ? grid.items : grid.tiles);
  if (items <= 0) return 0;
  const int64_t wanted = grid.items.valid() ? (items - 1) / shape.block_threads + 1 : items;
  const int64_t whole = (wanted - 1) / shape.cluster_blocks + 1;
  return std::min(whole * shape.cluster_blocks, shape.resident_blocks);
}

void CallWalk::launch(const plan::Launch& launch, double weight) {
  const loop::Kernel& kernel = program_.kernels[launch.kernel];
  LaunchInput input{program_, kernel, 0, 1, {}, {}, {}};
  const Shape shape = (*shape_)(launch.kernel);
  input.grid = blocks_of(launch.grid, shape);
  if (input.grid <= 0) return;
  if (launch.grid.items.valid())
    input.rounds = static_cast<double>(integer(launch.grid.items)) / static_cast<double>(input.grid * shape.block_threads);
  if (launch.grid.tiles.valid())
    input.rounds = static_cast<double>(integer(launch.grid.tiles)) / static_cast<double>(input.grid);
  for (const plan::Argument& argument : launch.arguments) {
    if (const auto* ref = std::get_if<plan::BufferRef>(&argument.value)) {
      const ExprId bytes = program_.plan.buffers[ref->buffer].bytes;
      input.buffer_bytes.push_back(bytes.valid() ? integer(bytes) : 0);
      continue;
    }
    const ExprId id = std::get<ExprId>(argument.value);
    const bool known = is_known(id);
    input.scalars.emplace_back(known ? tir::evaluate_constant(arena_, id, bindings_) : Value{}, known);
  }
  for (const uint32_t map : kernel.maps) {
    LaunchInput::Map& view = input.maps.emplace_back();
    for (const ExprId id : program_.maps[map].extents) view.extents.push_back(integer(id));
    for (const ExprId id : program_.maps[map].strides) view.strides.push_back(integer(id));
  }
  (*visit_)(launch, std::move(input), weight);
}

/// The first step and the middle of each stretch stand for a long loop.
void CallWalk::loop(const plan::Loop& loop, double weight) {
  const int64_t lo = integer(loop.lo), hi = integer(loop.hi), rounds = hi - lo;
  const auto step = [&](int64_t round, double stands_for) {
    bindings_[loop.index] = Value::of_int(loop.descending ? hi - 1 - round : lo + round);
    steps(loop.steps, weight * stands_for);
  };
  if (all_ || rounds <= kWholeLoop) {
    for (int64_t k = 0; k < rounds; ++k) step(k, 1);
  } else {
    step(0, 1);
    for (int64_t k = 0; k < kStretches; ++k) {
      const int64_t from = 1 + (rounds - 1) * k / kStretches, to = 1 + (rounds - 1) * (k + 1) / kStretches;
      step(from + (to - from) / 2, static_cast<double>(to - from));
    }
  }
  bindings_.erase(loop.index);
}

}  // namespace cdsl::predicting
