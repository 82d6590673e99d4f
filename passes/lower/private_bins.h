// A scatter whose blocks update bins of their own in shared memory, and merge them into the target at the end. Where each bin has
// copies, element k has them at k * copies: as many as a warp has lanes, and each lane has a bank to itself.
#pragma once

#include "dsl/schedule/scatter.h"
#include "passes/lower/job.h"
#include "passes/lower/plan_builder.h"

namespace cdsl::lowering {

/// Requires: `job` is a scatter that is not serial, some axis of it is independent; its target is a dense tensor of
/// `bins.bins` scalars. Ensures: the kernel reports what the direct one does.
void launch_private_bins(PlanBuilder& plan, Memory& memory, const Job& job, const PrivateBins& bins);

}  // namespace cdsl::lowering
