#include "api/bench.h"

#include <fmt/format.h>

#include "tools/bench_report.h"
#include "tools/call_inputs.h"
#include "tools/commands.h"
#include "tools/devices.h"
#include "tools/progress.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

constexpr int kTracedRuns = 3;

/// Every combination of the values of -D with several, the last one fastest.
std::vector<Defines> combinations(const Settings& settings) {
  std::vector<Defines> all = {settings.compile.defines};
  for (const auto& [name, values] : settings.axes) {
    std::vector<Defines> longer;
    for (const Defines& defines : all) {
      for (const std::string& value : values) {
        Defines& made = longer.emplace_back(defines);
        add_define(made, name + "=" + value);   // was tried when the option was read
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string words_of(const std::string& function, const Defines& defines) {
  std::string text = function;
  for (const auto& [name, type] : defines.types) text += fmt::format(" {}={}", name, name_of(type));
  for (const auto& [name, size] : defines.sizes) text += fmt::format(" {}={}", name, size);
  return text;
}

/// One function, compiled anew where what it is compiled for changes: its types, and sizes with --specialize.
class BenchFunction {
 public:
  BenchFunction(Session& session, Source& source, std::string name)
      : session_(session), source_(source), name_(std::move(name)) {}

  /// False, with diagnostics, where the program has errors.
  bool compile(const Defines& defines) {
    CompileOptions options = session_.settings.compile;
    options.defines = session_.settings.specialize ? defines : Defines{{}, defines.types, {}};
    if (unit_ && options.defines.sizes == for_.sizes && options.defines.types == for_.types && options.defines.values == for_.values)
      return true;
    for_ = options.defines;
    maker_.reset();
    unit_.reset();
    reference_ = analyze_function(source_, name_, options);
    if (reference_) unit_ = compile_unit(session_, source_, name_, options);
    if (!unit_) {
      session_.report(source_);
      return false;
    }
    maker_.emplace(session_, source_, *unit_);
    return true;
  }

  const tir::Function& reference() const { return *reference_; }
  const Compiled& unit() const { return *unit_; }
  std::unique_ptr<runtime::Device> device() { return maker_->make(); }

 private:
  Session& session_;
  Source& source_;
  std::string name_;
  Defines for_;
  std::optional<tir::Function> reference_;
  std::optional<Compiled> unit_;
  std::optional<DeviceMaker> maker_;
};

class BenchCommand {
 public:
  BenchCommand(Session& session, std::optional<runtime::Ceilings> ceilings)
      : session_(session), settings_(session.settings), report_(session, ceilings) {}

  int run() {
    const std::string& path = settings_.positional[0];
    Source& source = session_.load(path);
    // Generic functions are chosen by their types: the first values stand for all.
    const std::vector<Defines> all = combinations(settings_);
    const Defines given = settings_.compile.defines;
    session_.settings.compile.defines = all[0];
    const auto names = chosen_functions(session_, source);
    session_.settings.compile.defines = given;
    if (!names) return kSourceError;
    Progress progress(names->size() * all.size());
    for (const std::string& name : *names) {
      BenchFunction function(session_, source, name);
      for (const Defines& defines : all) {
        progress.next(words_of(name, defines));
        if (const int status = bench_once(path, name, function, defines, progress); status != kOk) return status;
      }
    }
    progress.clear();
    return report_.finish() ? kOk : kUsage;
  }

 private:
  int bench_once(const std::string& path, const std::string& name, BenchFunction& function, const Defines& defines, Progress& progress) {
    if (!function.compile(defines)) return kSourceError;
    Settings with = settings_;
    with.compile.defines = defines;
    auto given = call_inputs(function.reference(), with, settings_.function.empty());
    if (!given) return session_.usage_error(given.message());
    const auto device = function.device();
    const runtime::HostSpan span(nullptr, "bench " + words_of(name, defines));
    const auto outcome = bench(function.reference(), function.unit(), *device, options(defines, std::move(*given)));
    if (!outcome) return session_.usage_error(fmt::format("'{}': {}", name, outcome.message()));
    progress.clear();
    return report_.add({path, name, defines.types, *outcome}) ? kOk : kUsage;
  }

  BenchOptions options(const Defines& defines, Arguments given) const {
    BenchOptions options{defines.sizes, std::move(given), settings_.seed, settings_.timing, 0, {}, !settings_.run_once};
    if (settings_.run_once) options.rehearsals = 1;
    runtime::Timeline* const timeline = session_.timeline();
    if (timeline == nullptr) return options;
    if (!settings_.run_once) options.rehearsals = kTracedRuns;
    options.rehearsed = [timeline] { timeline->stop(); };
    return options;
  }

  Session& session_;
  const Settings& settings_;
  BenchReport report_;
};

}  // namespace

int bench_command(Session& session) {
  Settings& settings = session.settings;
  if (settings.positional.size() != 1) return session.usage_error("bench needs one file");
  if (int{settings.json_report} + int{settings.csv_report} + int{settings.md_report} > 1)
    return session.usage_error("--json, --csv and --md exclude each other");
  if (settings.device == "auto") settings.device = "cuda";
  if (settings.device != "cuda")
    return session.usage_error(fmt::format("bench takes the time of a GPU; --device={} has no clock", settings.device));
  if (const int status = require_device(session); status != kOk) return status;
  std::optional<runtime::Ceilings> ceilings;
  if (!settings.run_once) ceilings = runtime::measure_ceilings(*session.context());
  const int status = BenchCommand(session, ceilings).run();
  return session.write_timeline() ? status : kUsage;
}

}  // namespace cdsl::tools
