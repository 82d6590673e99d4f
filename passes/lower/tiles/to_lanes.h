// Tile form becomes lane form: who holds which point is said by the digits of each axis, and every node has one rule.
//
//   register, vector digits   unrolled loops over register buffers; accesses along a vector digit are one where they are
//                             contiguous and proved aligned
//   lane, warp digits         arithmetic on `lane` and `warp`
//   reduce, scan              registers, then shuffles, then shared memory with a barrier, then the cluster
//   effects                   by one of the threads that hold the same point
//
// Requires: a verified program. Ensures: no kernel is in tile form. Example: tests/lit/tile.
#pragma once

#include "dsl/loop/program.h"
#include "passes/pass.h"

namespace cdsl {

loop::Program to_lanes(loop::Program program, PassContext& context);

inline constexpr Pass<loop::Program, loop::Program> kToLanes{
    "lanes", "Tile form to lane form: axes become loops and thread arithmetic", to_lanes};

}  // namespace cdsl
