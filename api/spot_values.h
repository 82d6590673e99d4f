// A sample of the elements of each output, evaluated one by one: what verify compares where all would take too long.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/compare.h"
#include "dsl/eval/spot.h"

namespace cdsl {

struct SpotOutput {
  std::string name;
  std::vector<std::pair<LeafElement, eval::Expected>> values;
  int64_t elements = 0;   // leaf elements of the output
  std::string refusal;    // why there is no value, or there are no more
};

struct SpotValues {
  std::vector<SpotOutput> outputs;
  std::vector<eval::Report> reports;

  int64_t checked() const;
  int64_t elements() const;
};

/// `count` elements of each output and `inout` (all, where there are no more): the first and the last, those around number 2^31, and
/// random ones of this seed. Fewer where they take long: an output gets 2 * 10^8 points of reductions.
SpotValues spot_values(const tir::Function& function, const Arguments& arguments, const tir::Bound& bound, eval::Mode mode,
                       int64_t count, uint64_t seed);

}  // namespace cdsl
