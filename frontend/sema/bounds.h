// Is a subscript inside its axis? The four steps of docs/language.md 4.2 for reads, and 4.3 for
// writes.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// One subscript of an axis that spans [lo, hi).
struct AxisAccess {
  std::string tensor;
  std::size_t axis = 0;
  ExprId subscript;
  ExprId lo, hi;
  bool is_bare = false;  // an index alone, in the source
  SourceRange at;        // the subscript
};

// Reports a refuted read, and bare reads that disagree with the range of their index; adds the
// launch checks that the answer relies on.
Bounds read_bounds(Analysis& a, const AxisAccess& access);
// Warns where the write is certainly outside.
Bounds write_bounds(Analysis& a, const AxisAccess& access);
// Are two extents equal? Adds the launch check where that depends; false where they differ for all
// sizes.
bool require_equal(Analysis& a, ExprId x, ExprId y, const std::string& message, SourceRange where);

}  // namespace cdsl::sema
