// Random choices that are the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace cdsl::random {

class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  // Source: SplitMix64, Steele, Lea and Flood 2014.
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }
  /// 0 <= result < n; n >= 1.
  int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }
  /// An index, each as often as its weight says.
  std::size_t weighted(const std::vector<int>& weights) {
    int total = 0;
    for (int weight : weights) total += weight;
    int at = below(total < 1 ? 1 : total);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      at -= weights[k];
      if (at < 0) return k;
    }
    return 0;
  }

 private:
  uint64_t state_;
};

}  // namespace cdsl::random
