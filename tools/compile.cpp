#include <fmt/format.h>

#include "api/toolkit.h"
#include "codegen/contract.h"
#include "dsl/schedule/schedule.h"
#include "dsl/tensor/print.h"
#include "tools/commands.h"
#include "tools/depfile.h"
#include "tools/expectations.h"
#include "tools/optimization_record.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

bool needs_toolkit(const std::string& level) {
  return level == "ptx" || level == "cubin";
}

/// One JSON object, or an array of them where the file has several functions.
std::string contracts(const std::vector<Compiled>& units) {
  std::string text;
  for (const Compiled& unit : units)
    text += (text.empty() ? "" : ",\n") + contract_json(unit.function, unit.program);
  return units.size() == 1 ? text : "[\n" + text + "]\n";
}

/// The text of the functions at the level that --emit names, above machine code.
std::string text_at(const std::string& level, const Source& source,
                    const std::vector<Compiled>& units, const CompileOptions& options) {
  if (level == "contract") return contracts(units);
  const bool is_loop_ir = level == "loop-ir" || level == "tile-ir";
  if (level != "tensor-ir" && level != "schedule" && !is_loop_ir)
    return emit(source, units, options);
  std::string text;
  for (const Compiled& unit : units) {
    if (level == "tensor-ir") text += tir::to_string(unit.function);
    if (level == "schedule")
      text += fmt::format("schedule {}\n{}", unit.function.name, to_string(unit.schedule));
    if (!is_loop_ir) continue;
    if (!unit.stands_alone) text += tir::to_string(unit.function) + "\n";
    text += loop::to_string(unit.program);
  }
  return text;
}

}  // namespace

int compile_command(Session& session) {
  const Settings& settings = session.settings;
  if (settings.positional.size() != 1) {
    return session.usage_error(settings.positional.empty()
                                   ? "no input: cuoptc FILE.cdsl -o FILE.cu"
                                   : "one file at a time; files that belong together are imported");
  }
  const std::string& path = settings.positional[0];
  const bool to_stdout = settings.output.empty() || settings.output == "-";
  if (settings.depfile && to_stdout && settings.depfile_path.empty()) {
    return session.usage_error(
        "-MD needs -o FILE or -MF FILE, to name what depends on the sources");
  }

  CompileOptions& options = session.settings.compile;
  options.lanes = settings.emit != "tile-ir";
  options.programs_alone = settings.emit != "contract" && settings.emit != "tensor-ir";
  Source& source = session.load(path);
  const auto units = compile_units(session, source);
  if (!units) return kSourceError;

  std::string artefact = text_at(settings.emit, source, *units, session.settings.compile);
  if (needs_toolkit(settings.emit)) {
    // What is cached has no PTX.
    runtime::DiskCache* const cache = settings.emit == "cubin" ? session.cache() : nullptr;
    const auto machine_code =
        compile_text(session.environment, artefact, path + ".cu", session.settings.compile, cache);
    if (!machine_code.toolkit) {
      session.error(machine_code.problem);
      return kNoDevice;
    }
    if (!machine_code.result.ok) {
      session.error(fmt::format("NVRTC rejects the emitted text: {}\n{}", machine_code.result.error,
                                machine_code.result.log));
      return kInternal;
    }
    const auto& cubin = machine_code.result.cubin;
    artefact = settings.emit == "ptx"
                   ? machine_code.result.ptx
                   : std::string(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  }
  if (!session.write(settings.output, artefact)) return kUsage;
  if (settings.depfile && !write_depfile(session, source)) return kUsage;
  if (!write_optimization_record(session, source, *units)) return kUsage;
  bool all_hold = true;
  for (const Compiled& unit : *units) all_hold = expectations_hold(session, source, unit) && all_hold;
  return all_hold ? kOk : kMismatch;
}

}  // namespace cdsl::tools
