// Builders for i64 index arithmetic that fold constants and drop units (x + 0, x * 1, 0 * x), so that addresses and
// extents come out as a person would write them.
#pragma once

#include <optional>

#include "dsl/expr/expr.h"

namespace cdsl {

ExprId index_add(ExprArena& arena, ExprId a, ExprId b);
ExprId index_sub(ExprArena& arena, ExprId a, ExprId b);
ExprId index_mul(ExprArena& arena, ExprId a, ExprId b);
ExprId index_floordiv(ExprArena& arena, ExprId a, ExprId b);
ExprId index_floormod(ExprArena& arena, ExprId a, ExprId b);
ExprId index_min(ExprArena& arena, ExprId a, ExprId b);
ExprId index_max(ExprArena& arena, ExprId a, ExprId b);
ExprId logical_and(ExprArena& arena, ExprId a, ExprId b);   // either may be invalid (true)
std::optional<int64_t> constant_integer(const ExprArena& arena, ExprId id);

}  // namespace cdsl
