// Linear forms of integer expressions, and the least and greatest value that an expression takes
// over the ranges of its indices: boxes of intermediates, corners of reads, sizes of counts.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// Only sizes, scalar parameters, constants and operators: known on the host before the launch.
bool is_launch_known(const ExprArena& arena, ExprId id);
// The same without scalar parameters.
bool is_size_expression(const ExprArena& arena, ExprId id);

// sum of coefficient * index, plus sum of factor * atom, plus a constant. Coefficients and atoms
// are known at launch.
struct LinearForm {
  std::vector<std::pair<SymbolId, ExprId>> terms;
  std::vector<std::pair<ExprId, std::int64_t>> atoms;
  std::int64_t constant = 0;

  // The part without indices.
  ExprId rest(ExprArena& arena) const;
};

// nullopt where the expression is not linear in its indices.
std::optional<LinearForm> linear_form(ExprArena& arena, ExprId id);

// The expression with its terms collected, `N` for `(N - 1) + 1`; itself where it is not linear.
ExprId tidy(ExprArena& arena, ExprId id);

// The greatest (upper) or least value over the ranges of all indices in it, known at launch;
// nullopt where it is not linear in them with constant coefficients.
std::optional<ExprId> extreme(Analysis& a, ExprId id, bool upper);

// For a subscript that is linear in indices whose ranges are known at launch: the condition under
// which it lies in [0, extent) over all points (true where there are none), and its corners.
struct Corners {
  ExprId condition, least, greatest;
};
std::optional<Corners> corners(Analysis& a, ExprId subscript, ExprId extent);

}  // namespace cdsl::sema
