// The source that holds machine code.
#include <fmt/format.h>

#include "codegen/launcher.h"
#include "codegen/library_parts.h"
#include "codegen/types.h"

namespace cdsl {
namespace cuda {
namespace {

/// 90 and 'a' of "sm_90a".
std::pair<int, char> number_of(std::string_view architecture) {
  int number = 0;
  char feature = 0;
  for (const char c : architecture.substr(architecture.find('_') + 1)) {
    if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
    else feature = c;
  }
  return {number, feature};
}

std::string feature_literal(char feature) { return feature == 0 ? "0" : fmt::format("'{}'", feature); }

/// Types of a kernel's parameters as the driver is handed them: all pointers are alike.
std::string parameter_types(const loop::Program& program, const loop::Kernel& kernel) {
  std::vector<std::string> types;
  for (const BufferId id : kernel.buffers) {
    if (program.buffer(id).space == loop::Space::Global) types.push_back("const void*");
  }
  for (const SymbolId symbol : kernel.scalars) types.emplace_back(cuda_type(program.arena.symbol(symbol).type));
  for (std::size_t k = 0; k < kernel.maps.size(); ++k) types.emplace_back("TensorMap");
  if (takes_reports(kernel)) types.emplace_back("const void*");
  return fmt::format("{}", fmt::join(types, ", "));
}

/// Types of memory between kernels, which the .cu defines because its kernels name them.
void use_types(Module& module) {
  for (const loop::Buffer& buffer : module.program.buffers) {
    if (buffer.space != loop::Space::Global) continue;
    for (const Leaf& leaf : buffer.element.leaves) module.prelude.use_type(leaf.type);
  }
  if (!module.program.maps.empty()) module.prelude.use("TensorMap", ScalarType::Bool);
}

void print_kernels(const Module& module, Writer& out) {
  for (std::size_t k = 0; k < module.kernels.size(); ++k) {
    out.line(fmt::format("::cdsl::aot::Kernel<{}> {}(cdsl_image, \"{}\");", parameter_types(module.program, module.program.kernels[k]),
                         module.kernels[k], module.kernels[k]));
  }
}

void print_symbols(const LauncherContext& c, Writer& out) {
  const auto symbol = [&](const std::string& name) { out.line(fmt::format("::cdsl::aot::Symbol {}(cdsl_image, \"{}\");", name, name)); };
  for (std::size_t b = 0; b < c.plan.buffers.size(); ++b) {
    const plan::Buffer& buffer = c.plan.buffers[b];
    if (buffer.kind == plan::Buffer::Kind::Constant && !buffer.contents.empty()) symbol(constant_name(c, b));
  }
  if (!c.module.program.sites.empty()) symbol(c.reports_name);
}

/// From the header's struct to the one of this architecture, and the two ways in.
void print_entries(const LauncherContext& c, const PublicFunctions::Function& shown, const LibraryOptions& options, Writer& out) {
  const std::string type = fmt::format("::{}::{}", options.name, shown.context.struct_name);
  std::string members;
  const auto add = [&](const std::string& member) { members += (members.empty() ? "" : std::string(",") + kBreak) + member; };
  for (const auto& field : shown.context.fields)
    add(fmt::format(fmt::runtime(field.type.ends_with('*') ? "::cdsl::aot::Pointer{{args.{}}}" : "args.{}"), field.name));
  const bool reports = !c.module.program.sites.empty();
  if (reports) add("nullptr");
  out.blank();
  out.open(fmt::format("{} cdsl_own(const {}& args)", c.struct_name, type));
  if (members.find("args.") == members.npos) out.line("static_cast<void>(args);");
  out.line(fmt::format("return {}{{{}}};", c.struct_name, members));
  out.close();
  out.blank();
  out.line(fmt::format("long long cdsl_workspace(const {}& args) {{ return {}(cdsl_own(args)); }}", type, c.workspace_name));
  out.blank();
  out.open(fmt::format("void cdsl_run(::cdsl::aot::Library& library,{}const {}& args,{}void* stream,{}void* workspace)", kBreak, type, kBreak, kBreak));
  out.line(fmt::format("{}{} own = cdsl_own(args);", reports ? "" : "const ", c.struct_name));
  if (reports) out.line(fmt::format("cudaGetSymbolAddress((void**)&own.reports, {});", c.reports_name));
  out.line(fmt::format("library.run({},{}stream,{}workspace,{}{}(own),{}[&](void* memory, const char** why) {{", string_literal(c.function.name),
                       kBreak, kBreak, kBreak, c.workspace_name, kBreak));
  out.line(fmt::format("  return {}(own, memory, stream, why);", c.function_name));
  out.line("});");
  out.close();
}

/// Bytes as the elements of an initializer.
std::string byte_list(std::span<const std::byte> bytes, const std::string& indent) {
  std::string text;
  constexpr std::size_t kPerLine = 24;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (k % kPerLine == 0) text += k == 0 ? indent : "\n" + indent;
    text += std::to_string(std::to_integer<int>(bytes[k])) + ",";
  }
  return text + "\n";
}

/// `return` of what the chosen architecture's function gives.
void print_dispatch(std::span<const LibraryImage> images, const std::string& call, Writer& out) {
  out.open("switch (cdsl_library().choose())");
  for (std::size_t k = 0; k + 1 < images.size(); ++k) out.line(fmt::format("case {}: return {}::{};", k, images[k].architecture, call));
  out.line(fmt::format("default: return {}::{};", images.back().architecture, call));
  out.close();
}

}  // namespace

void print_library_symbols(std::span<Module> modules, Writer& out) {
  for (Module& module : modules) {
    LauncherContext c(module);
    for (std::size_t b = 0; b < c.plan.buffers.size(); ++b) {
      const plan::Buffer& buffer = c.plan.buffers[b];
      if (buffer.kind != plan::Buffer::Kind::Constant || buffer.contents.empty()) continue;
      out.blank();
      out.comment(fmt::format("{} of {}.", buffer.name, c.function.name));
      out.line("extern \"C\" {");
      out.line(fmt::format("__device__ __align__(256) unsigned char {}[{}] = {{", constant_name(c, b), buffer.contents.size()));
      out.block(byte_list(buffer.contents, "    "));
      out.line("};");
      out.line("}");
    }
    if (module.program.sites.empty()) continue;
    out.blank();
    out.line(fmt::format("extern \"C\" {{ __device__ cdsl_report {}[{}]; }}", c.reports_name, module.program.sites.size()));
  }
}

}  // namespace cuda

