// verify: a compiled function on a device against the reference evaluator, on exact and on random
// data; or on edge values, or on negative ones.
//
// Where the evaluator would take more steps than it may, or tensors have more than a tenth as many elements (it takes 33 bytes for
// each), a sample of elements is checked instead, each evaluated from what it reads alone (dsl/eval/spot.h): the first and last,
// those around number 2^31, and random ones.
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

/// What the inputs that are made up hold: usual is exact data and random data, in two or three runs.
enum class VerifyData : uint8_t { Usual, Edges, Negative };

struct VerifyOptions {
  std::map<std::string, int64_t> sizes;
  Arguments given;  // inputs that are not to be made up
  uint64_t seed = 1;
  bool strict = false;
  VerifyData data = VerifyData::Usual;
  bool exact_only = false;  // leave out random data
  double most_steps = 1e9;  // of the evaluator (api/work.h), for all elements: a minute or two
  int64_t spots = 1000;     // of each output, where the evaluator would take too long for all
  /// A fresh device that holds the kernels of a program. `small`: one that needs the grid-stride
  /// loop soon.
  std::function<std::unique_ptr<runtime::Device>(const loop::Program& program, bool small)> device;
};

struct Verification {
  enum class Verdict : uint8_t { Passed, Failed, Skipped };
  Verdict verdict = Verdict::Passed;
  Comparison total;                   // of all runs
  bool by_spots = false;              // too large to be evaluated: single elements were, of each output
  int64_t checked = 0, elements = 0;  // by spots: leaf elements that one run compared, and that there are
  std::set<std::string> unchecked;    // by spots: outputs of which no element can be had alone, and why
  std::set<std::string> variants;     // that ran
  std::vector<std::string> messages;  // why it failed or was skipped, one a line
};

/// `reference` is the function before any pass. The failure says what the user has to give.
Result<Verification> verify(const Source& source, const tir::Function& reference,
                            const Compiled& compiled, const VerifyOptions& options);

}  // namespace cdsl
