// Running reductions as something that is carried along an axis: what a group needs to know to walk over the axis once.
//
//   y[i, j] = s[j] + sum[k in 0..j + 1](x[i, k])     stores s[j] + R, where R is the term x[i, j] at the point, running along j
//   y[i] = max[k in i..n](x[k])                      goes down: the same with n - 1 - i for i, running along i
//
// Requires: stores of a candidate. Ensures: each running reduction is a Reduce without axes (dsl/schedule/group.h), all run along
// one axis upwards; subscripts and values agree on the points, of which all are still visited.
#pragma once

#include <string>

#include "passes/decide/fuse.h"

namespace cdsl::deciding {

/// Rewrites the stores of `candidate` and lists what runs in them. Where nothing does, or it cannot be carried, the candidate stays
/// as it is; in the latter case a sentence says why.
std::string carry(tir::Function& function, Candidate& candidate);

/// May the statement be a kernel that carries its running reductions? Then nothing; otherwise why not. `statements`: of the function.
std::string why_not_carried(tir::Function& function, const tir::Stage& stage, bool strict, std::size_t statements);

}  // namespace cdsl::deciding
