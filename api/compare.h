// An output of a device against the reference evaluator's.
#pragma once

#include <cstdint>
#include <string>

#include "dsl/eval/evaluator.h"
#include "dsl/tensor/array.h"

namespace cdsl {

struct Comparison {
  int64_t exact = 0;  // leaf elements that had to be equal, and those that had to be within a bound
  int64_t bounded = 0;
  int64_t unjudged = 0;  // the evaluator cannot say what is right there
  int64_t wrong = 0;
  double worst = 0;  // greatest error in units of its bound; infinity where something must be equal
  std::string first;  // the first wrong element: "y[3, 4] is 2.5, expected 2 +- 1e-6"

  Comparison& operator+=(const Comparison& other);
};

/// A leaf of an element: its row-major number, and the position in an array leaf.
struct LeafElement {
  int64_t flat = 0;
  uint32_t leaf = 0;
  int64_t within = 0;
};

/// One element of `compare`.
Comparison compare_element(const std::string& name, const Array& actual, const LeafElement& at, const eval::Expected& expected,
                           bool strict);

/// NaN equals NaN. +0 and -0 are equal unless `strict`. What equals the rounded reference value is
/// always right.
Comparison compare(const std::string& name, const eval::Output& expected, const Array& actual,
                   bool strict);

}  // namespace cdsl
