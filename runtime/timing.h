// Times a prepared call on the device's own clock.
//
// A sample is one run of the plan, from before its first step to after its last: kernels, fills and copies on the device,
// nothing of the host, which has asked for all of it before the first step may begin. Cold samples find nothing of the call
// in the L2 cache; hot ones follow one another. Events make a GPU's samples 1.6 to 2.4 us longer than its kernels.
#pragma once

#include <vector>

#include "runtime/device.h"
#include "runtime/prepared_call.h"

namespace cdsl::runtime {

/// Samples of each kind are taken until there are so many, so much time has gone by (clearing of the cache included), and their
/// noise is small enough or the most time has gone by.
struct TimingOptions {
  double min_seconds = 0.5;
  int min_samples = 30;
  double max_noise = 0.05;
  double max_seconds = 3;
};

class Samples {
 public:
  Samples() = default;
  explicit Samples(std::vector<double> microseconds);

  std::size_t count() const { return sorted_.size(); }
  /// The least for 0, the median for 0.5; between two samples by their distance. Requires: there are samples.
  double quantile(double fraction) const;
  /// Between the quartiles, as a fraction of the median.
  double noise() const;

 private:
  std::vector<double> sorted_;
};

struct Timing {
  Samples cold, hot;
  double clock_mhz = 0;   // of the multiprocessors, right after the last sample; 0: the device does not tell
};

/// Runs `call` until it was timed. Throws runtime::Error, also where the device has no clock.
Timing time_call(PreparedCall& call, Device& device, const TimingOptions& options);

}  // namespace cdsl::runtime
