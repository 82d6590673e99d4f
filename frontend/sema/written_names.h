// The names that statements of a block write, nested loops and arguments of calls included.
#pragma once

#include <set>
#include <string>

#include "frontend/ast.h"

namespace cdsl::sema {

std::set<std::string> written_names(const ast::Program& program, const ast::Block& block);

}  // namespace cdsl::sema
