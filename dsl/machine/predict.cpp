#include "dsl/machine/predict.h"

#include <algorithm>
#include <limits>

namespace cdsl {

Prediction predict(const Architecture& arch, const KernelWork& work) {
  Prediction result;
  result.occupancy =
      occupancy(arch, {work.block, work.registers, work.shared_bytes, work.barriers});
  result.waves = waves(arch, work.grid, result.occupancy.blocks);
  if (!result.fits()) {
    result.us = std::numeric_limits<double>::infinity();
    return result;
  }
  result.roofs = roofline(arch, work, result.occupancy, result.waves);
  result.bound = bound_of(result.roofs);
  const double fixed = result.roof(Bound::Launch);
  const double slowest = *std::max_element(result.roofs.begin() + 1, result.roofs.end());
  result.us = static_cast<double>(work.launches) * (fixed + slowest);
  return result;
}

double predict_us(const Architecture& arch, std::span<const KernelWork> kernels) {
  double sum = 0;
  for (const KernelWork& work : kernels) sum += predict(arch, work).us;
  return sum;
}

}  // namespace cdsl
