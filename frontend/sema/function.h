// Calls in expressions: built-in functions, casts, `def`s, constructors of records.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

Operand evaluate_call(Analysis& a, ast::ExprId id);
// Is the name a function, type or struct that is built in or declared?
bool is_callable(const Analysis& a, std::string_view name);

}  // namespace cdsl::sema
