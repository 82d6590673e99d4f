#include "runtime/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dsl/support/check.h"
#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Timer {
 public:
  Timer(PreparedCall& call, Stopwatch& watch, const TimingOptions& options)
      : call_(call), watch_(watch), options_(options) {}

  Timing run() {
    warm_up();
    Timing timing;
    timing.cold = samples(true);
    timing.hot = samples(false);
    timing.clock_mhz = watch_.clock_mhz();
    return timing;
  }

 private:
  // The first run loads kernels; the second tells how long the host takes to ask for one, which is how far it has to be ahead.
  void warm_up() {
    sample(false);
    const auto begin = Clock::now();
    call_.run();
    lead_ = std::min(kSlack + 2e6 * seconds_since(begin), kLongestLead);
    sample(false);
  }

  Samples samples(bool cold) {
    const auto begin = Clock::now();
    std::vector<double> taken;
    std::size_t look_at = static_cast<std::size_t>(options_.min_samples);   // sorting after every sample would take too long
    for (;;) {
      taken.push_back(sample(cold));
      const double seconds = seconds_since(begin);
      if (taken.size() < look_at || seconds < options_.min_seconds) continue;
      Samples samples(taken);
      if (seconds >= options_.max_seconds || samples.noise() <= options_.max_noise) return samples;
      look_at = taken.size() + taken.size() / 8 + 1;
    }
  }

  double sample(bool cold) {
    if (cold) watch_.evict();
    watch_.hold(lead_);
    watch_.start();
    call_.run();
    watch_.stop();
    return watch_.microseconds();
  }

  // Microseconds. A plan of thousands of launches overflows the device's queue; then the host cannot be ahead of all.
  static constexpr double kSlack = 20, kLongestLead = 2000;

  PreparedCall& call_;
  Stopwatch& watch_;
  const TimingOptions& options_;
  double lead_ = kSlack;
};

}  // namespace

Samples::Samples(std::vector<double> microseconds) : sorted_(std::move(microseconds)) {
  std::sort(sorted_.begin(), sorted_.end());
}

double Samples::quantile(double fraction) const {
  CDSL_CHECK(!sorted_.empty(), "a quantile of no samples");
  const double place = fraction * static_cast<double>(sorted_.size() - 1);
  const auto below = static_cast<std::size_t>(place), above = std::min(below + 1, sorted_.size() - 1);
  return std::lerp(sorted_[below], sorted_[above], place - static_cast<double>(below));
}

double Samples::noise() const {
  const double median = quantile(0.5);
  return median > 0 ? (quantile(0.75) - quantile(0.25)) / median : 0;
}

Timing time_call(PreparedCall& call, Device& device, const TimingOptions& options) {
  const auto watch = device.stopwatch();
  if (watch == nullptr) throw Error("timing", "no clock", "'" + device.name() + "' cannot tell how long its work takes");
  return Timer(call, *watch, options).run();
}

}  // namespace cdsl::runtime
