// What each statement is, as remarks: the names and facts that `recognize` finds, a remark a statement, whatever is decided of it.
#pragma once

#include <map>

#include "passes/decide/fuse.h"
#include "passes/recognize/sizes.h"

namespace cdsl::deciding {

/// In the order of the text. `groups`: what was fused, by the number of its last statement; that one is named with the others
/// written out in it. Leaves the arena as it is.
void name_statements(const tir::Function& function, const std::map<std::size_t, const Candidate*>& groups, const SizeValues& sizes,
                     Remarks& remarks);

}  // namespace cdsl::deciding
