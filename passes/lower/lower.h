// lower: the general path. A thread an output element with a grid-stride loop, serial reductions,
// atomics for scatters, one launch a stage, `repeat` as launches, `along` serial in a thread where
// threads are independent, else one block.
//
// Requires: a verified tir::Function, every layout decided (Auto counts as Soa).
// Ensures:  a verified loop::Program that computes the function for every legal size; every read
// and write is inside its
//           buffer, or tested and reported.
// Example:  `y[i] = a * x[i] + y0[i]`  becomes one kernel `saxpy_y` over N items.
#pragma once

#include "dsl/loop/program.h"
#include "dsl/schedule/group.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

loop::Program lower(const tir::Function& function, PassContext& context);

/// The decided groups as kernels in tile form, all else by the general path. Right where `guards_of(decided, plan)` hold.
loop::Program lower_groups(const Decided& decided, PassContext& context);
/// What the groups ask of a launch.
std::vector<plan::Guard> guards_of(const Decided& decided, const plan::Plan& plan);

inline constexpr Pass<const Decided&, loop::Program> kLowerGroups{
    "groups", "decided groups in tile form, the rest by the general path", lower_groups};

inline constexpr Pass<const tir::Function&, loop::Program> kLower{
    "lower", "general path: a thread an element, a launch a statement, in Loop IR", lower};

}  // namespace cdsl
