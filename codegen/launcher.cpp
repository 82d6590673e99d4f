#include "codegen/launcher.h"

#include <fmt/format.h>
#include <algorithm>

#include "codegen/launcher_context.h"
#include "dsl/plan/variants.h"

namespace cdsl::cuda {
namespace {

constexpr std::size_t kLongestNote =
    56;  // of what stands behind a field; a longer one goes above it

bool uses_workspace(const plan::Plan& plan) {
  return std::any_of(plan.buffers.begin(), plan.buffers.end(),
                     [](const plan::Buffer& b) { return b.kind == plan::Buffer::Kind::Workspace; });
}

void add_workspace(LauncherContext& c, const plan::Variant& variant,
                   std::vector<std::string>& lines) {
  const std::vector<bool> used = plan::used_buffers(c.plan, variant);
  for (std::size_t b = 0; b < c.plan.buffers.size(); ++b) {
    const plan::Buffer& buffer = c.plan.buffers[b];
    if (buffer.kind != plan::Buffer::Kind::Workspace || !used[b]) continue;
    lines.push_back(fmt::format("bytes += aligned_256({});  // {}", c.bytes(buffer), c.buffers[b]));
  }
}

}  // namespace

void print_sites(LauncherContext& c, Writer& out) {
  const auto& sites = c.module.program.sites;
  if (sites.empty()) return;
  out.comment("What the reports of a call mean, by record.");
  out.line(fmt::format("inline constexpr const char* {}[] = {{", c.sites_name));
  out.indent();
  for (const loop::ReportSite& site : sites) {
    std::string place = site.kernel;
    if (c.module.options.locate && site.where.valid()) {
      const auto [path, line] = c.module.options.locate(site.where);
      place = fmt::format("{}:{}: {}", path, line, site.kernel);
    }
    out.line(string_literal(place + ": " + site.what) + ",");
  }
  out.dedent();
  out.line("};");
  out.blank();
}

void print_arguments(LauncherContext& c, Writer& out) {
  out.comment(
      fmt::format("Arguments of one call of {}. Pointers are to device memory.", c.function.name));
  out.open("struct " + c.struct_name);
  std::size_t width = 0;
  for (const auto& field : c.fields)
    width = std::max(width, field.type.size() + field.name.size() + 2);
  for (const auto& field : c.fields) {
    std::string line = fmt::format("{} {};", field.type, field.name);
    const std::string note = comment_safe(field.note);
    if (note.size() > kLongestNote) {
      out.comment(note);
    } else if (!note.empty()) {
      line.resize(std::max(line.size(), std::min<std::size_t>(width, 40)), ' ');
      line += "  // " + note;
    }
    out.line(line);
  }
  out.close("};");
  out.blank();
}

void print_workspace_query(LauncherContext& c, Writer& out) {
  out.comment("Bytes of device memory that a call needs besides its arguments.");
  if (!uses_workspace(c.plan)) {
    out.line(
        fmt::format("long long {}(const {}&) {{ return 0; }}", c.workspace_name, c.struct_name));
    out.blank();
    return;
  }
  c.module.support.need(Support::Align);
  const bool one = plan::share_workspace(c.plan);
  std::vector<std::string> lines;
  for (const plan::Variant& variant : c.plan.variants) {
    if (one && &variant != &c.plan.general()) continue;
    if (!one) lines.push_back(fmt::format("bytes = 0;  // variant {}", variant.name));
    add_workspace(c, variant, lines);
    if (!one) lines.push_back("if (bytes > most) most = bytes;");
  }
  const bool depends = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("args.") != std::string::npos;
  });
  out.open(fmt::format("long long {}(const {}&{})", c.workspace_name, c.struct_name,
                       depends ? " args" : ""));
  out.line(one ? "long long bytes = 0;" : "long long bytes = 0, most = 0;");
  for (const std::string& line : lines) out.line(line);
  out.line(one ? "return bytes;" : "return most;");
  out.close();
  out.blank();
}

void print_launch_function(LauncherContext& c, Writer& out) {
  const bool workspace = uses_workspace(c.plan);
  std::string comment =
      "Checks the call, then launches it on `stream`, without waiting. A call that is refused "
      "leaves the "
      "reason in *why.";
  if (workspace)
    comment += fmt::format(" The workspace has {} bytes, aligned to 256.", c.workspace_name);
  out.comment(comment);
  out.open(fmt::format(
      "cudaError_t {}(const {}& args,{}void*{},{}cudaStream_t stream,{}const char** why = nullptr)",
      c.function_name, c.struct_name, kBreak, workspace ? " workspace" : "", kBreak, kBreak));
  const auto has_steps = [](const plan::Variant& variant) { return !variant.steps.empty(); };
  if (std::none_of(c.plan.variants.begin(), c.plan.variants.end(), has_steps)) out.line("static_cast<void>(stream);");
  print_checks(c, out);
  if (workspace) {
    c.module.support.need(Support::Refuse);
    out.guarded(fmt::format("workspace == nullptr && {}(args) > 0", c.workspace_name),
                "return refuse(why, \"workspace is null\");");
  }
  print_variants(c, out);
  out.line("return cudaSuccess;");
  out.close();
}

void print_helpers(const std::string& functions, Writer& out) {
  if (functions.empty()) return;
  out.blank();
  out.line("namespace {");
  out.blank();
  out.block(functions);
  out.line("}  // namespace");
}

void print_launchers(File& file, std::span<Module> modules, Writer& out) {
  Writer body;
  for (Module& module : modules) {
    LauncherContext c(module);
    body.blank();
    print_sites(c, body);
    print_arguments(c, body);
    print_workspace_query(c, body);
    print_constants(c, body);
    print_launch_function(c, body);
  }
  out.blank();
  out.directive("#ifndef __CUDACC_RTC__");
  for (const char* header : {"<cstdint>", "<cstdio>", "<cuda_runtime.h>"})
    out.directive(fmt::format("#include {}", header));
  print_helpers(file.prelude.host_functions() + file.support.text(false), out);
  out.block(body.take());
  out.directive("#endif  // __CUDACC_RTC__");
}

}  // namespace cdsl::cuda
