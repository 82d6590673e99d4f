// The seeded generator of schedules: splitmix64, the same on every platform. Source: Steele, Lea
// and Flood, "Fast splittable pseudorandom number generators", 2014.
#pragma once

#include <cstdint>

namespace cdsl::sim {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Below `bound`, close enough to uniform for a schedule.
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
};

}  // namespace cdsl::sim
