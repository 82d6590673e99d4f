// layout: how records lie in memory. Of a `layout(auto)` tensor and of a temporary that is a choice: arrays, records, groups of
// records (AoSoA) or parts of fields that go together, priced by the sectors that all accesses of the function touch, with
// neighbours along the lanes or where data says. Of memory that the caller laid out it is none, and the remark says what another
// layout would save, what converting to it would cost, and after how many calls that pays.
//
// Requires: a verified tir::Function. Ensures: no tensor's layout is Auto; nothing else changes.
// Example: one field of three floats read in order touches 12 sectors a request as records, 4 as arrays; all three read where an
// index says touch some 40 sectors a warp as records, 96 as arrays.
#pragma once

#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

tir::Function choose_layouts(tir::Function function, PassContext& context);

inline constexpr Pass<tir::Function, tir::Function> kLayout{"layout", "how records lie in memory", choose_layouts};

/// Gives the parameters of `variant`, another form of `function`, the layouts that those of `function` have: a caller packs its
/// memory once, whichever variant runs. Requires: both are decided, and have the same parameters.
void share_layouts(const tir::Function& function, tir::Function& variant);

}  // namespace cdsl
