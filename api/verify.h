// verify: a compiled function on a device against the reference evaluator, on exact and on random
// data.
//
// Outputs start poisoned. Where the evaluator allows no error, results must be equal; elsewhere the
// error is measured in units of the evaluator's bound. Every variant whose guards hold runs, not
// only the first. Whatever the device finds wrong (a race, an
// access outside a buffer) fails as well, and so does a run-time report that one side makes and the
// other does not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/compare.h"
#include "api/pipeline.h"
#include "runtime/device.h"

namespace cdsl {

struct VerifyOptions {
  std::map<std::string, int64_t> sizes;
  Arguments given;  // inputs that are not to be made up
  uint64_t seed = 1;
  bool strict = false;
  bool exact_only = false;  // leave out random data
  /// A fresh device that holds the kernels of a program. `small`: one that needs the grid-stride
  /// loop soon.
  std::function<std::unique_ptr<runtime::Device>(const loop::Program& program, bool small)> device;
};

struct Verification {
  enum class Verdict : uint8_t { Passed, Failed, Skipped };
  Verdict verdict = Verdict::Passed;
  Comparison total;                   // of all runs
  std::set<std::string> variants;     // that ran
  std::vector<std::string> messages;  // why it failed or was skipped, one a line
};

/// `reference` is the function before any pass. The failure says what the user has to give.
Result<Verification> verify(const Source& source, const tir::Function& reference,
                            const Compiled& compiled, const VerifyOptions& options);

}  // namespace cdsl
