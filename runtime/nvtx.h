// Ranges for profilers (NVTX): Nsight shows them above the work that was asked for within them.
//
// Nothing happens where no profiler is attached, or where this was built without NVTX's header.
#pragma once

namespace cdsl::runtime {

/// Opens a range on this thread; ranges nest. `name` is copied by the profiler.
void push_nvtx_range(const char* name);
/// Closes the range that was opened last on this thread.
void pop_nvtx_range();

}  // namespace cdsl::runtime
