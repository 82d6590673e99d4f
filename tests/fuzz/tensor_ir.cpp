// The reader of Tensor IR text. What it takes is printed and read again to the same text, and compiled.
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
  const std::uint32_t file = sources.add("fuzz.tir", std::move(text));
  const auto functions = read_tensor_ir(sources, file, sink);
  render_text(sources, sink);
  fuzz::must(functions.has_value() != sink.has_errors());
  if (!functions) return std::nullopt;
  std::string printed;
  for (const tir::Function& function : *functions) printed += tir::to_string(function) + "\n";
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
  fuzz::compile_text("fuzz.tir", text, fuzz::options_of(0));
  return 0;
}
