#include "api/ir_input.h"

#include <fmt/format.h>

#include "frontend/ir_reader/ir_reader.h"

namespace cdsl {
namespace {

/// The functions of the file with what was lowered from them, if that is in the text. They are
/// values that passes change, so each use reads them anew; what is wrong is reported once, since
/// the sink keeps one diagnostic of a place.
std::vector<LoweredText> read(Source& source) {
  if (input_level(source) == InputLevel::LoopIr) {
    auto programs = read_loop_ir(source.files, source.main_file, source.diagnostics);
    return programs ? std::move(*programs) : std::vector<LoweredText>{};
  }
  auto functions = read_tensor_ir(source.files, source.main_file, source.diagnostics);
  std::vector<LoweredText> texts;
  if (!functions) return texts;
  for (tir::Function& function : *functions) texts.push_back({std::move(function), {}});
  return texts;
}

const std::string& name_of(const LoweredText& text) {
  return text.function ? text.function->name : text.program.name;
}

/// What stands for the function of a program that is all the text has: a name, and its symbols.
tir::Function no_function(const loop::Program& program) {
  tir::Function function;
  function.name = program.name;
  function.arena = program.arena;
  return function;
}

}  // namespace

InputLevel input_level(std::string_view path) {
  if (path.ends_with(".tir")) return InputLevel::TensorIr;
  return path.ends_with(".lir") ? InputLevel::LoopIr : InputLevel::Language;
}

InputLevel input_level(const Source& source) {
  return source.main_file == kNoFile ? InputLevel::Language
                                     : input_level(source.files.name(source.main_file));
}

std::vector<std::string> ir_function_names(Source& source) {
  std::vector<std::string> names;
  for (const LoweredText& text : read(source)) names.push_back(name_of(text));
  return names;
}

std::optional<tir::Function> ir_function(Source& source, std::string_view name,
                                         const CompileOptions& options) {
  for (LoweredText& text : read(source)) {
    if (name_of(text) != name) continue;
    if (!text.function && options.programs_alone) return no_function(text.program);
    if (!text.function) {
      source.diagnostics.report(
          Code::IrInvalid, SourceRange{source.main_file, 0, 0},
          fmt::format("program '{}' stands without the function that it was lowered from", name));
      return std::nullopt;
    }
    for (tir::Size& size : text.function->sizes) {
      const auto given = options.defines.sizes.find(text.function->arena.symbol(size.symbol).name);
      if (given != options.defines.sizes.end()) size.known = given->second;
    }
    return std::move(text.function);
  }
  return std::nullopt;
}

std::optional<loop::Program> ir_program(Source& source, std::string_view name) {
  if (input_level(source) != InputLevel::LoopIr) return std::nullopt;
  for (LoweredText& text : read(source)) {
    if (name_of(text) == name) return std::move(text.program);
  }
  return std::nullopt;
}

bool ir_stands_alone(Source& source, std::string_view name) {
  for (const LoweredText& text : read(source)) {
    if (name_of(text) == name) return !text.function;
  }
  return false;
}

}  // namespace cdsl
