// The program's own `reducer`s: combination, identity and accumulators of a tuple.
#pragma once

#include "frontend/sema/convert.h"
#include "frontend/sema/domain.h"

namespace cdsl::sema {

Operand reduce_with(Analysis& a, const ast::ReducerDecl& decl, const BoundIndices& bound,
                    Written term, SourceRange at);
// Reports what is wrong with a reducer that nothing uses.
void check_reducer(Analysis& a, const ast::ReducerDecl& decl);

}  // namespace cdsl::sema
