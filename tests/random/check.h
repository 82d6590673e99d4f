// One program under several schedules on several sets of data: evaluator against device. Anything else than "equal" is a finding.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/random/device.h"
#include "tests/random/setups.h"

namespace cdsl::random {

struct Finding {
  std::string kind;  // "wrong value", "fault", "refused C0402", "internal error", "crash 11", "hang", ...
  std::string message;
  Setup setup;
  std::string data;  // usual, edges, negative; empty: found before anything ran
  uint64_t seed = 1;

  /// Two findings of one signature are taken to be of one cause: the kind, and what the message says without names and numbers.
  std::string signature() const;
  std::string command(const std::string& path) const;
};

struct CheckReport {
  std::vector<Finding> findings;
  std::map<std::string, int> counts;     // schedules, data sets, elements, ...
  std::map<std::string, int> decisions;  // "map=lanes*warps"
};

struct CheckOptions {
  std::string device = "sim";
  uint64_t seed = 1;          // of data, of the simulator, of the choice of schedules
  double most_steps = 6e4;    // of the evaluator; sizes shrink until it takes no more
  int seconds = 20;           // without a word until a check counts as hanging
  std::vector<Setup> setups;  // those alone; else three are made
  std::vector<std::string> data = {"usual", "edges", "negative"};
};

/// Called in a child process with the program's text: what a hidden fault does to it. For the test of the shrinker.
using Fault = std::function<std::string(const std::string& text)>;

/// Checks in a child process. `sizes`: values to start from.
CheckReport check(const std::string& text, const std::map<std::string, int64_t>& sizes, const CheckOptions& options, const Fault& fault = {});

}  // namespace cdsl::random
