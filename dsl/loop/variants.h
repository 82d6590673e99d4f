// Joins what one function was lowered to in different ways into one program with variants.
#pragma once

#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::loop {

/// The plan of the result holds the variants of all `programs`, in this order; what their plans say
/// of guards and names is kept. Equal buffers, kernels and report sites are there once. A kernel
/// whose name is taken by a different one gets the name of its variant behind it: `f_y`,
/// `f_y_general`. A variant that does what the next one does is left out.
///
/// Requires: programs of one function, lowered from arenas whose sizes, scalars and tensor
/// parameters were declared alike; the last variant of the last program has no guards; at most
/// plan::kMaxVariants variants. Ensures: sizes, scalars and views have the ids that they have in
/// the last program. Example: `join_variants(narrow, general)` where `narrow` was lowered with
/// 32-bit indices and carries `plan::no_larger_than(..., 2^31 - 1)` as its guard.
Program join_variants(std::vector<Program> programs);

}  // namespace cdsl::loop
