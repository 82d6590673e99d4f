#include "runtime/nvtx.h"

// Header only: it looks for a profiler's library by itself, when the first range is opened.
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace cdsl::runtime {

void push_nvtx_range(const char* name) { nvtxRangePushA(name); }
void pop_nvtx_range() { nvtxRangePop(); }

}  // namespace cdsl::runtime
#else
namespace cdsl::runtime {

void push_nvtx_range(const char*) {}
void pop_nvtx_range() {}

}  // namespace cdsl::runtime
#endif
