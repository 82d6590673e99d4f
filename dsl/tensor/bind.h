// Sizes at launch: derives every size of a function from the extents of its arguments, and evaluates the integer
// expressions (shapes, checks) that depend on sizes and scalars alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/tensor/array.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::tir {

/// Values of symbols that are known at launch.
using Bindings = std::map<SymbolId, Value>;

/// A launch error in the user's words, with the place in the source that asked for it.
struct LaunchError {
  std::string message;
  SourceRange where;
};

struct Bound {
  Bindings bindings;
  std::vector<std::vector<int64_t>> shapes;            // by tensor; actual extents (1 on broadcast axes)
  std::vector<LaunchError> errors;                     // empty: the launch is legal
};

/// Checks rank, element type and extents of every argument, derives sizes, then evaluates shapes, checks and required facts.
Bound bind(const Function& function, const Arguments& arguments);

/// Value of an expression over bound symbols only.
Value evaluate_constant(const ExprArena& arena, ExprId id, const Bindings& bindings);

}  // namespace cdsl::tir
