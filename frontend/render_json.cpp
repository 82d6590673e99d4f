// Diagnostics as JSON lines.
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "frontend/render.h"

namespace cdsl {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

// JSON text is UTF-8; messages and replacements may quote source bytes that are not.
Value text_value(std::string_view text) {
  return llvm::json::fixUTF8(llvm::StringRef(text));
}

Value range_value(const SourceManager& sources, SourceRange range) {
  if (!range.valid()) return nullptr;
  LineColumn begin = sources.line_column(range.file, range.begin);
  LineColumn end = sources.line_column(range.file, range.end);
  return Object{{"file", text_value(sources.name(range.file))},
                {"begin", range.begin},
                {"end", range.end},
                {"line", begin.line},
                {"column", begin.column},
                {"end_line", end.line},
                {"end_column", end.column}};
}

}  // namespace

std::string render_json(const SourceManager& sources, const Diagnostic& diagnostic) {
  Array notes;
  for (const Note& note : diagnostic.notes)
    notes.push_back(
        Object{{"message", text_value(note.message)}, {"range", range_value(sources, note.range)}});
  Array fix_its;
  for (const FixIt& fix : diagnostic.fix_its)
    fix_its.push_back(Object{{"range", range_value(sources, fix.range)},
                             {"replacement", text_value(fix.replacement)}});
  bool is_error = diagnostic.severity == Severity::Error;
  Value all = Object{{"severity", is_error ? "error" : "warning"},
                     {"code", code_text(diagnostic.code)},
                     {"name", text_value(info(diagnostic.code).name)},
                     {"message", text_value(diagnostic.message)},
                     {"range", range_value(sources, diagnostic.range)},
                     {"notes", std::move(notes)},
                     {"fix_its", std::move(fix_its)}};
  std::string out;
  llvm::raw_string_ostream(out) << all << '\n';
  return out;
}

std::string render_json(const SourceManager& sources, const DiagnosticSink& sink) {
  std::string out;
  for (const Diagnostic& diagnostic : sink.diagnostics()) out += render_json(sources, diagnostic);
  return out;
}

}  // namespace cdsl
