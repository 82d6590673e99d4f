// How scatters are privatised: `direct`, an atomic update of global memory for each point, or `block`, bins of each block in shared
// memory that are merged at the end. Both are priced by the machine model at likely sizes; NAME.atomics overrides.
#pragma once

#include <vector>

#include "dsl/schedule/scatter.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"
#include "passes/recognize/sizes.h"

namespace cdsl::deciding {

/// The scatters that get private bins, with a remark for every scatter of the function.
/// Requires of a scatter, else it declines and says why: it stands in no loop, its order is open, hardware can update its
/// type in place, and its target is a dense tensor of scalars whose known size fits into shared memory.
std::vector<PrivateBins> private_bins(const tir::Function& function, const SizeValues& sizes, PassContext& context);

}  // namespace cdsl::deciding
