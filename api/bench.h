// bench: how long a compiled function takes on a device, on random data, and what it moves and computes in that time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "api/pipeline.h"
#include "api/result.h"
#include "api/work.h"
#include "runtime/timing.h"

namespace cdsl {

struct BenchOptions {
  std::map<std::string, int64_t> sizes;
  Arguments given;  // inputs that are not to be made up
  uint64_t seed = 1;
  runtime::TimingOptions timing;
  /// Runs that nobody times, before those that are; then `rehearsed` is called.
  int rehearsals = 0;
  std::function<void()> rehearsed;
  bool timed = true;  // false: rehearsals alone
};

struct Benchmark {
  std::string device, variant;
  std::map<std::string, int64_t> sizes;
  int64_t read_bytes = 0, written_bytes = 0;  // compulsory: every parameter once
  Work work;                                  // of the function as it is written
  bool timed = true;
  runtime::Timing timing;  // where it was timed

  /// 10^9 compulsory bytes, or floating-point operations, a second, where a run takes so long.
  double gigabytes_per_second(double microseconds) const;
  double gigaflop_per_second(double microseconds) const;
};

/// `reference` is the function before any pass; `device` holds the kernels of `compiled`. The failure says what the user has
/// to give, or why there is no legal launch. Throws runtime::Error.
Result<Benchmark> bench(const tir::Function& reference, const Compiled& compiled, runtime::Device& device,
                        const BenchOptions& options);

}  // namespace cdsl
