// Expressions of the source to operands.
#pragma once

#include <string_view>

#include "frontend/sema/convert.h"

namespace cdsl::sema {

// Reports what is wrong and gives Poison then.
Operand evaluate(Analysis& a, ast::ExprId id);
Written written(Analysis& a, ast::ExprId id);  // with its place

std::optional<ExprId> evaluate_condition(Analysis& a, ast::ExprId id);
// i64, of any integer type.
std::optional<Scalar> evaluate_integer(Analysis& a, ast::ExprId id, const std::string& place);
// An expression of sizes and literals.
std::optional<ExprId> evaluate_size(Analysis& a, ast::ExprId id, const std::string& place);

// The tensor that a name means here (a `const` too), or null.
TensorSymbol* find_tensor(Analysis& a, std::string_view name);
// "Did you mean" over all values that are visible.
void report_unknown_name(Analysis& a, std::string_view name, SourceRange at);

}  // namespace cdsl::sema
