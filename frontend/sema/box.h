// The box of an intermediate: from the least lower bound to the greatest upper bound of all its
// definitions in the block (docs/language.md 3.3), those that come later included.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

using Box = std::vector<std::pair<ExprId, ExprId>>;  // [lo, hi) by axis, over sizes

// The span of one subscript over all indices; an error where it is no size expression.
std::optional<std::pair<ExprId, ExprId>> subscript_span(Analysis& a, ExprId subscript,
                                                        const std::string& tensor, SourceRange at);
// Grows `box` by the definitions of `name` that follow the current statement in its block.
void include_later_definitions(Analysis& a, const std::string& name, Box& box);
// hi - lo, at least 0.
ExprId extent_of(Analysis& a, ExprId lo, ExprId hi);

}  // namespace cdsl::sema
