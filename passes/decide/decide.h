// decide: which statements share a kernel, and how their points are shared out.
//
// Each group is found legal first, then its axes are bound by counting what the accesses cost (dsl/machine). What is not
// decided goes the general path.
//
// Requires: a verified tir::Function. Ensures: the stages and their meaning are unchanged (the arena only grows); every group
// computes what its stages do wherever its guards hold.
// Example: the three stages of softmax become one group: a row a block, read once.
#pragma once

#include "dsl/schedule/group.h"
#include "passes/pass.h"

namespace cdsl {

Decided decide(tir::Function& function, PassContext& context);

inline constexpr Pass<tir::Function&, Decided> kDecide{
    "decide", "groups of statements, and the binding of their axes", decide};

}  // namespace cdsl
