// What the roofs of a prediction leave out of a mapping's price: how steadily its loads are under way.
#pragma once

#include <vector>

#include "dsl/machine/predict.h"
#include "passes/decide/axis_count.h"

namespace cdsl::deciding {

struct Steadiness {
  const Site& site;
  const Group& group;
  const std::vector<AxisCount>& axes;
  const KernelWork& work;
  double loads_in_flight = 0;             // bytes of a thread
  bool in_parts = false;                  // records move in several accesses
};

/// Microseconds, beyond the prediction's.
double unsteady_us(const Steadiness& s, const Prediction& prediction);

}  // namespace cdsl::deciding
