// The copy engine: copies that were issued and act later, at moments that the seed draws. A copy reads its source, some time
// later writes its destination and completes.
//
// For races an agent is an actor of its own (shadow.h): it comes after what its thread did before the issue, and before who
// waited for its completion.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

/// Hands a copy to the engine. The caller lets the clock of the cluster tick, so that what its thread does next is told apart.
void issue(Transfer transfer);

/// The thread of `lane` as an agent that it starts now.
Actor agent_of(Warp& warp, int lane);

/// The warp has something under way.
void note_busy(Warp& warp);
/// Warps that have nothing under way any more.
void forget_idle(Launch& launch);

/// One thing that some agent of the launch does. Requires: launch.busy is not empty.
void agents_act(Launch& launch);

/// Finishes (or only reads, where `read_only`) the copies of the warp's active lanes that CopyWait waits for.
void complete_batches(Warp& warp, const CopyWaitUse& use);

/// The block has ended: whatever its warps have under way completes; what still touches its shared memory is a fault.
void agents_of_ended(BlockState& block);

// Handlers; info: row of Code::copies or Code::copy_waits.
const Instruction* copy_async(Warp& warp, const Instruction& i);
const Instruction* copy_bulk(Warp& warp, const Instruction& i);
const Instruction* copy_tensor(Warp& warp, const Instruction& i);
const Instruction* copy_commit(Warp& warp, const Instruction& i);   // info: loop::CopyBatch
const Instruction* copy_wait(Warp& warp, const Instruction& i);

}  // namespace cdsl::sim
