// Tensors that are defined once: parts are provably disjoint, and those of an output cover it.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// Adds a part to a tensor that is defined once; an error where it may meet another part, or itself
// in another iteration of a loop.
void add_part(Analysis& a, TensorSymbol& symbol, DefinedPart part);
// At the end of the function: an error where some element of an output may be left out.
void check_covered(Analysis& a, const TensorSymbol& symbol);

}  // namespace cdsl::sema
