// Left sides: which tensor is defined, at which subscripts, over which new indices.
#pragma once

#include <optional>
#include <vector>

#include "frontend/sema/analysis.h"
#include "frontend/sema/domain.h"

namespace cdsl::sema {

struct LeftSide {
  const ast::Target* target = nullptr;
  TensorSymbol* symbol = nullptr;  // null: an intermediate that is new
  std::vector<ExprId> subscripts;  // as written, not yet counted from the box
  std::vector<bool> is_default;    // an index over the whole declared axis
  bool is_vouched = false;         // unique(...)
};

struct LeftSides {
  std::vector<LeftSide> sides;
  std::vector<Axis> axes;  // the new indices, in the order of the first target
  ExprId guard;
};

// The tensor that a statement may define by this name: null with `is_new` for a new name, null
// without after an error.
TensorSymbol* resolve_target(Analysis& a, const ast::Name& name, bool& is_new);

// Declares the new indices in the current scope and adds them to the points. `value` is the right
// side, from whose bare reads indices may take their ranges.
std::optional<LeftSides> bind_left(Analysis& a, AtPoints& points,
                                   const std::vector<ast::Target>& targets, ast::ExprId value);

// Is the first mention of it a whole tensor's type: are ranges taken from its axes?
bool is_declared(const TensorSymbol& symbol);

}  // namespace cdsl::sema
