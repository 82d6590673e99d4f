// Single elements of outputs, computed from what they read alone: a check of results that are too large to be evaluated.
//
// An element is looked for in the statements from the last to the first: the stage that stores it tells the point of its domain,
// whose value is evaluated there, and what that reads is found in the same way in the statements before. Inputs are read where
// they lie. What a scatter or a loop writes hangs on all of it and cannot be had alone.
#pragma once

#include <memory>
#include <stdexcept>

#include "dsl/eval/evaluator.h"
#include "dsl/eval/number.h"

namespace cdsl::eval {

/// Why an element cannot be computed alone.
struct NotAlone : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SpotEvaluator {
 public:
  /// Keeps references. Requires: `bound` is what tir::bind makes of the arguments, without errors. An element may visit
  /// `most_points` points of reductions.
  SpotEvaluator(const tir::Function& function, const Arguments& arguments, const tir::Bound& bound, Mode mode, int64_t most_points);
  ~SpotEvaluator();

  /// The value after the last statement. `subscripts`: of the tensor, then of the leaf. Throws NotAlone.
  Expected element(TensorId tensor, uint32_t leaf, std::span<const int64_t> subscripts);
  /// Points of reductions that all elements so far visited.
  int64_t points() const;
  /// That reads made so far.
  const std::vector<Report>& reports() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

}  // namespace cdsl::eval
