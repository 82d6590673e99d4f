// Arithmetic of complex numbers with reals, by component (docs/language.md 7.9): a real operand is
// never widened to (x, 0), which would change infinities, NaNs and the sign of zeros.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

bool is_complex_operand(Analysis& a, const Operand& x);
// At least one operand is complex; both are plain. Op: Add, Sub, Mul, Div.
Operand complex_arithmetic(Analysis& a, Op op, Written x, Written y, SourceRange where);

}  // namespace cdsl::sema
