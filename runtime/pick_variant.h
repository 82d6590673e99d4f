// Which variant of a plan a call runs.
#pragma once

#include <span>

#include "dsl/plan/plan.h"
#include "runtime/call_memory.h"

namespace cdsl::runtime {

/// The first variant from `first` on whose guards all hold for this call; the last one has none. Requires: parameters are
/// allocated, here and below.
std::size_t pick_variant(const plan::Plan& plan, std::size_t first, const Device& device,
                         const CallMemory& memory, PlanValues& values);

/// Do all of these hold for the call?
bool guards_hold(std::span<const plan::Guard> guards, const Device& device, const CallMemory& memory, PlanValues& values);

}  // namespace cdsl::runtime
