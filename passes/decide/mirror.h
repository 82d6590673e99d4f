// Functions whose values at x and -x follow from each other are evaluated once where a kernel wants both: the small tail of a
// distribution is computed, and the other side is one less it, which loses nothing since the tail is at most a half.
//
// Example: normcdf(d) and normcdf(-d) become select(d < 0, t, 1 - t) and select(d < 0, 1 - t, t), where t = normcdf(-abs(d)).
// Ensures: the error of each stays within the function's bound (docs/functions.tsv).
#pragma once

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

/// Rewrites the values of `stores`, which have the same indices; how many pairs there were.
int share_mirrored(ExprArena& arena, std::vector<tir::Target>& stores);

}  // namespace cdsl::deciding
