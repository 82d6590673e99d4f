// Launches of the device "sim": at once, in the simulator, on memory of the host.
#pragma once

#include "api/jit/call_shape.h"

namespace cdsl::jit {

/// Throws JitFailure (CDSL_ERROR_DEVICE_FAULT) where the simulator finds a race, an access outside a buffer or the like. What
/// kernels report is kept for JitRuntime::synchronize.
void simulate(JitModule& module, CallShape& shape, const CallArguments& call);

}  // namespace cdsl::jit
