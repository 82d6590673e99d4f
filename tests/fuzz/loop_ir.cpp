// The reader of Loop IR text. What it takes is printed and read again to the same text, brought to lanes and emitted.
#include <utility>

#include "dsl/tensor/print.h"
#include "frontend/ir_reader/ir_reader.h"
#include "frontend/render.h"
#include "fuzz/compile_text.h"
#include "fuzz/target.h"

namespace {

std::optional<std::string> read_and_print(std::string text) {
  using namespace cdsl;
  SourceManager sources;
  DiagnosticSink sink;
  const std::uint32_t file = sources.add("fuzz.lir", std::move(text));
  const auto programs = read_loop_ir(sources, file, sink);
  render_text(sources, sink);
  fuzz::must(programs.has_value() != sink.has_errors());
  if (!programs) return std::nullopt;
  std::string printed;
  for (const LoweredText& lowered : *programs) {
    if (lowered.function) printed += tir::to_string(*lowered.function) + "\n";
    printed += loop::to_string(lowered.program) + "\n";
  }
  return printed;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace cdsl;
  if (size > fuzz::kMostBytes) return -1;
  const std::string text(fuzz::text_of(data, size));
  const auto printed = read_and_print(text);
  if (!printed) return 0;
  fuzz::must(read_and_print(*printed) == printed);
  CompileOptions options = fuzz::options_of(0);
  options.programs_alone = true;
  fuzz::compile_text("fuzz.lir", text, options);
  return 0;
}
