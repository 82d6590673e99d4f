#include "frontend/sema/snapshot.h"

namespace cdsl::sema {
namespace {

// Puts a statement before place `index` of a block; later places move on.
void insert(Analysis& a, tir::Block& block, std::size_t index, tir::Stage stage) {
  block.statements.insert(block.statements.begin() + static_cast<std::ptrdiff_t>(index),
                          std::move(stage));
  for (TensorSymbol& symbol : a.tensors) {
    for (Overwrite& overwrite : symbol.overwrites) {
      if (overwrite.block == &block && overwrite.index >= index) ++overwrite.index;
    }
  }
}

}  // namespace

tir::Stage copy_stage(Analysis& a, TensorId target, TensorId source, SourceRange where) {
  ExprArena& arena = a.arena();
  tir::Stage stage;
  stage.where = where;
  std::vector<ExprId> point;
  AxisRule proved;
  proved.bounds = Bounds::Proved;
  const std::vector<ExprId> shape = a.fn.tensor(target).shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    stage.domain.axes.push_back(a.make_axis("i" + std::to_string(axis), arena.integer(0),
                                            shape[axis], RangeOrigin::Written, where));
    point.push_back(arena.symbol_ref(stage.domain.axes.back().index));
  }
  const std::vector<Leaf> leaves = a.fn.element(target).leaves;
  for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    // Elements of array fields are copied one by one.
    for (std::int64_t flat = 0; flat < leaves[leaf].count(); ++flat) {
      std::vector<ExprId> subscripts = point;
      std::int64_t rest = flat;
      const auto& extents = leaves[leaf].extents;
      for (std::size_t k = extents.size(); k-- > 0; rest /= extents[k]) {
        subscripts.insert(subscripts.begin() + static_cast<std::ptrdiff_t>(point.size()),
                          arena.integer(rest % extents[k]));
      }
      const std::vector<AxisRule> rules(subscripts.size(), proved);
      const ScalarType from = a.fn.leaf(source, leaf).type;
      const ExprId value = arena.read(source, leaf, from, subscripts, rules, where);
      stage.targets.push_back(
          {target, leaf, subscripts, arena.cast(value, leaves[leaf].type), Bounds::Proved, where});
    }
  }
  return stage;
}

TensorId version_seen(Analysis& a, TensorSymbol& symbol) {
  for (Overwrite& overwrite : symbol.overwrites) {
    if (overwrite.time <= a.seen_until) continue;
    if (!overwrite.snapshot.valid()) {
      const tir::Tensor original = a.fn.tensor(symbol.id);
      TensorSymbol& copy = a.add_tensor(symbol.name + "_before", TensorKind::Tmp, symbol.element,
                                        original.shape, original.where);
      copy.is_defined = copy.is_used = true;
      overwrite.snapshot = copy.id;
      insert(a, *overwrite.block, overwrite.index,
             copy_stage(a, copy.id, symbol.id, original.where));
    }
    return overwrite.snapshot;
  }
  return symbol.id;
}

void note_overwrite(Analysis& a, TensorSymbol& symbol) {
  symbol.overwrites.push_back({++a.time, &a.block(), a.block().statements.size(), {}});
}

}  // namespace cdsl::sema
