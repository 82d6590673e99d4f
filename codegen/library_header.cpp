#include <fmt/format.h>

#include "codegen/library_parts.h"
#include "codegen/opening.h"

namespace cdsl {
namespace cuda {
namespace {

loop::Program without_kernels(const loop::Program& program) {
  loop::Program bare;
  bare.name = program.name;
  bare.arena = program.arena;
  bare.specials = program.specials;
  bare.plan.arena = program.plan.arena;
  bare.plan.buffers = program.plan.buffers;
  bare.plan.views = program.plan.views;
  return bare;
}

void print_function(const PublicFunctions::Function& function, const std::string& space, Writer& out) {
  LauncherContext& c = function.context;
  out.blank();
  print_arguments(c, out);
  out.comment("Bytes of device memory that a call needs besides its arguments; 0 where the library keeps them itself.");
  out.line(fmt::format("long long {}(const {}& args);", c.workspace_name, c.struct_name));
  out.blank();
  out.comment(fmt::format("Checks a call of {} and launches it on `stream`, without waiting. Without `workspace`, memory is taken in the "
                          "order of the stream.", c.function.name));
  out.line(fmt::format("void {}(const {}& args,{}void* stream,{}void* workspace = nullptr);", function.name, c.struct_name, kBreak, kBreak));
  Scopes names;
  for (const auto& field : c.fields) names.declare(field.name);
  const std::string stream = names.declare("stream");
  const std::string list = parameter_list(c);
  out.open(fmt::format("inline void {}({}{}{}void* {})", function.name, list, list.empty() ? "" : ",", list.empty() ? ' ' : kBreak, stream));
  // A parameter may have the function's name.
  out.line(fmt::format("::{}::{}({}{{{}}},{}{});", space, function.name, c.struct_name, argument_list(c), kBreak, stream));
  out.close();
  out.blank();
  out.comment("Does what can be done before such a call, so that it can be captured in a CUDA graph.");
  out.line(fmt::format("void prepare_{}(const {}& args,{}void* stream);", function.name, c.struct_name, kBreak));
}

}  // namespace

PublicFunctions::PublicFunctions(std::span<const CudaUnit> units, const CudaOptions& options) : options_(options), file_(options_) {
  options_.library = false;
  for (const CudaUnit& unit : units) {
    programs_.push_back(without_kernels(unit.program));
    modules_.emplace_back(file_, CudaUnit{unit.function, programs_.back(), unit.remarks, unit.locate});
  }
  for (Module& module : modules_) contexts_.emplace_back(module);
  Scopes names(Scopes::Outermost::File);
  for (const char* taken : {"synchronize"}) names.declare(taken);
  for (LauncherContext& context : contexts_) functions_.push_back({names.declare(context.function.name), context});
}

std::string parameter_list(const LauncherContext& c) {
  std::string list;
  for (const auto& field : c.fields)
    list += (list.empty() ? "" : std::string(",") + kBreak) + field.type + " " + field.name;
  return list;
}

std::string argument_list(const LauncherContext& c) {
  std::string list;
  for (const auto& field : c.fields) list += (list.empty() ? "" : std::string(",") + kBreak) + field.name;
  return list;
}

void print_library_opening(const LibraryOptions& options, std::string_view what, Writer& out) {
  out.comment(fmt::format("{}, written by cuoptc {}: {}.", options.name, options.version, what));
}

}  // namespace cuda

std::string library_header(std::span<const CudaUnit> units, const CudaOptions& cuda, const LibraryOptions& options) {
  using namespace cuda;
  PublicFunctions all(units, cuda);
  Writer out;
  print_library_opening(options, "tensor expressions as functions of the host", out);
  out.comment("All throw cdsl::Error (cdsl/cdsl.hpp): CDSL_ERROR_ARGUMENT where a call is refused, with the reason; "
              "CDSL_ERROR_NO_DRIVER, CDSL_ERROR_NO_DEVICE and CDSL_ERROR_UNSUPPORTED_DEVICE where there is no GPU for it; "
              "CDSL_ERROR_OUT_OF_MEMORY, CDSL_ERROR_LAUNCH and CDSL_ERROR_DEVICE_FAULT where the driver fails. A launch goes to the "
              "caller's current context. Any thread may call.");
  out.directive("#pragma once");
  out.blank();
  out.directive(fmt::format("namespace {} {{", options.name));
  out.blank();
  out.comment("Loads what the current context needs. The first call does it where this was not called: do it before a capture.");
  out.line("void open(const char* device = \"cuda\");");
  out.blank();
  out.comment("Waits for the stream. Throws CDSL_ERROR_CHECK where kernels of this library met an index outside its tensor since the last "
              "call: they went on.");
  out.line("void synchronize(void* stream);");
  for (const std::string& types : {all.file().prelude.type_definitions(), all.file().records.definitions()}) {
    if (!types.empty()) out.blank();
    out.block(types);
  }
  for (const PublicFunctions::Function& function : all.functions()) print_function(function, options.name, out);
  out.blank();
  out.directive(fmt::format("}}  // namespace {}", options.name));
  return out.take();
}

}  // namespace cdsl
