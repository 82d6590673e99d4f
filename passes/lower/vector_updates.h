// The updates of a scatter whose threads take vectors of neighbouring points: each vector is loaded a round before its points are
// updated, so that loads are on their way all the time.
//
// Example (16 bytes a vector, 2 of them under way; tail left out):
//   for u in 0..2: ahead[u] = vectors[first + u * 1024]
//   for round from first step 2048 * blocks:
//     for u in 0..2: part = ahead[u]; ahead[u] = the same vector of the next round; update the 16 points of part
#pragma once

#include "dsl/schedule/scatter.h"
#include "passes/lower/emit.h"

namespace cdsl::lowering {

/// Requires: how.vector > 1, all axes of the job are boxes from 0, and how.vectors reads of their points' own elements; a launch
/// has no more blocks than `how.points` of the points fill.
void emit_vector_updates(Lowerer& lowerer, const Job& job, const PrivateBins& how, const Bins& bins);

}  // namespace cdsl::lowering
