#include "runtime/step_runner.h"

#include <algorithm>

#include "runtime/error.h"

namespace cdsl::runtime {

void StepRunner::run(const std::vector<plan::Step>& steps) {
  for (const plan::Step& step : steps) {
    std::visit([&](const auto& what) { run(what); }, step.what);
  }
}

void StepRunner::run(const plan::Launch& launch) {
  const LaunchShape shape = target_.shape(launch.kernel);
  const int64_t blocks = blocks_of(launch.grid, shape);
  if (blocks <= 0) return;
  if (launch.grid.resident && blocks > shape.resident_blocks) {
    throw Error("launch", "not resident",
                std::to_string(blocks) + " blocks have to run at once, the device holds " +
                    std::to_string(shape.resident_blocks));
  }
  arguments_.clear();
  for (const plan::Argument& argument : launch.arguments) {
    if (const auto* buffer = std::get_if<plan::BufferRef>(&argument.value)) {
      arguments_.push_back({StepArgument::Kind::Buffer, buffer->buffer, {}, ScalarType::I64, {}, {}});
    } else {
      const ExprId id = std::get<ExprId>(argument.value);
      arguments_.push_back({StepArgument::Kind::Value, 0, {}, values_.type(id), values_(id), id});
    }
  }
  for (const loop::TensorMap* map : target_.maps(launch.kernel)) arguments_.push_back(view_of(*map));
  target_.launch(launch.kernel, blocks, launch.grid.resident, arguments_);
}

StepArgument StepRunner::view_of(const loop::TensorMap& map) {
  TensorMapView view{{}, {}, map.box, map.swizzle};
  for (const ExprId id : map.extents) view.extents.push_back(values_.integer(id));
  for (const ExprId id : map.strides) view.strides.push_back(values_.integer(id));
  return {StepArgument::Kind::Map, map.buffer, std::make_shared<const TensorMapView>(std::move(view)), map.type, {}, {}};
}

// Enough blocks for a thread an item, or a block a tile, but no more than are resident at a time:
// the kernel takes turns over the rest.
int64_t StepRunner::blocks_of(const plan::Grid& grid, const LaunchShape& shape) {
  if (grid.blocks.valid()) return values_.integer(grid.blocks);
  const int64_t items = values_.integer(grid.items.valid() ? grid.items : grid.tiles);
  if (items <= 0) return 0;
  const int64_t wanted = grid.items.valid() ? (items - 1) / shape.block_threads + 1 : items;
  const int64_t whole = (wanted - 1) / shape.cluster_blocks + 1;
  return std::min(whole * shape.cluster_blocks, shape.resident_blocks);
}

void StepRunner::run(const plan::Fill& fill) {
  target_.fill(fill.buffer.buffer, fill.pattern);
}

void StepRunner::run(const plan::Copy& copy) {
  const int64_t bytes = values_.integer(copy.bytes);
  if (bytes > 0) target_.copy(copy.to.buffer, copy.from.buffer, bytes);
}

void StepRunner::run(const plan::Loop& loop) {
  const int64_t lo = values_.integer(loop.lo), hi = values_.integer(loop.hi);
  for (int64_t step = lo; step < hi; ++step) {
    values_.set_index(loop.index, loop.descending ? hi - 1 - (step - lo) : step);
    run(loop.steps);
  }
}

}  // namespace cdsl::runtime
