// bench: how long a compiled function takes on a device, on random data, and what of the device's memory bandwidth that is.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "api/pipeline.h"
#include "api/result.h"
#include "runtime/timing.h"

namespace cdsl {

struct BenchOptions {
  std::map<std::string, int64_t> sizes;
  Arguments given;  // inputs that are not to be made up
  uint64_t seed = 1;
  runtime::TimingOptions timing;
};

struct Benchmark {
  std::string device, variant;
  std::map<std::string, int64_t> sizes;
  int64_t read_bytes = 0, written_bytes = 0;  // compulsory: every parameter once
  runtime::Timing timing;

  /// 10^9 compulsory bytes a second, where a run takes so long.
  double gigabytes_per_second(double microseconds) const;
};

/// `reference` is the function before any pass; `device` holds the kernels of `compiled`. The failure says what the user has
/// to give, or why there is no legal launch. Throws runtime::Error.
Result<Benchmark> bench(const tir::Function& reference, const Compiled& compiled, runtime::Device& device,
                        const BenchOptions& options);

}  // namespace cdsl
