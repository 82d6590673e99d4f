// Traversal of Loop IR statements, written once.
#pragma once

#include <functional>
#include <vector>

#include "dsl/loop/loop_ir.h"

namespace cdsl::loop {

/// The expressions that `statement` itself evaluates, in order; not those of its nested blocks.
/// Invalid ones are left out.
void for_each_expression(const Statement& statement, const std::function<void(ExprId)>& visit);

/// The same expressions, each replaced by what `map` makes of it.
void map_expressions(Statement& statement, const std::function<ExprId(ExprId)>& map);

/// The blocks directly inside `statement`.
void for_each_block(const Statement& statement, const std::function<void(const Block&)>& visit);

void for_each_block(Statement& statement, const std::function<void(Block&)>& visit);

/// The registers that `statement` itself defines.
std::vector<SymbolId> definitions(const Statement& statement);

/// The symbols that stand for the two accumulators in the combination of a TileReduce or TileScan: left ones, then right.
std::vector<SymbolId> accumulators_of(const Statement& statement);

/// Every statement of `block`, nested ones after their parent.
void for_each_statement(const Block& block, const std::function<void(const Statement&)>& visit);

/// Every place in memory that `statement` itself names; those without a buffer are left out.
void for_each_access(const Statement& statement, const std::function<void(const Access&)>& visit);

/// The registers of matrix instructions that `statement` itself names.
void for_each_fragment(const Statement& statement, const std::function<void(const Fragment&)>& visit);

/// The memory that `statement` itself writes or loads by vector, by one of the threads; null where it has none.
const Access* access_of(const Statement& statement);

}  // namespace cdsl::loop
