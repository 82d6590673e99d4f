// `expect` lines and `--expect` against what is predicted and measured.
#pragma once

#include <vector>

#include "api/explain.h"
#include "api/toolkit.h"
#include "tools/session.h"

namespace cdsl::tools {

/// Checks every expectation of the function, and those of --expect that are for it. With `measured`, those too that only
/// ptxas decides (spills, registers, stack, occupancy). False where one fails: line, value, and the decision that would
/// change it are printed.
bool expectations_hold(const Session& session, const Source& source, const Compiled& unit,
                       const Explanation& explanation, bool measured);

/// Checks the expectations that compiled kernels decide (spills, registers, stack, shared_bytes,
/// occupancy, kernels); the others are passed over. False where one fails, which is printed.
bool expectations_hold(const Session& session, const Source& source, const Compiled& unit,
                       const std::vector<KernelReport>& reports);

/// Those of a plain compilation: what its sizes say, without NVRTC unless --expect is given.
bool expectations_hold(const Session& session, const Source& source, const Compiled& unit);

}  // namespace cdsl::tools
