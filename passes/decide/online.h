// Sums of exponentials below the maximum of the same row: what a softmax or a cross-entropy takes two walks over the row for, and one
// where the sums found so far are rescaled when the maximum grows.
#pragma once

#include "passes/decide/site.h"

namespace cdsl::deciding {

/// Reductions of the site along `index`, alone and without a condition, whose terms are exp(c * (x - top)) or exp2 of it, where top is the
/// maximum of x along `index` and c a constant above 0: then no exponential on the way is above 1, whatever was the maximum then.
std::vector<OnlineSum> online_sums(const Site& site, SymbolId index);

}  // namespace cdsl::deciding
