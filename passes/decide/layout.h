// layout: how records lie in memory. Of a `layout(auto)` tensor that is a choice, by the sectors that its reads and writes
// touch; of memory that the caller laid out it is not, and the remark says what another layout would save, what converting to
// it would cost, and after how many uses that pays.
//
// Requires: a verified tir::Function. Ensures: no tensor's layout is Auto; nothing else changes.
// Example: reading one field of three floats touches 12 sectors a request as records, 4 as arrays.
#pragma once

#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

tir::Function choose_layouts(tir::Function function, PassContext& context);

inline constexpr Pass<tir::Function, tir::Function> kLayout{"layout", "how records lie in memory", choose_layouts};

}  // namespace cdsl
