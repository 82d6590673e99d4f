// The decisions of a compilation as plain data: orthogonal axes, each with exactly one lowering. Passes fill it in, the user
// and the tuner overwrite it. Keys are those of `--set`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dsl/schedule/directives.h"
#include "dsl/schedule/remark.h"

namespace cdsl {

/// How a sequential loop of the language runs.
enum class LoopForm : uint8_t {
  Launches,      // a launch of each kernel of the body a step
  Thread,        // serial in each thread; iterations of different threads are independent
  Block          // one block runs the whole nest, with a barrier after each statement
};

struct Schedule {
  std::string architecture = "sm_90a";           // compiled for
  int block_threads = 256;                       // of kernels on the general path
  bool threads_asked = false;                    // by an override: decided kernels follow it where they can
  bool decide = true;                            // false: the general path for all statements
  bool wide_indices = false;                     // all index arithmetic in 64 bits
  bool simplify = true;
  bool strict = false;                           // reductions keep the documented order
  std::map<std::string, LoopForm> loops;         // by the loop index's name as --set knows it: "loop.t"
  std::map<std::string, std::string> overrides;  // `--set KEY=CHOICE` and directives, as given
  std::map<std::string, SourceRange> directed;   // keys that directives gave, and where
};

std::string to_string(const Schedule& schedule);

}  // namespace cdsl
