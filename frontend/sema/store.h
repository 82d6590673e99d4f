// Values into elements: one store of the IR for each leaf of the element.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

// What element type a value has on its own, for an intermediate; nullopt after an error. An untyped
// value takes its default type, which replaces it in `value`.
std::optional<ElementType> element_of(Analysis& a, Written& value);

// Appends the stores of `value` into an element of `symbol`; false after an error. Subscripts are
// those of the IR.
bool append_stores(Analysis& a, const TensorSymbol& symbol, const std::vector<ExprId>& subscripts,
                   Bounds bounds, const Written& value, SourceRange where,
                   std::vector<tir::Target>& targets);

}  // namespace cdsl::sema
