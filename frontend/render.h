// Diagnostics as text for people and as JSON for tools.
//
//   heat.cdsl:4:17: error: comparisons do not chain; join two of them with '&&' [C0106]
//     y[i] = if 0 <= i < N { x[i] } else { 0 };
//                    ^
//     fix: y[i] = if 0 <= i && i < N { x[i] } else { 0 };
#pragma once

#include <string>

#include "dsl/support/diagnostic.h"
#include "frontend/source.h"

namespace cdsl {

// Several lines, each with its line feed. Long source lines are cropped around the caret; bytes
// that cannot be shown are replaced, so that a terminal is never sent control characters. With
// color the words error, warning, note and the carets are coloured by ANSI codes.
std::string render_text(const SourceManager& sources, const Diagnostic& diagnostic,
                        bool color = false);
std::string render_text(const SourceManager& sources, const DiagnosticSink& sink,
                        bool color = false);

// One object on one line:
//   {"severity":"error","code":"C0106","name":"ChainedComparison","message":"...","range":R,
//    "notes":[{"message":"...","range":R}],"fix_its":[{"range":R,"replacement":"..."}]}
// R is null, or {"file","begin","end","line","column","end_line","end_column"}: byte offsets from 0
// (not counting a byte order mark), lines and columns from 1.
std::string render_json(const SourceManager& sources, const Diagnostic& diagnostic);
std::string render_json(const SourceManager& sources, const DiagnosticSink& sink);

// "C0106: comparisons do not chain" and the explanation, for explain-error.
std::string explain(Code code);

}  // namespace cdsl
