// Which operands an operator takes, asked before a node is made, so that IR text with wrong types
// is a diagnostic.
#pragma once

#include <span>
#include <string>

#include "dsl/expr/ops.h"

namespace cdsl::ir_reader {

/// What is wrong with operands of these types; "" where nothing is. Not for Cast.
std::string operand_problem(Op op, std::span<const ScalarType> types);

/// Does the language convert `from` to `to`? (A complex value to a real one it does not.)
bool can_cast(ScalarType from, ScalarType to);

}  // namespace cdsl::ir_reader
