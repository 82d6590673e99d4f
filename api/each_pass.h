// verify --each-pass: what every pass made of a function, run beside the function as the frontend left it, to name the first pass
// that changed its meaning.
//
// Tensor IR is run by the reference evaluator, Loop IR by the simulator. Tile form has no way to be run: the pass `lanes`, which
// ends it, answers for the lowering before it too. Forms that facts of `where` allow are left to plain `verify`, which knows when
// they may run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/pipeline.h"
#include "api/result.h"
#include "api/test_data.h"

namespace cdsl {

struct EachPassOptions {
  Arguments given;              // inputs that are not to be made up
  std::vector<std::map<std::string, int64_t>> sizes;   // to try, each set complete
  std::vector<DataOptions> data;
  bool strict = false;
  double most_steps = 2e5;      // of the evaluator: sets of sizes that take more are left out
};

struct EachPass {
  std::vector<std::string> passes;      // that made something that was run, in order
  std::string first_wrong;              // of them; empty: none
  std::vector<std::string> messages;    // how it is wrong, a line each
  int calls = 0;                        // sets of sizes and data for which each form was run
  int left_out = 0;                     // sets that are no legal launch, or too large
};

/// Compiles `fn` name with `options`. Nothing where it has errors; the failure names a size that nothing gives.
std::optional<Result<EachPass>> verify_each_pass(Source& source, std::string_view name, const CompileOptions& options,
                                                 const EachPassOptions& wanted);

/// Sizes that show mistakes at borders: each of 0, 1, 2, 3, 7, 31, 33, 48, 100, 1000, 1028 for all open sizes, and mixed. What
/// `fixed` has is not changed.
std::vector<std::map<std::string, int64_t>> border_sizes(const tir::Function& function, const std::map<std::string, int64_t>& fixed);

}  // namespace cdsl
