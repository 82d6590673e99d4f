// Every expression of a function, written once: `map` gives its replacement.
#pragma once

#include <functional>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::simplification {

/// Shapes, statements, launch checks and facts, in this order.
void map_expressions(tir::Function& function, const std::function<ExprId(ExprId)>& map);

}  // namespace cdsl::simplification
