#include "dsl/machine/divergence.h"

#include <algorithm>
#include <cmath>

namespace cdsl {

double warp_cost(std::span<const int> path, std::span<const double> clocks) {
  double sum = 0;
  for (std::size_t taken = 0; taken < clocks.size(); ++taken)
    if (std::find(path.begin(), path.end(), static_cast<int>(taken)) != path.end())
      sum += clocks[taken];
  return sum;
}

double branch_cost(std::span<const Path> paths, int run) {
  const double runs = std::max(1.0, static_cast<double>(kWarpLanes) / std::max(run, 1));
  double sum = 0;
  for (const Path& path : paths) sum += path.clocks * (1 - std::pow(1 - path.probability, runs));
  return sum;
}

double select_cost(std::span<const Path> paths) {
  double sum = 0;
  for (const Path& path : paths) sum += path.clocks;
  return sum;
}

}  // namespace cdsl
