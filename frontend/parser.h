// Source text to syntax tree.
//
// The grammar is in docs/language.md. Every mistake is reported with its place; after one the
// parser goes on at the next statement, so that one run finds several. What was parsed is returned
// even then, for tools that can use it; compile only where the sink has no errors.
#pragma once

#include <cstdint>

#include "frontend/ast.h"
#include "frontend/source.h"

namespace cdsl {

// Parentheses, brackets, branches, signs and blocks; chains of operators and of `else if` do not
// count.
inline constexpr int kMaxNesting = 500;
// Of a whole program.
inline constexpr std::uint32_t kMaxExpressions = 1u << 21;

// Parses a file that is loaded in `sources` and, first, all files it imports, which are loaded on
// the way. Each file's text is checked (SourceManager::check_text); one that fails is not parsed.
ast::Program parse_program(SourceManager& sources, std::uint32_t file, DiagnosticSink& sink,
                           std::uint32_t max_expressions = kMaxExpressions);

}  // namespace cdsl
