// Atomics: what contention costs, and what joining lanes of a warp before updating saves.
#pragma once

#include <cstdint>

#include "dsl/machine/architectures.h"

namespace cdsl {

enum class AtomicPlace : uint8_t { Global, Shared };

/// The atomics of one statement, over the whole launch.
struct AtomicWork {
  AtomicPlace place = AtomicPlace::Global;
  AtomicType type = AtomicType::Float32;
  double lanes = 0;     // updates
  double requests = 0;  // warp requests
  double passes = 0;    // global_atomic_passes or shared_atomic_passes of all requests
  double hottest = 0;   // updates of the busiest address; shared: in one block
};

/// Updates spread evenly over `targets` words of `width` bytes, as hashed keys do. `blocks` share
/// the work; in shared memory each has all the targets to itself, `copies` of each side by side: lane
/// l updates copy l % copies.
AtomicWork spread_atomics(AtomicPlace place, AtomicType type, double lanes, double targets,
                          int width, double blocks, int copies = 1);

/// Microseconds: the slowest of throughput, lanes and the busiest address. Shared atomics of one
/// block run on one multiprocessor; `sms` of them work at once.
double atomics_us(const Architecture& arch, const AtomicWork& work, double sms);

/// Updates left when each warp joins its lanes that hit one address first: 32 of 1,024.
constexpr int64_t after_warp_aggregation(int64_t lanes) {
  return (lanes + kWarpLanes - 1) / kWarpLanes;
}
/// Distinct targets that a warp of random keys is expected to hit among `targets`: the updates left
/// of 32.
double distinct_targets(double targets);

}  // namespace cdsl
