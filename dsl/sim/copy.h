// Parts of the issue of a copy, whatever its kind.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

/// A copy of `bytes` that `lane` starts, without its pieces; in the open batch of its kind where it belongs to one.
Transfer start(Warp& warp, const CopyUse& use, int lane, int64_t bytes);

/// `bytes` will count at the barrier that the copy names, in `block`.
void add_arrival(Transfer& transfer, const CopyUse& use, BlockState& block, int64_t bytes);

/// A fault where an agent reads shared memory that a thread wrote without a proxy fence since.
void check_fenced(Warp& warp, const CopyUse& use, int lane, int64_t offset, int64_t bytes);

/// Handler: what the lanes wrote is seen by agents that start later.
const Instruction* fence_proxy(Warp& warp, const Instruction& i);

}  // namespace cdsl::sim
