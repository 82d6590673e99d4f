#include "frontend/ir_reader/ir_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dsl/tensor/verify.h"
#include "frontend/ir_reader/cursor.h"
#include "frontend/ir_reader/loop_reader.h"
#include "frontend/ir_reader/tensor_reader.h"

namespace cdsl {
namespace {

using ir_reader::Cursor;
using ir_reader::Malformed;

/// Runs `read` and turns what it throws into nothing; so do errors that it reported.
template <class Read>
auto guarded(DiagnosticSink& sink, Read read) -> std::optional<decltype(read())> {
  const std::size_t errors = sink.error_count();
  try {
    auto result = read();
    if (sink.error_count() == errors) return result;
  } catch (const Malformed&) {
    // The mistake is in the sink.
  }
  return std::nullopt;
}

void report(const std::vector<std::string>& problems, SourceRange where, DiagnosticSink& sink) {
  for (const std::string& problem : problems) sink.report(Code::IrInvalid, where.start(), problem);
}

tir::Function function(Cursor& cursor, DiagnosticSink& sink) {
  tir::Function function = ir_reader::TensorReader(cursor).read();
  report(tir::verify(function), function.where, sink);
  return function;
}

}  // namespace

std::optional<std::vector<tir::Function>> read_tensor_ir(const SourceManager& sources,
                                                         std::uint32_t file, DiagnosticSink& sink) {
  return guarded(sink, [&] {
    Cursor cursor(sources, file, sink);
    std::vector<tir::Function> functions;
    while (!cursor.at_end()) {
      const SourceRange where = cursor.here();
      functions.push_back(function(cursor, sink));
      functions.back().source = std::string(sources.text(functions.back().where));
      const auto same = [&](const tir::Function& f) { return f.name == functions.back().name; };
      if (std::any_of(functions.begin(), functions.end() - 1, same)) {
        cursor.fail(where, fmt::format("a second function is named '{}'", functions.back().name));
      }
    }
    return functions;
  });
}

std::optional<std::vector<LoweredText>> read_loop_ir(const SourceManager& sources,
                                                     std::uint32_t file, DiagnosticSink& sink) {
  return guarded(sink, [&] {
    Cursor cursor(sources, file, sink);
    std::vector<LoweredText> programs;
    while (!cursor.at_end()) {
      LoweredText& text = programs.emplace_back();
      if (cursor.at_word("function")) {
        text.function = function(cursor, sink);
        text.function->source = std::string(sources.text(text.function->where));
      }
      const SourceRange where = cursor.here();
      text.program =
          ir_reader::LoopReader(cursor, text.function ? &*text.function : nullptr).read();
      report(loop::verify(text.program), where, sink);
    }
    return programs;
  });
}

}  // namespace cdsl
