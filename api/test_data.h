// Inputs made up for a function: small integers whose sums are exact, random numbers, edge values, negative numbers.
//
// Guarantees: the same seed gives the same data on every machine. Integer inputs that subscript a
// tensor stay inside it; those that bound a range rise along their last axis.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "api/result.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/bind.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

struct DataOptions {
  enum class Kind : uint8_t {
    Exact,  // small integers; the first and last element along each axis are the extremes, so that
            // one dropped shows
    Random,   // floats uniform in [-2, 2), integers of all magnitudes
    Edges,    // random, with NaN, infinities, both zeros, subnormals, greatest and least among them: in
              // some arrays every other element, in some a few, in some all but NaN and infinities
    Negative  // floats in [-2.25, -0.25), signed integers below 0
  };
  Kind kind = Kind::Random;
  uint64_t seed = 1;
  bool last_is_least = false;     // Exact: swaps the extremes
  bool shrink_broadcast = false;  // every other axis declared `1|M` has extent 1
};

struct MadeArguments {
  Arguments arguments;
  std::string illegal;  // why these sizes are no legal launch; empty where they are
};

/// Fills in what `given` lacks: sizes from `sizes` (or from arrays that are given), then arrays and
/// scalars. The failure names a size that nothing gives.
Result<MadeArguments> make_arguments(const tir::Function& function, const Arguments& given,
                                     const std::map<std::string, int64_t>& sizes,
                                     const DataOptions& options);

}  // namespace cdsl
