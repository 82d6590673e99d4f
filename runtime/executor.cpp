#include "runtime/executor.h"

#include <algorithm>

#include "dsl/support/check.h"
#include "runtime/call_memory.h"
#include "runtime/error.h"
#include "runtime/pick_variant.h"
#include "runtime/plan_values.h"

namespace cdsl::runtime {
namespace {

/// The symbols that only the argument's view knows: actual extents and strides.
tir::Bindings with_views(const plan::Plan& plan, const tir::Bound& bound,
                         const CallMemory& memory) {
  tir::Bindings bindings = bound.bindings;
  for (const plan::ViewSymbol& view : plan.views) {
    const int64_t value = view.kind == plan::ViewSymbol::Kind::Extent
                              ? bound.shapes[view.tensor.index()][view.axis]
                              : memory.placement(view.tensor).strides[view.axis];
    bindings[view.symbol] = Value::of_int(value);
  }
  return bindings;
}

class StepRunner {
 public:
  StepRunner(Device& device, const CallMemory& memory, PlanValues& values)
      : device_(device), memory_(memory), values_(values) {}

  void run(const std::vector<plan::Step>& steps) {
    for (const plan::Step& step : steps) {
      std::visit([&](const auto& what) { run(what); }, step.what);
    }
  }

 private:
  void run(const plan::Launch& launch) {
    const LaunchShape shape = device_.shape(launch.kernel);
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
        arguments_.push_back(KernelArgument::of(memory_.buffer(buffer->buffer)));
      } else {
        const ExprId id = std::get<ExprId>(argument.value);
        arguments_.push_back(KernelArgument::of(values_(id), values_.type(id)));
      }
    }
    for (const loop::TensorMap* map : device_.maps(launch.kernel)) arguments_.push_back(view_of(*map));
    if (launch.grid.resident)
      device_.launch_resident(launch.kernel, blocks, arguments_);
    else
      device_.launch(launch.kernel, blocks, arguments_);
  }

  KernelArgument view_of(const loop::TensorMap& map) {
    TensorView view{{}, {}, map.box, map.swizzle};
    for (const ExprId id : map.extents) view.extents.push_back(values_.integer(id));
    for (const ExprId id : map.strides) view.strides.push_back(values_.integer(id));
    return KernelArgument::of(memory_.buffer(map.buffer), map.type, std::move(view));
  }

  // Enough blocks for a thread an item, or a block a tile, but no more than are resident at a time:
  // the kernel takes turns over the rest.
  int64_t blocks_of(const plan::Grid& grid, const LaunchShape& shape) {
    if (grid.blocks.valid()) return values_.integer(grid.blocks);
    const int64_t items = values_.integer(grid.items.valid() ? grid.items : grid.tiles);
    if (items <= 0) return 0;
    const int64_t wanted = grid.items.valid() ? (items - 1) / shape.block_threads + 1 : items;
    const int64_t whole = (wanted - 1) / shape.cluster_blocks + 1;
    return std::min(whole * shape.cluster_blocks, shape.resident_blocks);
  }

  void run(const plan::Fill& fill) {
    device_.fill(memory_.buffer(fill.buffer.buffer), fill.pattern);
  }

  void run(const plan::Copy& copy) {
    const int64_t bytes = values_.integer(copy.bytes);
    if (bytes > 0)
      device_.copy(memory_.buffer(copy.to.buffer), memory_.buffer(copy.from.buffer), bytes);
  }

  void run(const plan::Loop& loop) {
    const int64_t lo = values_.integer(loop.lo), hi = values_.integer(loop.hi);
    for (int64_t step = lo; step < hi; ++step) {
      values_.set_index(loop.index, loop.descending ? hi - 1 - (step - lo) : step);
      run(loop.steps);
    }
  }

  Device& device_;
  const CallMemory& memory_;
  PlanValues& values_;
  std::vector<KernelArgument> arguments_;
};

}  // namespace

std::string describe(const loop::ReportSite& site, int64_t value) {
  const std::string index = site.what + ": index " + std::to_string(value);
  switch (site.kind) {
    case loop::ReportSite::Kind::ReadOutside: return index + " lies outside, read as 0";
    case loop::ReportSite::Kind::WriteOutside: return index + " lies outside, nothing was written";
    case loop::ReportSite::Kind::ScatterOutside:
      return index + " lies outside, the update was dropped";
    case loop::ReportSite::Kind::EmptyArg:
      return site.what + ": nothing to choose from, the position is -1";
    case loop::ReportSite::Kind::CountOverflow:
      return site.what + ": " + std::to_string(value) + " does not fit its type";
  }
  CDSL_UNREACHABLE("kind of a report");
}

Execution execute(const tir::Function& function, const plan::Plan& plan,
                  const std::vector<loop::ReportSite>& sites, const Arguments& arguments,
                  Device& device, const ExecuteOptions& options) {
  Execution execution;
  const tir::Bound bound = tir::bind(function, arguments);
  execution.errors = bound.errors;
  if (!execution.errors.empty()) return execution;

  CallMemory memory(function, plan, bound, device, options);
  PlanValues values(plan, with_views(plan, bound, memory));
  memory.allocate(arguments, values);
  execution.variant = pick_variant(plan, options.first_variant, device, memory, values);
  const plan::Variant& variant = plan.variants[execution.variant];
  memory.allocate_workspace(variant, values);
  StepRunner(device, memory, values).run(variant.steps);

  for (const SiteReport& report : device.take_reports()) {
    CDSL_CHECK(report.site < sites.size(), "a report of a site that does not exist");
    const loop::ReportSite& site = sites[report.site];
    execution.reports.push_back(
        {site.kernel, describe(site, report.value), site.where, report.value, report.count});
  }
  execution.faults = device.take_faults();
  execution.outputs = memory.download(arguments);
  return execution;
}

}  // namespace cdsl::runtime
