// Runs a launch: starts blocks as others end, lets warps take turns, releases barriers, finds
// deadlock.
#pragma once

#include <span>

#include "dsl/sim/state.h"

namespace cdsl::sim {

/// Requires: `launch.code` and `launch.grid` are set. Faults of the arguments or the shape are
/// recorded and nothing runs.
bool bind(Launch& launch, std::span<const Argument> arguments);
void run(Launch& launch, std::span<const Argument> arguments);

/// Gives the block `linear` of the grid to `block`: coordinates, registers, memory as at the start
/// of a kernel.
void start_block(Launch& launch, BlockState& block, std::span<const std::byte> preset,
                 int64_t linear);

}  // namespace cdsl::sim
