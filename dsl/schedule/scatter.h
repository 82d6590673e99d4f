// How the updates of a scatter reach its target: what `decide` chose and `lower` carries out, as plain data. A scatter that is not
// listed updates global memory point by point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cdsl {

/// Each block updates bins of its own in shared memory, one for each element of the target, and adds those that it changed to
/// the target at the end.
struct PrivateBins {
  std::string name;                      // of the target
  std::size_t statement = 0;             // the scatter, counted in the order of the text
  int64_t bins = 1;                      // elements of the target
  int threads = 256;                     // of a block
  int64_t points = 1;                    // of a block at least: fewer do not pay for its bins
};

}  // namespace cdsl
