#include "passes/lower/width.h"

#include <algorithm>
#include <map>

#include "passes/lower/narrow_kernel.h"

namespace cdsl {
namespace lowering {
namespace {

constexpr int64_t kMostElements = INT32_MAX;
// No size of a launch is greater (it checks every extent).
constexpr int64_t kMostExtent = int64_t{1} << 56;

// The kernels of a plan, with what is known where they are launched.
class PlanWalk {
 public:
  PlanWalk(const tir::Function& function, loop::Program& program, bool bounded)
      : function_(function), program_(program), bounded_(bounded) {
    for (const tir::Size& size : function.sizes) {
      const bool guarded = bounded && !size.known;
      known_[size.symbol.value] = size.known ? Interval{*size.known, *size.known} : Interval{0, bounded ? kMostSize : kMostExtent};
      if (guarded) guard(program_.arena.symbol_ref(size.symbol), kMostSize);
    }
  }

  void steps(std::vector<plan::Step>& steps) {
    for (plan::Step& step : steps) {
      if (auto* launch = std::get_if<plan::Launch>(&step.what))
        narrow(*launch);
      else if (auto* loop = std::get_if<plan::Loop>(&step.what))
        inside(*loop);
    }
  }

  NarrowCounts counts;
  std::vector<plan::Guard> guards;

 private:
  Intervals intervals() const {
    Intervals values(program_.arena);
    for (const auto& [symbol, interval] : known_) values.define(SymbolId(symbol), interval);
    return values;
  }
  void guard(ExprId value, int64_t most) {
    const ExprId holds = program_.arena.apply(Op::Le, {value, program_.arena.integer(most)});
    if (guarded_.insert(holds).second) guards.push_back(plan::Holds{holds});
  }

  void narrow(plan::Launch& launch) {
    std::optional<int64_t> items = 1;
    if (launch.grid.items.valid()) {
      const auto range = intervals().of(launch.grid.items);
      items = range ? std::optional(range->hi) : std::nullopt;
    } else if (launch.grid.blocks.valid() || launch.grid.tiles.valid()) {
      items = std::nullopt;
    }
    loop::Kernel& kernel = program_.kernels[launch.kernel];
    const NarrowCounts now = narrow_kernel(program_, kernel, items, known_, small(kernel, launch));
    counts.narrow += now.narrow;
    counts.wide += now.wide;
    pass_sizes(kernel, launch);
  }

  // Buffers of few elements: those of the block's own, and those of which a launch knows it or a guard says so.
  std::set<BufferId> small(const loop::Kernel& kernel, const plan::Launch& launch) {
    std::set<BufferId> result;
    Intervals values = intervals();
    std::size_t argument = 0;
    for (BufferId id : kernel.buffers) {
      const loop::Buffer& buffer = program_.buffer(id);
      if (buffer.space != loop::Space::Global) {
        result.insert(id);
        continue;
      }
      const uint32_t place = std::get<plan::BufferRef>(launch.arguments[argument++].value).buffer;
      if (is_small(place, buffer.element.size, values)) result.insert(id);
    }
    return result;
  }

  bool is_small(uint32_t place, int64_t element, Intervals& values) {
    const plan::Buffer& buffer = program_.plan.buffers[place];
    const bool strided = buffer.tensor.valid() && function_.tensor(buffer.tensor).order == tir::Order::Strided;
    if (!buffer.bytes.valid() || strided) return false;
    const auto bytes = values.of(buffer.bytes);
    if (bytes && bytes->hi <= kMostElements * element) return true;
    const bool open = !bytes || bytes->lo != bytes->hi;
    if (!bounded_ || !open) return false;
    guard(buffer.bytes, kMostElements * element);
    return true;
  }

  // Sizes that the kernel takes in i32 are cut for it.
  void pass_sizes(const loop::Kernel& kernel, plan::Launch& launch) {
    const std::size_t first = launch.arguments.size() - kernel.scalars.size();
    for (std::size_t k = 0; k < kernel.scalars.size(); ++k) {
      ExprId& value = std::get<ExprId>(launch.arguments[first + k].value);
      value = program_.arena.cast(value, program_.arena.symbol(kernel.scalars[k]).type);
    }
  }

  void inside(plan::Loop& loop) {
    Intervals values = intervals();
    const auto lo = values.of(loop.lo), hi = values.of(loop.hi);
    if (lo && hi) known_[loop.index.value] = {lo->lo, std::max(lo->lo, hi->hi - 1)};
    steps(loop.steps);
    known_.erase(loop.index.value);
  }

  const tir::Function& function_;
  loop::Program& program_;
  const bool bounded_;
  KnownSymbols known_;
  std::set<ExprId> guarded_;
};

}  // namespace
}  // namespace lowering

loop::Program narrow_indices(Lowered lowered, PassContext& context) {
  loop::Program program = std::move(lowered.program);
  if (context.schedule.wide_indices) {
    context.remarks.push_back({"index", lowered.function.name, false, "i64", "asked for", {}, {}, {}, "index"});
    return program;
  }
  lowering::PlanWalk walk(lowered.function, program, lowered.guards != nullptr);
  walk.steps(program.plan.general().steps);
  Remark remark;
  remark.pass = "index";
  remark.key = "index";
  remark.site = lowered.function.name;
  remark.fired = walk.counts.narrow > 0;
  remark.choice = walk.counts.wide == 0 ? "i32" : remark.fired ? "i32 and i64" : "i64";
  remark.reason = walk.counts.wide == 0 ? "no index leaves 32 bits" : "sizes are open, so that an index may need 64 bits";
  if (!walk.guards.empty()) remark.reason = "guards bound the sizes, so that no index leaves 32 bits";
  remark.numbers = {{"indices in 32 bits", static_cast<double>(walk.counts.narrow), ""},
                    {"in 64 bits", static_cast<double>(walk.counts.wide), ""}};
  context.remarks.push_back(std::move(remark));
  if (lowered.guards != nullptr) lowered.guards->insert(lowered.guards->end(), walk.guards.begin(), walk.guards.end());
  program.plan.arena = program.arena;
  return program;
}

}  // namespace cdsl
