// What a `let` sees of tensors that were overwritten since: copies, taken where the `let` stands.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// The tensor that a read here means: the symbol's own, or a snapshot of it.
TensorId version_seen(Analysis& a, TensorSymbol& symbol);
// The next statement of the current block writes `symbol`.
void note_overwrite(Analysis& a, TensorSymbol& symbol);
// target[...] = source[...] over the whole of both, which have one shape.
tir::Stage copy_stage(Analysis& a, TensorId target, TensorId source, SourceRange where);

}  // namespace cdsl::sema
