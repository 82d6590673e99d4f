// Which intermediates may be read where nothing was written. The language says that such elements
// are 0 (docs/decisions/0010), so the plan clears these before anything runs.
#pragma once

#include <set>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::lowering {

/// Temporaries with a read, or an update, that no statement before it in its block (or around it)
/// has surely covered. A stage covers a tensor when it has no guard and its subscripts are its
/// indices, each over a whole axis.
std::set<TensorId> read_before_covered(const tir::Function& function, const ExprArena& arena);

}  // namespace cdsl::lowering
