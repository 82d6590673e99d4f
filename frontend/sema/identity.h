// Neutral elements of the operators that scatters combine with.
#pragma once

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::sema {

ExprId identity_of(ExprArena& arena, tir::ScatterOp op, ScalarType type);
ExprId zero_of(ExprArena& arena, ScalarType type);

}  // namespace cdsl::sema
