// The operators of the language on operands: arithmetic with its types and index values,
// comparison, logic, choice.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

Op ir_op(ast::BinaryOp op);

// All but && and ||, whose right side is evaluated under the left (frontend/sema/expression.cpp).
Operand binary(Analysis& a, ast::BinaryOp op, Written x, Written y, SourceRange where);
// Add, Sub, Mul, Div, Rem, FloorDiv, FloorMod, Min, Max.
Operand arithmetic(Analysis& a, Op op, Written x, Written y, SourceRange where);
Operand unary(Analysis& a, Op op, Written x,
              SourceRange where);  // Neg, LogicalNot, BitNot, Abs, Sign
Operand logic(Analysis& a, Op op, ExprId x, Written y);
// if c { x } else { y }; records by field.
Operand choose(Analysis& a, ExprId condition, Written x, Written y, SourceRange where);
// The condition that holds where `condition` does not, comparisons of integers turned round.
ExprId negated(ExprArena& arena, ExprId condition);

}  // namespace cdsl::sema