std::string library_kernels(std::span<const CudaUnit> units, CudaOptions options) {
  options.launcher = false;
  options.library = true;
  return emit_cuda(units, options);
}

LibraryImage library_image(std::span<const CudaUnit> units, CudaOptions options, const LibraryOptions& library) {
  using namespace cuda;
  LibraryImage image;
  image.architecture = options.architecture;
  options.library = true;
  File file(options);
  std::vector<Module> modules;
  for (const CudaUnit& unit : units) modules.emplace_back(file, unit);
  PublicFunctions shown(units, options);
  Writer body, out;
  bool reports = false;
  std::size_t at = 0;
  for (Module& module : modules) {
    use_types(module);
    LauncherContext c(module);
    if (const std::size_t sites = module.program.sites.size()) {
      reports = true;
      image.reports += fmt::format("{}{{&{}::cdsl_image, &{}::{}, {}::{}, {}}}", image.reports.empty() ? "" : std::string(",") + kBreak,
                                   image.architecture, image.architecture, c.reports_name, image.architecture, c.sites_name, sites);
    }
    body.blank();
    print_kernels(module, body);
    print_symbols(c, body);
    body.blank();
    print_sites(c, body);
    print_arguments(c, body);
    print_workspace_query(c, body);
    print_launch_function(c, body);
    print_entries(c, shown.functions()[at++], library, body);
  }
  for (const std::string& text : {file.prelude.type_definitions(), file.records.definitions(), std::string(reports ? kReportRecord : ""),
                                  file.prelude.library_functions() + file.support.text(true)}) {
    if (!text.empty()) out.blank();
    out.block(text);
  }
  out.block(body.take());
  image.launchers = out.take();
  return image;
}

std::string library_source(std::span<const CudaUnit> units, std::span<const LibraryImage> images, const LibraryOptions& options) {
  using namespace cuda;
  CudaOptions cuda;
  PublicFunctions shown(units, cuda);
  Writer out;
  print_library_opening(options, "machine code, and how it is launched", out);
  out.directive(fmt::format("#include \"{}\"", options.header));
  out.blank();
  out.directive("#include <cdsl/aot.h>");
  out.blank();
  out.directive(fmt::format("namespace {} {{", options.name));
  out.directive("namespace {");
  std::string list, report_list;
  for (const LibraryImage& image : images) {
    const auto [number, feature] = number_of(image.architecture);
    out.blank();
    out.directive(fmt::format("namespace {} {{", image.architecture));
    out.blank();
    out.line("using namespace ::cdsl::aot;");
    out.blank();
    out.line("alignas(64) const unsigned char cdsl_code[] = {");
    out.block(byte_list(image.code, "    "));
    out.line("};");
    out.line(fmt::format("::cdsl::aot::Image cdsl_image(cdsl_code, {}, {});", number, feature_literal(feature)));
    out.block(image.launchers);
    out.directive(fmt::format("}}  // namespace {}", image.architecture));
    list += fmt::format("{}&{}::cdsl_image", list.empty() ? "" : ", ", image.architecture);
    if (!image.reports.empty()) report_list += (report_list.empty() ? "" : ", ") + image.reports;
  }
  out.blank();
  out.open("::cdsl::aot::Library& cdsl_library()");
  out.line(fmt::format("static ::cdsl::aot::Library library({},{}{{{}}},{}{{{}}});", string_literal(options.name), kBreak, list, kBreak, report_list));
  out.line("return library;");
  out.close();
  out.blank();
  out.directive("}  // namespace");
  out.blank();
  out.line("void open(const char* device) { cdsl_library().open(device); }");
  out.line("void synchronize(void* stream) { cdsl_library().synchronize(stream); }");
  for (const PublicFunctions::Function& function : shown.functions()) {
    const LauncherContext& c = function.context;
    out.blank();
    out.open(fmt::format("long long {}(const {}& args)", c.workspace_name, c.struct_name));
    print_dispatch(images, "cdsl_workspace(args)", out);
    out.close();
    out.blank();
    out.open(fmt::format("void {}(const {}& args,{}void* stream,{}void* workspace)", function.name, c.struct_name, kBreak, kBreak));
    print_dispatch(images, "cdsl_run(cdsl_library(), args, stream, workspace)", out);
    out.close();
    out.blank();
    out.line(fmt::format("void prepare_{}(const {}&, void*) {{ open(\"cuda\"); }}", function.name, c.struct_name));
  }
  out.blank();
  out.directive(fmt::format("}}  // namespace {}", options.name));
  return out.take();
}

}  // namespace cdsl
