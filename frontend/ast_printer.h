// Prints a syntax tree as normalised source: one statement a line, two spaces a level, one space
// around operators, parentheses only where they are needed, no comments.
//
// Parsing the result gives the same tree again (ranges apart). Chains of any length take constant
// stack.
#pragma once

#include <string>

#include "frontend/ast.h"

namespace cdsl::ast {

std::string print(const ExprArena& exprs, ExprId expr);
std::string print(const ExprArena& exprs, const TypeExpr& type);
// Statements and items end with a line feed; statements are indented by `level`.
std::string print(const ExprArena& exprs, const Stmt& statement, int level = 0);
std::string print(const ExprArena& exprs, const Item& item);
// The items of one file, or of all files (kNoFile), an empty line between them; imports are kept.
std::string print(const Program& program, std::uint32_t file = kNoFile);

}  // namespace cdsl::ast
