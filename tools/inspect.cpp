#include <algorithm>

#include <fmt/format.h>

#include "api/toolkit.h"
#include "tools/commands.h"
#include "tools/expectations.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

std::string table(const std::vector<KernelReport>& reports) {
  std::size_t width = 6;
  for (const KernelReport& report : reports) width = std::max(width, report.resources.name.size());
  std::string text = fmt::format("{:<{}}  threads  registers  spills  stack  shared  occupancy\n",
                                 "kernel", width);
  for (const KernelReport& report : reports) {
    const runtime::KernelResources& r = report.resources;
    text += fmt::format(
        "{:<{}}  {:>7}  {:>9}  {:>6}  {:>5}  {:>6}  {:>8.0f}%, {} warps of an SM, limited by {}\n",
        r.name, width, report.block_threads, r.registers, r.spill_store_bytes + r.spill_load_bytes,
        r.stack_bytes, r.shared_bytes, 100 * report.occupancy.fraction, report.occupancy.warps,
        report.occupancy.limiter);
    if (!report.disagreement.empty())
      text += fmt::format("{:<{}}  but {}\n", "", width, report.disagreement);
  }
  return text;
}

}  // namespace

int inspect_command(Session& session) {
  Settings& settings = session.settings;
  if (settings.positional.empty()) return session.usage_error("inspect needs a file");
  int status = kOk;
  for (const std::string& path : settings.positional) {
    Source& source = session.load(path);
    const auto units = compile_units(session, source);
    if (!units) {
      status = kSourceError;
      continue;
    }
    for (const Compiled& unit : *units) {
      const std::string text = emit(source, unit, settings.compile);
      const MachineCode code = compile_text(session.environment, text, unit.function.name + ".cu",
                                            settings.compile, session.cache());
      if (!code.toolkit) {
        session.error(code.problem);
        return kNoDevice;
      }
      if (!code.result.ok) {
        session.error(fmt::format("NVRTC rejects the emitted text of '{}': {}\n{}",
                                  unit.function.name, code.result.error, code.result.log));
        return kInternal;
      }
      const auto reports = inspect_kernels(unit, code, settings.compile);
      if (!session.print(fmt::format("{} {}, {}\n{}", path, unit.function.name,
                                     settings.compile.architecture, table(reports))))
        return kUsage;
      if (!expectations_hold(session, source, unit, reports))
        status = std::max<int>(status, kMismatch);
    }
  }
  return status;
}

}  // namespace cdsl::tools
