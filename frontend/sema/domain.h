// Ranges of indices: written, or inferred from bare reads; binders of reductions and scatters.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/sema/analysis.h"
#include "frontend/sema/infer.h"

namespace cdsl::sema {

struct Span {
  ExprId lo, hi;
  RangeOrigin origin = RangeOrigin::Written;
  SourceRange where;
};

// a..b as i64 bounds.
std::optional<Span> evaluate_range(Analysis& a, const ast::IndexRange& range);
// The first index of a descending loop has one below it: an error, or a launch check.
bool require_step_below(Analysis& a, const Span& span);
// From the bare reads of an index; an error that proposes a range where there are none.
std::optional<Span> inferred_range(Analysis& a, const ast::Name& index, const ReadsByIndex& reads);

struct BoundIndices {
  std::vector<Axis> axes;
  ExprId guard;  // may be invalid
};
// Declares the indices in the current scope and adds them, and the guard, to the points. `uses` are
// the expressions in which the indices occur.
std::optional<BoundIndices> bind_indices(Analysis& a, AtPoints& points, const ast::BinderList& list,
                                         std::vector<ast::ExprId> uses);
// Declares one index over `span` and adds it to the points.
std::optional<Axis> bind_index(Analysis& a, AtPoints& points, const ast::Name& index,
                               const Span& span);

}  // namespace cdsl::sema
