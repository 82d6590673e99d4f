#include <filesystem>

#include <fmt/format.h>

#include "api/files.h"
#include "api/npy.h"
#include "api/test_data.h"
#include "dsl/eval/evaluator.h"
#include "runtime/executor.h"
#include "tools/array_text.h"
#include "tools/call_inputs.h"
#include "tools/commands.h"
#include "tools/devices.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

/// What a run leaves, whichever device it was.
struct Results {
  std::map<std::string, Array> outputs;
  std::vector<tir::LaunchError> errors;
  int status = kOk;
};

Results run_on_evaluator(const Session& session, const Source& source,
                         const tir::Function& function, const Arguments& arguments) {
  eval::Outcome outcome = eval::evaluate(
      function, arguments, session.settings.compile.strict ? eval::Mode::Strict : eval::Mode::Wide);
  for (const eval::Report& report : outcome.reports)
    session.warning_at(source, report.where, report.message);
  Results results;
  results.errors = std::move(outcome.errors);
  for (auto& [name, output] : outcome.outputs) results.outputs[name] = std::move(output.array);
  return results;
}

Results run_on_device(const Session& session, const Source& source, const Compiled& unit,
                      const Arguments& arguments) {
  const auto device = DeviceMaker(session, source, unit).make(false);
  runtime::Execution execution =
      runtime::execute(unit.function, unit.program.plan, unit.program.sites, arguments, *device);
  for (const runtime::Report& report : execution.reports) {
    session.warning_at(source, report.where,
                       fmt::format("kernel {}: {} (reported {} times)", report.kernel,
                                   report.message, report.count));
  }
  Results results;
  for (const runtime::Fault& fault : execution.faults) {
    const auto [path, line] = source.locate(fault.where);
    session.error(fmt::format("{}:{}: {} in kernel {}: {}", path, line, fault.kind, fault.kernel,
                              fault.message));
    results.status = kMismatch;
  }
  results.errors = std::move(execution.errors);
  results.outputs = std::move(execution.outputs);
  return results;
}

/// Sizes of -D that arrays determine: another value is a launch error.
std::vector<tir::LaunchError> size_conflicts(const tir::Function& function,
                                             const Arguments& arguments, const Defines& defines) {
  std::vector<tir::LaunchError> errors;
  for (const tir::Size& size : function.sizes) {
    const std::string& name = function.arena.symbol(size.symbol).name;
    const auto wanted = defines.sizes.find(name);
    if (size.is_parameter || wanted == defines.sizes.end()) continue;
    const tir::Tensor& tensor = function.tensor(size.tensor);
    const int64_t extent = tir::determining_extent(function, size, arguments).value();
    if (extent != size.scale * wanted->second + size.offset) {
      errors.push_back({fmt::format("-D{}={}, but axis {} of '{}' has extent {}", name,
                                    wanted->second, size.axis, tensor.name, extent),
                        tensor.where});
    }
  }
  return errors;
}

bool write_outputs(const Session& session, const std::map<std::string, Array>& outputs) {
  const std::string& folder = session.settings.out_dir;
  if (folder.empty()) {
    std::string text;
    for (const auto& [name, array] : outputs) text += preview(name, array);
    return session.print(text);
  }
  if (const auto failure = make_folder(folder)) {
    session.error(failure->message);
    return false;
  }
  for (const auto& [name, array] : outputs) {
    if (!session.write((std::filesystem::path(folder) / (name + ".npy")).string(),
                       format_npy(array)))
      return false;
  }
  return true;
}

}  // namespace

int run_command(Session& session) {
  Settings& settings = session.settings;
  if (settings.positional.size() != 1) return session.usage_error("run needs one file");
  if (const int status = require_device(session); status != kOk) return status;

  Source& source = session.load(settings.positional[0]);
  const auto name = function_to_run(session, source);
  if (!name) return source.has_errors() ? kSourceError : kUsage;
  CompileOptions options = settings.compile;
  if (!settings.specialize) options.defines = {{}, settings.compile.defines.types, {}};
  const auto unit = compile_unit(session, source, *name, options);
  if (!unit) return kSourceError;
  const auto reference = analyze_function(source, *name, options);
  if (!reference) return kSourceError;

  auto given = call_inputs(*reference, settings, false);
  if (!given) return session.usage_error(given.message());
  if (settings.random) {
    auto made = make_arguments(*reference, *given, settings.compile.defines.sizes,
                               {DataOptions::Kind::Random, *settings.random, false, false});
    if (!made) return session.usage_error(made.message());
    if (!made->illegal.empty()) return session.usage_error(made->illegal);
    *given = std::move(made->arguments);
  }
  if (const auto missing = missing_inputs(*reference, *given); !missing.empty()) {
    return session.usage_error(
        fmt::format("'{}' also needs {} (or --random SEED)", *name, fmt::join(missing, " ")));
  }

  Results results = settings.device == "eval"
                        ? run_on_evaluator(session, source, *reference, *given)
                        : run_on_device(session, source, *unit, *given);
  if (results.errors.empty())
    results.errors = size_conflicts(*reference, *given, settings.compile.defines);
  for (const tir::LaunchError& error : results.errors)
    session.error_at(source, error.code, error.where, error.message);
  if (!results.errors.empty()) return kSourceError;
  if (!write_outputs(session, results.outputs)) return kUsage;
  return results.status;
}

}  // namespace cdsl::tools
