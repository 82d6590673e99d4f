// The one door of the machine model: what a kernel would take, and why. Decisions compare
// alternatives by `us`; remarks and `explain` print the rest.
//
// Guarantees: depends on its arguments alone; more of any work never predicts less time.
#pragma once

#include "dsl/machine/roofline.h"

namespace cdsl {

struct Prediction {
  double us = 0;  // device time of all launches; infinite where a block does not fit
  Bound bound = Bound::Launch;
  Occupancy occupancy;  // .limiter says what stops the next block
  Waves waves;          // .tail_efficiency
  Roofs roofs{};        // microseconds of each resource, of one launch

  bool fits() const { return occupancy.blocks > 0; }
  double roof(Bound which) const { return roofs[static_cast<std::size_t>(which)]; }
};

Prediction predict(const Architecture& arch, const KernelWork& work);
/// A plan of several kernels, one after the other.
double predict_us(const Architecture& arch, std::span<const KernelWork> kernels);

}  // namespace cdsl
