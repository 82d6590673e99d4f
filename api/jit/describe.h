// What a call runs, as JSON.
#pragma once

#include <string>

#include "api/jit/call_shape.h"

namespace cdsl::jit {

/// Variant, workspace, kernels with grid, block, shared memory, registers and occupancy, and the decisions behind them.
std::string describe(const CallShape& shape, const CallShape::Planned& planned);
/// The same without what only a GPU knows.
std::string describe_simulated(const CallShape& shape, const CallArguments& call);

}  // namespace cdsl::jit
