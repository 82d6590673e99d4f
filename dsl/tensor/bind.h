// Sizes at launch: derives every size of a function from the extents of its arguments, and evaluates the integer
// expressions (shapes, checks) that depend on sizes and scalars alone.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/support/diagnostic.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::tir {

/// Values of symbols that are known at launch.
using Bindings = std::map<SymbolId, Value>;

/// A launch error in the user's words, with the place in the source that asked for it.
struct LaunchError {
  std::string message;
  SourceRange where;
  Code code = Code::LaunchCheck;
};

struct Bound {
  Bindings bindings;
  std::vector<std::vector<int64_t>> shapes;            // by tensor; actual extents (1 on broadcast axes)
  std::vector<LaunchError> errors;                     // empty: the launch is legal
};

/// Checks rank, element type and extents of every argument, derives sizes, then evaluates shapes, checks and required facts.
Bound bind(const Function& function, const Arguments& arguments);

/// The axes whose extent determines a size: one, or all those declared `1|size` where no other axis carries it.
std::vector<std::pair<TensorId, uint32_t>> determining_axes(const Function& function, const Size& size);

/// The extent of an argument that determines a size: the first of its axes whose extent is not 1, 1 if all
/// are. nullopt: the argument is not given.
std::optional<int64_t> determining_extent(const Function& function, const Size& size, const Arguments& arguments);

/// Value of an expression over bound symbols only.
Value evaluate_constant(const ExprArena& arena, ExprId id, const Bindings& bindings);

}  // namespace cdsl::tir
