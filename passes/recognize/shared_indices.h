// One symbol for one range and name: statements of a block that walk over the same range by the same name share their index, so
// that writing one out in another copies nothing.
#pragma once

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

/// Ensures: the same function, but for which symbols its stages bind.
void share_indices(tir::Function& function);

}  // namespace cdsl::deciding
