// `expect` lines against what was measured.
#pragma once

#include <vector>

#include "api/toolkit.h"
#include "tools/session.h"

namespace cdsl::tools {

/// Checks the expectations that compiled kernels decide (spills, registers, stack, shared_bytes,
/// occupancy, kernels); the others are passed over. False where one fails, which is printed with
/// its line and the value.
bool expectations_hold(const Session& session, const Source& source, const Compiled& unit,
                       const std::vector<KernelReport>& reports);

}  // namespace cdsl::tools
