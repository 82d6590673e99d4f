// Fields of one record that lie side by side move in one access of 16 or 8 bytes: a caller's array of structures then takes a
// quarter of the requests, and each fetches sectors once.
//
// Requires: lane form, verified. Ensures: the same values everywhere. Joined are loads that a register names and stores of one
// straight run of statements, at the same index of a buffer that the launch guarantees to be aligned, as long as nothing between
// them could tell; stores where they cover all fields of the access.
// Example: `let px: f32 = p[i].x; let py: f32 = p[i].y;` becomes `let (px: f32, py: f32) = vector p[i].x;`
#pragma once

#include "dsl/loop/program.h"
#include "passes/pass.h"

namespace cdsl {

loop::Program join_fields(loop::Program program, PassContext& context);

inline constexpr Pass<loop::Program, loop::Program> kWholeRecords{
    "records", "fields of one record that lie side by side move in one access", join_fields};

}  // namespace cdsl
