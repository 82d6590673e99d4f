// Divergence: a warp takes every path that one of its lanes takes, one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "dsl/machine/architectures.h"

namespace cdsl {

/// Clocks of a warp whose lane l takes path `path[l]`: the sum over the paths taken.
double warp_cost(std::span<const int> path, std::span<const double> clocks);

/// Instructions that a branch issues besides its paths: the point of reconvergence set and reached, two jumps.
inline constexpr double kBranchIssues = 4;

struct Path {
  double clocks = 0;
  double probability = 0;  // that a lane takes it
};

/// Expected clocks of a branch where `run` neighbouring lanes agree and runs are independent: 1 is
/// a coin a lane, 32 never splits a warp.
double branch_cost(std::span<const Path> paths, int run = 1);
/// Clocks of computing every path and selecting, without a branch.
double select_cost(std::span<const Path> paths);

}  // namespace cdsl
