// Calls of a `fn`: statements on whole tensors, expanded where they stand.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// Is the expression a call of a `fn` of the program?
bool is_fn_call(const Analysis& a, ast::ExprId value);
// `targets` is the definition whose right side the call is; null for a bare call.
void analyze_call(Analysis& a, ast::ExprId call, const ast::Definition* targets, SourceRange at);

}  // namespace cdsl::sema
