// Which extents determine a size: `N`, or `a*N + b` with literal a and b.
#pragma once

#include <optional>
#include <string>

#include "frontend/ast.h"

namespace cdsl::sema {

struct LinearExtent {
  std::string name;  // empty for a constant
  std::int64_t scale = 0;
  std::int64_t offset = 0;
};
// nullopt where the extent has another form.
std::optional<LinearExtent> linear_extent(const ast::ExprArena& exprs, ast::ExprId id);

}  // namespace cdsl::sema
