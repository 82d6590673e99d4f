// Reductions: op[binders](value), built in and of the program's own `reducer`s.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

Operand evaluate_reduction(Analysis& a, ast::ExprId id);

}  // namespace cdsl::sema
