// The source that holds the programs as text.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/launcher.h"
#include "codegen/library_parts.h"

namespace cdsl {
namespace cuda {
namespace {

std::string type_name(const RecordType& element) {
  if (!element.is_scalar()) return "CDSL_RECORD";
  std::string name(name_of(element.leaves[0].type));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return "CDSL_" + name;
}

std::string string_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + string_literal(text);
  return "{" + list + "}";
}

/// One tensor as `call.tensor(...)`: its parts, extents and, where they are free, strides.
void print_tensor(LauncherContext& c, TensorId id, const LibraryOptions& options, Writer& out) {
  const tir::Tensor& tensor = c.function.tensor(id);
  const RecordType& element = c.function.element(id);
  std::string parts, extents, strides;
  for (std::size_t b = 0; b < c.plan.buffers.size(); ++b) {
    const plan::Buffer& buffer = c.plan.buffers[b];
    if (buffer.kind == plan::Buffer::Kind::Parameter && buffer.tensor == id) parts += (parts.empty() ? "" : ", ") + c.buffers[b];
  }
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    std::string extent = c.expression(tensor.shape[axis]), stride = "0";
    for (const plan::ViewSymbol& view : c.plan.views) {
      if (view.tensor != id || view.axis != axis) continue;
      (view.kind == plan::ViewSymbol::Kind::Stride ? stride : extent) = c.spellings.symbols[view.symbol.index()];
    }
    extents += (axis == 0 ? "" : ", ") + extent;
    strides += (axis == 0 ? "" : ", ") + stride;
  }
  const bool strided = tensor.order == tir::Order::Strided;
  std::string more;
  if (strided || !element.is_scalar()) more += fmt::format(",{}{{{}}}", kBreak, strided ? strides : "");
  if (!element.is_scalar()) more += fmt::format(",{}{}", kBreak, string_literal(options.spell_layout(element, decided(tensor.layout))));
  out.line(fmt::format("call.tensor({{{}}},{}{},{}{{{}}}{});", parts, kBreak, type_name(element), kBreak, extents, more));
}

/// The arguments in the order of libcdsl: sizes that no extent gives, then parameters as declared.
void print_call(LauncherContext& c, const LibraryOptions& options, Writer& out) {
  out.blank();
  out.open(fmt::format("::cdsl::embedded::Call cdsl_call(const {}& args)", c.struct_name));
  out.line("::cdsl::embedded::Call call;");
  for (const tir::Size& size : c.function.sizes) {
    if (size.is_parameter) out.line(fmt::format("call.scalar({});", c.spellings.symbols[size.symbol.index()]));
  }
  for (const tir::Parameter& parameter : c.function.parameters) {
    if (const auto* tensor = std::get_if<TensorId>(&parameter.what)) {
      print_tensor(c, *tensor, options, out);
      continue;
    }
    const tir::ScalarParameter& scalar = c.function.scalars[std::get<uint32_t>(parameter.what)];
    out.line(fmt::format("call.scalar({});", c.spellings.symbols[scalar.symbol.index()]));
  }
  out.line("return call;");
  out.close();
}

void print_program(const EmbeddedProgram& program, std::size_t index, Writer& out) {
  out.blank();
  out.open(fmt::format("::cdsl::embedded::Program& cdsl_program_{}()", index));
  std::string lines;  // a literal of the compiler has a greatest length, and may not hold what a line of the program does
  std::string_view rest = program.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    lines += "    " + string_literal(rest.substr(0, end)) + "\n";
    rest.remove_prefix(end);
  }
  out.line("static const char text[] =");
  out.block(lines.empty() ? "    \"\"\n" : lines);
  out.line("    ;");
  out.open("static const ::cdsl::ModuleOptions options = []");
  out.line("::cdsl::ModuleOptions made;");
  out.line(fmt::format("made.defines = {};", string_list(program.defines)));
  out.line(fmt::format("made.settings = {};", string_list(program.settings)));
  if (program.strict) out.line("made.strict = true;");
  if (program.fast_math) out.line("made.fast_math = true;");
  out.line("return made;");
  out.close("}();");
  out.line(fmt::format("static ::cdsl::embedded::Program program(text, {}, options);", string_literal(program.name)));
  out.line("return program;");
  out.close();
}

/// A function of the header that each program has its part in.
void print_for_each(const std::string& head, std::size_t programs, const std::string& call, Writer& out) {
  out.blank();
  out.open(head);
  for (std::size_t k = 0; k < programs; ++k) out.line(fmt::format("cdsl_program_{}().{};", k, call));
  out.close();
}

}  // namespace
}  // namespace cuda

std::string embedded_source(std::span<const EmbeddedProgram> programs, const CudaOptions& cuda, const LibraryOptions& options) {
  using namespace cuda;
  std::vector<CudaUnit> units;
  std::vector<std::size_t> program_of;
  for (std::size_t k = 0; k < programs.size(); ++k) {
    for (const CudaUnit& unit : programs[k].units) {
      units.push_back(unit);
      program_of.push_back(k);
    }
  }
  PublicFunctions shown(units, cuda);
  Writer calls, out;
  for (const PublicFunctions::Function& function : shown.functions()) print_call(function.context, options, calls);
  print_library_opening(options, "programs, compiled when they are called", out);
  out.directive(fmt::format("#include \"{}\"", options.header));
  out.blank();
  out.directive("#include <cdsl/embedded.h>");
  out.blank();
  out.directive(fmt::format("namespace {} {{", options.name));
  out.directive("namespace {");
  out.blank();
  out.line("using ::cdsl::embedded::max;");
  out.line("using ::cdsl::embedded::min;");
  const std::string helpers = shown.file().prelude.library_functions();
  if (!helpers.empty()) out.blank();
  out.block(helpers);
  for (std::size_t k = 0; k < programs.size(); ++k) print_program(programs[k], k, out);
  out.block(calls.take());
  out.blank();
  out.directive("}  // namespace");
  print_for_each("void open(const char* device)", programs.size(), "open(device)", out);
  print_for_each("void synchronize(void* stream)", programs.size(), "synchronize(stream)", out);
  std::size_t at = 0;
  for (const PublicFunctions::Function& function : shown.functions()) {
    const LauncherContext& c = function.context;
    const std::string name = string_literal(c.function.name), program = fmt::format("cdsl_program_{}()", program_of[at++]);
    out.blank();
    out.line(fmt::format("long long {}(const {}&) {{ return 0; }}", c.workspace_name, c.struct_name));
    out.blank();
    out.open(fmt::format("void {}(const {}& args,{}void* stream,{}void*)", function.name, c.struct_name, kBreak, kBreak));
    out.line(fmt::format("cdsl_call(args).launch({},{}{},{}stream);", program, kBreak, name, kBreak));
    out.close();
    out.blank();
    out.open(fmt::format("void prepare_{}(const {}& args,{}void* stream)", function.name, c.struct_name, kBreak));
    out.line(fmt::format("cdsl_call(args).prepare({},{}{},{}stream);", program, kBreak, name, kBreak));
    out.close();
  }
  out.blank();
  out.directive(fmt::format("}}  // namespace {}", options.name));
  return out.take();
}

}  // namespace cdsl
