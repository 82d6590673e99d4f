// Definitions of constant boxes of elements, Y[0] = ..., Y[1] = ...: thousands of them are compared and
// joined as numbers, before anything is asked of the prover.
#pragma once

#include <optional>
#include <vector>

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// [lo, hi) that one subscript of a part spans, where both are constants.
std::optional<std::pair<std::int64_t, std::int64_t>> constant_span(const Analysis& a,
                                                                   const DefinedPart& part,
                                                                   std::size_t axis);
// The same elements in fewer parts: constant boxes that agree on all axes but one are joined.
std::vector<DefinedPart> joined(Analysis& a, const std::vector<DefinedPart>& parts);

}  // namespace cdsl::sema
