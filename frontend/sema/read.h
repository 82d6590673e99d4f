// Reads of tensors and of array fields: subscripts, boundary modes, bounds.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

// The value of a rank-0 tensor by its name.
Operand read_scalar(Analysis& a, TensorSymbol& symbol, SourceRange at);
// base[...] and base.mode[...].
Operand read_index(Analysis& a, ast::ExprId id);

}  // namespace cdsl::sema
