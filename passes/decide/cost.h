// What a group would ask of the machine: counted from its accesses and its bindings, without lowering it. Sizes that are open
// count with their likely values.
#pragma once

#include "dsl/machine/predict.h"
#include "passes/decide/site.h"

namespace cdsl::deciding {

/// One access of a group, as `cost` counts it.
struct AccessCost {
  const Access* access = nullptr;
  double requests = 0;                    // of warps, to global memory
  double sectors_per_request = 0;
  int width_bytes = 4;                    // a lane
  int bank_degree = 0;                    // of the reads of a staged tile; 0: not staged
};

struct Cost {
  KernelWork work;
  std::vector<AccessCost> accesses;
  double us = 0;                          // predicted, at likely sizes
  /// What options are compared by: `score_of` the prediction; and of the case that open rows turn out short.
  double score = 0;
  double sectors() const;                 // of all requests
};

/// Microseconds, with a share of what the slowest resource is said to hide, since nothing overlaps perfectly: what alternatives
/// are compared by.
double score_of(const Prediction& prediction);

/// Requires: `group` is of the site's candidate, its axes those of the site.
Cost cost(const Site& site, const Group& group);

/// Neighbouring lanes of a warp for which the condition of a choice is the same.
int agreeing_lanes(const Group& group, const Choice& choice);

}  // namespace cdsl::deciding
