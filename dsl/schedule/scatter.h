// How the updates of a scatter reach its target: what `decide` chose and `lower` carries out, as plain data. A scatter that is not
// listed updates global memory point by point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

/// Each block updates bins of its own in shared memory, one for each element of the target, and adds those that it changed to
/// the target at the end.
struct PrivateBins {
  std::string name;                      // of the target
  std::size_t statement = 0;             // the scatter, counted in the order of the text
  int64_t bins = 1;                      // elements of the target
  int copies = 1;                        // of each bin, side by side: lane l of a warp updates copy l modulo copies (a power of two)
  int threads = 256;                     // of a block
  int resident = 0;                      // blocks of a multiprocessor that its registers have to allow; 0: the compiler's choice
  int64_t points = 1;                    // of a block at least: fewer do not pay for its bins

  int64_t vector = 1;                    // neighbouring points that a thread takes at once
  int prefetch = 0;                      // vectors of a thread that are on their way while it makes the updates of one
  std::vector<ExprId> vectors;           // reads that are made so: of the element whose number is the point's
  std::vector<TensorId> aligned;         // what they read of begins at a multiple of kVectorBytes
  ExprId few;                            // a condition over sizes: there are at most kMostPoints; invalid: nothing is asked
};

/// A thread's widest access, in bytes.
inline constexpr int64_t kVectorBytes = 16;
/// Points of several axes that are counted in 32 bits, a round of a launch beyond the last one among them.
inline constexpr int64_t kMostPoints = int64_t{1} << 30;

/// Vectors of integers of 1 and 2 bytes stay in registers as they came, several to a word.
inline bool stays_packed(ScalarType type) { return is_integer(type) && size_of(type) < 4; }

}  // namespace cdsl
