// The frontend on any bytes: checking of text, lexer, parser, analysis, and both renderings of what is wrong.
#include "frontend/analyze.h"
#include "frontend/lexer.h"
#include "frontend/parser.h"
#include "frontend/render.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace cdsl;
  if (size > fuzz::kMostBytes) return -1;
  SourceManager sources;
  DiagnosticSink sink;
  const std::uint32_t file = sources.add("fuzz.cdsl", std::string(fuzz::text_of(data, size)));
  lex(sources, file, sink);    // promises to be safe on text that the check refuses
  sink.clear();
  const ast::Program program = parse_program(sources, file, sink);
  if (!sink.has_errors()) check_program(program, sources, {}, sink);
  render_text(sources, sink);
  render_json(sources, sink);
  return 0;
}
