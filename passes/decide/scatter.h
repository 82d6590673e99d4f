// How scatters are privatised: `direct`, an atomic update of global memory for each point; `block`, bins of each block in shared
// memory that are merged at the end; or `lane`, so many copies of these bins that the lanes of a warp meet in no bank and on no
// word, whatever the data. All are priced by the machine model at likely sizes, with the threads of a block and the vectors that are
// on their way (scatter_price.h); NAME.atomics, NAME.copies, NAME.threads and NAME.prefetch override.
#pragma once

#include <vector>

#include "dsl/schedule/scatter.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"
#include "passes/recognize/sizes.h"

namespace cdsl::deciding {

/// The scatters that get private bins, with remarks for every scatter of the function. `vectors`: a launch may be asked for aligned
/// bases.
/// Requires of a scatter, else it declines and says why: it stands in no loop, its order is open, hardware can update its
/// type in place, and its target is a dense tensor of scalars whose known size fits into shared memory.
std::vector<PrivateBins> private_bins(tir::Function& function, const SizeValues& sizes, bool vectors, PassContext& context);

}  // namespace cdsl::deciding
