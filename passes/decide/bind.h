// How the axes of a candidate are bound: which index runs along the lanes, what a block holds, what goes through shared memory.
#pragma once

#include <optional>

#include "passes/decide/fuse.h"
#include "passes/pass.h"

namespace cdsl::deciding {

/// The group of a legal candidate, with a remark for each choice; nothing where the general path is as good.
std::optional<Group> bind(tir::Function& function, const Candidate& candidate, PassContext& context);

}  // namespace cdsl::deciding
