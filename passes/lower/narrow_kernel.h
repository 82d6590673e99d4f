// One kernel's index arithmetic in 32 bits, rewritten in place (width.h says when).
#pragma once

#include <optional>
#include <set>
#include <unordered_map>

#include "dsl/loop/program.h"
#include "passes/lower/interval.h"

namespace cdsl::lowering {

/// Sizes that a guard bounds: an index, and one that is a tile further, stays in i32.
inline constexpr int64_t kMostSize = int64_t{1} << 30;

/// Intervals of sizes and of the plan's loop counters, by symbol.
using KnownSymbols = std::unordered_map<uint32_t, Interval>;

/// Of accesses: computed in 32 bits, and left in 64.
struct NarrowCounts {
  int narrow = 0, wide = 0;
};

/// `items`: the most that a grid-stride launch covers; `small`: buffers of fewer than 2^31 elements. Sizes that fit become
/// parameters of i32.
NarrowCounts narrow_kernel(loop::Program& program, loop::Kernel& kernel, std::optional<int64_t> items, const KnownSymbols& known,
                           const std::set<BufferId>& small);

}  // namespace cdsl::lowering
