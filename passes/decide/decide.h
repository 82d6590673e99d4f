// decide: which statements share a kernel, and how their points are shared out.
//
// Each group is found legal first (fuse.h); then all ways to carry it out are priced by one model and the cheapest is taken
// (space.h). What is not decided goes the general path.
//
// Requires: a verified tir::Function. Ensures: the stages and their meaning are unchanged (the arena only grows); every group
// computes what its stages do wherever its guards hold.
// Example: the three stages of softmax become one group: a row a block, read once.
#pragma once

#include "dsl/schedule/group.h"
#include "passes/pass.h"

namespace cdsl {

/// What a group may ask of a launch: vectors ask for aligned bases and rows of whole vectors, residence for rows of a bounded
/// length. A variant that asks for nothing is right for every launch.
struct Assumptions {
  bool vectors = false;
  bool resident = false;
};

struct DecideInput {
  tir::Function& function;
  Assumptions assume;
};

Decided decide(DecideInput input, PassContext& context);

inline constexpr Pass<DecideInput, Decided> kDecide{"decide", "groups of statements, and the binding of their axes", decide};

}  // namespace cdsl
