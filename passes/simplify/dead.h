// Statements whose results nobody needs.
#pragma once

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::simplification {

/// Removes targets in intermediates that no live statement reads, statements left without a target,
/// those that never run, and loops left empty. What might report at run time stays. Returns how
/// many statements went.
int remove_dead(tir::Function& function);

}  // namespace cdsl::simplification
