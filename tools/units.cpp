#include "tools/units.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include <fmt/format.h>

namespace cdsl::tools {
namespace {

/// Options with what only the session knows: where dumps and times of passes go.
CompileOptions with_dump(const Session& session, const CompileOptions& options) {
  CompileOptions full = options;
  if (runtime::Timeline* const timeline = session.timeline()) {
    full.timed = [timeline](std::string_view pass, double milliseconds) {
      timeline->add(runtime::Timeline::Track::Host, std::string(pass), timeline->now() - 1e3 * milliseconds, 1e3 * milliseconds);
    };
  }
  full.dump = [](std::string_view pass, const std::string& text) {
    std::fprintf(stderr, "// after %.*s\n%s", static_cast<int>(pass.size()), pass.data(),
                 text.c_str());
  };
  return full;
}

}  // namespace

std::optional<std::vector<std::string>> chosen_functions(Session& session, Source& source) {
  std::vector<std::string> skipped;
  CompileOptions options = session.settings.compile;
  options.check_defines = session.settings.positional.size() == 1;
  auto names = functions_to_compile(source, session.settings.function, options, skipped);
  if (session.report(source)) return std::nullopt;
  for (const std::string& name : skipped) session.note("left out: " + name);
  return names;
}

std::optional<Compiled> compile_unit(Session& session, Source& source, const std::string& name,
                                     const CompileOptions& options) {
  const runtime::HostSpan span(session.timeline(), "compile " + name);
  auto unit = compile(source, name, with_dump(session, options));
  session.report(source);
  if (unit) session.print_remarks(source, unit->remarks);
  return unit;
}

std::optional<std::vector<Compiled>> compile_units(Session& session, Source& source) {
  const auto names = chosen_functions(session, source);
  if (!names) return std::nullopt;
  std::vector<Compiled> units;
  bool failed = false;
  for (const std::string& name : *names) {
    auto unit = compile_unit(session, source, name, session.settings.compile);
    if (unit)
      units.push_back(std::move(*unit));
    else
      failed = true;
  }
  if (failed || source.has_errors()) return std::nullopt;
  return units;
}

std::optional<std::string> function_to_run(Session& session, Source& source) {
  const auto names = chosen_functions(session, source);
  if (!names) return std::nullopt;
  std::set<std::string> called;
  for (std::uint32_t k = 0; k < source.program.exprs.size(); ++k) {
    if (const auto* call = source.program.exprs.get_if<ast::Call>(ast::ExprId{k}))
      called.insert(call->callee.text);
  }
  std::vector<std::string> roots;
  for (const std::string& name : *names) {
    if (names->size() == 1 || !called.contains(name)) roots.push_back(name);
  }
  if (roots.size() == 1) return roots[0];
  session.usage_error(names->empty()
                          ? "no fn can be run"
                          : fmt::format("which fn? --fn is one of {}", fmt::join(*names, ", ")));
  return std::nullopt;
}

}  // namespace cdsl::tools
