// simplify: constant folding, algebra within the numeric rules, common subexpressions, dead stages.
//
// Requires: a verified tir::Function.
// Ensures:  the same outputs bit for bit (NaN, infinities, signs of zero and overflow included);
// idempotent. Example:  `y[i] = x[i + 17 % 5] * 1`  becomes  `y[i] = x[i + 2]`; `x * 0.0` stays for
// floats.
#pragma once

#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

tir::Function simplify(tir::Function function, PassContext& context);

inline constexpr Pass<tir::Function, tir::Function> kSimplify{
    "simplify", "fold constants, apply exact algebra, remove dead stages", simplify};

}  // namespace cdsl
