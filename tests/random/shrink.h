// The smallest program that still fails in the same way.
#pragma once

#include "tests/random/check.h"
#include "tests/random/program.h"

namespace cdsl::random {

struct Shrunk {
  Program program;
  Finding finding;
  int steps = 0;  // that kept the failure
  int tries = 0;
};

/// Drops statements and overrides, replaces expressions by parts of them or by constants, takes axes and sizes away, until no step
/// keeps a failure of the same signature, or `seconds` have passed.
Shrunk shrink(const Program& program, const Finding& finding, const CheckOptions& options, double seconds, const Fault& fault = {});

}  // namespace cdsl::random
