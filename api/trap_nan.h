// Which statement made the first NaN: found after a run in the values of all tensors, whichever device it was.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "dsl/tensor/array.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

struct NanOrigin {
  SourceRange where;     // of the statement
  std::string message;   // "top[3] is NaN, and nothing that the statement reads holds one"
};

/// The first statement in source order whose result holds a NaN although neither a tensor nor a scalar that it reads does; of a loop,
/// values after its last step are looked at, so that where all of them hold one the loop itself is named. Nothing where no result
/// holds a NaN, or the arguments brought it.
/// Requires: `results` has every tensor that a statement writes (see api/expose.h).
std::optional<NanOrigin> find_nan(const tir::Function& function, const Arguments& arguments,
                                  const std::map<std::string, Array>& results);

}  // namespace cdsl
