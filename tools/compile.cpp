#include <fmt/format.h>

#include "api/toolkit.h"
#include "codegen/contract.h"
#include "dsl/schedule/schedule.h"
#include "dsl/tensor/print.h"
#include "runtime/fatbin.h"
#include "tools/commands.h"
#include "tools/depfile.h"
#include "tools/expectations.h"
#include "tools/optimization_record.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

bool needs_toolkit(const std::string& level) {
  return level == "ptx" || level == "cubin" || level == "fatbin";
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

/// The cubin, with PTX of the same text for GPUs that are newer. Text for sm_90a may use what newer GPUs do not have: then there is
/// none, with a warning.
std::optional<std::string> fatbin_of(const Session& session, const std::string& text, const std::string& path,
                                     const std::vector<std::byte>& cubin) {
  CompileOptions portable = session.settings.compile;
  if (portable.architecture.ends_with('a')) portable.architecture.pop_back();
  runtime::FatbinContents contents{session.settings.compile.architecture, cubin, {}, {}, path};
  MachineCode code = compile_text(session.environment, text, path + ".cu", portable);
  if (code.toolkit && code.result.ok) {
    contents.ptx_architecture = portable.architecture;
    contents.ptx = std::move(code.result.ptx);
  } else {
    session.warning(fmt::format("the kernels do not compile for {}: the file has no PTX for newer GPUs", portable.architecture));
  }
  std::string why;
  const auto bytes = runtime::make_fatbin(session.environment.libraries, contents, why);
  if (!bytes) {
    session.error("--emit=fatbin: " + why);
    return std::nullopt;
  }
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

int finish(Session& session, const Source& source, const std::vector<Compiled>& units, const std::string& artefact) {
  const Settings& settings = session.settings;
  if (!session.write(settings.output, artefact)) return kUsage;
  if (settings.depfile && !write_depfile(session, source)) return kUsage;
  if (!write_optimization_record(session, source, units)) return kUsage;
  bool all_hold = true;
  for (const Compiled& unit : units) all_hold = expectations_hold(session, source, unit) && all_hold;
  return all_hold ? kOk : kMismatch;
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
    runtime::DiskCache* const cache = settings.emit != "ptx" ? session.cache() : nullptr;
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
    if (settings.emit == "fatbin") {
      auto fatbin = fatbin_of(session, artefact, path, cubin);
      if (!fatbin) return kNoDevice;
      return finish(session, source, *units, *fatbin);
    }
    artefact = settings.emit == "ptx"
                   ? machine_code.result.ptx
                   : std::string(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  }
  return finish(session, source, *units, artefact);
}

}  // namespace cdsl::tools
