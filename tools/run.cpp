#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/expose.h"
#include "api/files.h"
#include "api/ir_input.h"
#include "api/npy.h"
#include "api/test_data.h"
#include "api/trap_nan.h"
#include "dsl/eval/evaluator.h"
#include "dsl/support/suggest.h"
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
  const auto device = DeviceMaker(session, source, unit).make();
  runtime::ExecuteOptions options;
  if (session.settings.trap_nan) options.poison = std::byte{0};   // what is never written is no NaN that a statement made
  runtime::Execution execution =
      runtime::execute(unit.function, unit.program.plan, unit.program.sites, arguments, *device, options);
  for (const runtime::Report& report : execution.reports) {
    session.warning_at(source, report.where,
                       fmt::format("kernel {}: {} (reported {} times)", report.kernel,
                                   report.message, report.count));
  }
  Results results;
  for (const runtime::Fault& fault : execution.faults) {
    const auto [path, line] = source.locate(fault.where);
    session.error(fmt::format("{}:{}: {}", path, line, runtime::describe(fault)));
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

/// Was the tensor asked for by --dump? `name` may be one of several: acc_2.
bool is_dump(const Settings& settings, const std::string& name) {
  return std::find(settings.dumps.begin(), settings.dumps.end(), name) != settings.dumps.end();
}

/// What --dump and --trap-nan store besides the outputs; the failure names what can be dumped.
Result<CompileOptions> with_stored(const Settings& settings, const Source& source, const tir::Function& function, CompileOptions options) {
  if (settings.dumps.empty() && !settings.trap_nan) return options;
  if (input_level(source) == InputLevel::LoopIr) return Failure{"--dump and --trap-nan need the statements; this file has kernels alone"};
  const std::vector<std::string> names = intermediates(function);
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& name : settings.dumps) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return Failure{fmt::format("--dump: '{}' has no intermediate '{}'{}; {}", function.name, name, did_you_mean(name, known),
                               names.empty() ? "it has none" : fmt::format("there is {}", fmt::join(names, ", ")))};
  }
  options.stored = [&settings](const std::string& name) { return settings.trap_nan || is_dump(settings, name); };
  return options;
}

/// Tells of the first NaN; true where there is one.
bool report_nan(const Session& session, const Source& source, const tir::Function& function, const Arguments& arguments,
                const std::map<std::string, Array>& outputs) {
  const auto origin = find_nan(function, arguments, outputs);
  if (!origin) return false;
  const auto [path, line] = source.locate(origin->where);
  session.error(fmt::format("{}:{}: {}", path, line, origin->message));
  return true;
}

/// Outputs, and the intermediates that --dump names. --trap-nan stored others, which nobody asked to see.
std::map<std::string, Array> asked_for(const Settings& settings, const tir::Function& plain, std::map<std::string, Array> outputs) {
  std::erase_if(outputs, [&](const auto& output) {
    const TensorId tensor = plain.find_tensor(output.first);
    const bool is_output = tensor.valid() && plain.tensor(tensor).role != tir::Role::Temporary;
    return !is_output && !is_dump(settings, output.first) && !is_dump(settings, output.first.substr(0, output.first.rfind('_')));
  });
  return outputs;
}

bool write_outputs(const Session& session, std::map<std::string, Array> outputs) {
  const std::string& folder = session.settings.out_dir;
  if (folder.empty()) {
    for (const std::string& name : session.settings.dumps) {
      if (!session.write(name + ".npy", format_npy(outputs.at(name)))) return false;
      outputs.erase(name);
    }
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
  const auto plain = analyze_function(source, *name, options);
  if (!plain) {
    session.report(source);
    return kSourceError;
  }
  auto stored = with_stored(settings, source, *plain, std::move(options));
  if (!stored) return session.usage_error(stored.message());
  const auto unit = compile_unit(session, source, *name, *stored);
  if (!unit) return kSourceError;
  const auto reference = analyze_function(source, *name, *stored);
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
  if (settings.trap_nan && report_nan(session, source, *reference, *given, results.outputs)) results.status = kMismatch;
  if (!write_outputs(session, asked_for(settings, *plain, std::move(results.outputs)))) return kUsage;
  return session.write_timeline() ? results.status : kUsage;
}

}  // namespace cdsl::tools
