// Traversal of Loop IR statements, written once.
#pragma once

#include <functional>

#include "dsl/loop/loop_ir.h"

namespace cdsl::loop {

/// The expressions that `statement` itself evaluates, in order; not those of its nested blocks.
/// Invalid ones are left out.
void for_each_expression(const Statement& statement, const std::function<void(ExprId)>& visit);

/// The blocks directly inside `statement`.
void for_each_block(const Statement& statement, const std::function<void(const Block&)>& visit);

/// Every statement of `block`, nested ones after their parent.
void for_each_statement(const Block& block, const std::function<void(const Statement&)>& visit);

/// The memory that `statement` itself writes or loads by vector; null where it has none.
const Access* access_of(const Statement& statement);

}  // namespace cdsl::loop
