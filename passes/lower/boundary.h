// Boundary modes as index arithmetic (docs/language.md, "Reads"): which index a subscript folds to,
// and when it lies inside. Folding is right at any distance and for extent 1; nothing lies inside
// an extent of 0.
#pragma once

#include "dsl/expr/expr.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {

/// An index of an axis, and a condition (invalid: always) outside which there is no such element.
struct Folded {
  ExprId index;
  ExprId inside;
};

/// 0 <= subscript < extent, without the halves that surely hold; invalid where both do.
ExprId inside_test(ExprArena& arena, const Ranges& ranges, ExprId subscript, ExprId extent);

/// Subscript and extent are i64. For Symmetric the subscript occurs twice in the result.
Folded fold(ExprArena& arena, const Ranges& ranges, Boundary mode, ExprId subscript, ExprId extent);

}  // namespace cdsl::lowering
