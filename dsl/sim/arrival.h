// Arrival barriers (mbarrier): phases that end when the count of arrivals came and all expected bytes were copied.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

/// An agent copied `bytes` for the barrier at `offset` of the block's shared memory.
void complete_bytes(Warp& issuer, int lane, const Actor& agent, const SourceRange& where, BlockState& block,
                    int64_t offset, int64_t bytes);

// Handlers; info: row of Code::arrivals.
const Instruction* barrier_init(Warp& warp, const Instruction& i);
const Instruction* barrier_arrive(Warp& warp, const Instruction& i);
/// Runs again until the phases are over; the warp sleeps meanwhile.
const Instruction* barrier_wait(Warp& warp, const Instruction& i);

}  // namespace cdsl::sim
