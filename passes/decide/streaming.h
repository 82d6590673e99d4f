// Which of a group's tensors are read like a stream, each element once: where the kernel writes too, their loads ask the L2 to keep
// their lines longest, so that written lines leave it early and steadily.
#pragma once

#include "passes/decide/cost.h"

namespace cdsl::deciding {

/// Requires: `taken` is the cost of `group`. Sets `streamed`, follows NAME.policy=evict_last|plain, and leaves a remark where
/// there is something to say.
void decide_streaming(const Site& site, const Cost& taken, Group& group);

}  // namespace cdsl::deciding
