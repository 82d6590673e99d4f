// Programs from text through the parser and semantic analysis, for tests of what it says and gives.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/support/diagnostic.h"
#include "dsl/tensor/print.h"
#include "dsl/tensor/verify.h"
#include "frontend/analyze.h"
#include "frontend/parser.h"
#include "frontend/source.h"

namespace cdsl {

struct ErrorCase {
  const char* program;
  const char* diagnostics;  // "1:41 C0200 2:3 C0304"
};

struct Analyzed {
  SourceManager sources;
  DiagnosticSink sink;
  std::vector<tir::Function> functions;  // those without errors
};

// Every fn of the program, then its schedules.
inline Analyzed analyze_program(std::string text, const AnalyzeOptions& options = {}) {
  Analyzed result;
  const std::uint32_t file = result.sources.add("test.cdsl", std::move(text));
  const ast::Program program = parse_program(result.sources, file, result.sink);
  if (result.sink.has_errors()) return result;
  for (const std::string& name : function_names(program)) {
    auto fn = analyze(program, result.sources, name, options, result.sink);
    if (fn) result.functions.push_back(std::move(*fn));
  }
  if (!result.sink.has_errors()) check_program(program, result.sources, options, result.sink);
  return result;
}

inline std::string diagnostics_of(const Analyzed& analyzed) {
  std::string text;
  for (const Diagnostic& diagnostic : analyzed.sink.diagnostics()) {
    const LineColumn at =
        analyzed.sources.line_column(diagnostic.range.file, diagnostic.range.begin);
    text += (text.empty() ? "" : " ") + std::to_string(at.line) + ":" + std::to_string(at.column) +
            " " + code_text(diagnostic.code);
  }
  return text;
}

inline std::string diagnostics_of(std::string text, const AnalyzeOptions& options = {}) {
  return diagnostics_of(analyze_program(std::move(text), options));
}

// The Tensor IR of the program's last fn, which must be well formed; else what went wrong.
inline std::string tensor_ir_of(std::string text, const AnalyzeOptions& options = {}) {
  const Analyzed analyzed = analyze_program(std::move(text), options);
  if (analyzed.functions.empty()) return "errors: " + diagnostics_of(analyzed);
  const tir::Function& function = analyzed.functions.back();
  for (const std::string& problem : tir::verify(function)) return "verifier: " + problem;
  return tir::to_string(function);
}

}  // namespace cdsl
