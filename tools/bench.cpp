#include "api/bench.h"

#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "tools/call_inputs.h"
#include "tools/commands.h"
#include "tools/devices.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

using llvm::json::Object;
using runtime::Samples;

std::string megabytes(int64_t bytes) { return fmt::format("{:.4g} MB", static_cast<double>(bytes) / 1e6); }

std::string row(std::string_view kind, const Samples& samples, const Benchmark& benchmark) {
  const double median = samples.quantile(0.5);
  return fmt::format("  {:<4}  {:>7}  {:>10.2f}  {:>10.2f}  {:>10.2f}  {:>8.1f}\n", kind, samples.count(),
                     samples.quantile(0), median, samples.quantile(0.9), benchmark.gigabytes_per_second(median));
}

std::string text_of(const std::string& path, const std::string& function, const Benchmark& benchmark) {
  std::string text = fmt::format("{} {}", path, function);
  for (const auto& [name, value] : benchmark.sizes) text += fmt::format(" {}={}", name, value);
  text += fmt::format(", variant {}, on {}: reads {}, writes {}\n", benchmark.variant, benchmark.device,
                      megabytes(benchmark.read_bytes), megabytes(benchmark.written_bytes));
  text += fmt::format("  {:<4}  {:>7}  {:>10}  {:>10}  {:>10}  {:>8}\n", "L2", "samples", "min us", "median us", "p90 us", "GB/s");
  return text + row("cold", benchmark.timing.cold, benchmark) + row("hot", benchmark.timing.hot, benchmark);
}

std::string json_text(std::string_view s) { return llvm::json::fixUTF8(llvm::StringRef(s.data(), s.size())); }

Object json_of(const Samples& samples, const Benchmark& benchmark) {
  const double median = samples.quantile(0.5);
  return Object{{"samples", static_cast<int64_t>(samples.count())},
                {"min_us", samples.quantile(0)},
                {"median_us", median},
                {"p90_us", samples.quantile(0.9)},
                {"gb_per_s", benchmark.gigabytes_per_second(median)}};
}

Object json_of(const std::string& path, const std::string& function, const Benchmark& benchmark) {
  Object sizes;
  for (const auto& [name, value] : benchmark.sizes) sizes[json_text(name)] = value;
  return Object{{"file", json_text(path)},
                {"function", json_text(function)},
                {"device", json_text(benchmark.device)},
                {"variant", json_text(benchmark.variant)},
                {"sizes", std::move(sizes)},
                {"read_bytes", benchmark.read_bytes},
                {"written_bytes", benchmark.written_bytes},
                {"cold", json_of(benchmark.timing.cold, benchmark)},
                {"hot", json_of(benchmark.timing.hot, benchmark)}};
}

class BenchCommand {
 public:
  explicit BenchCommand(Session& session) : session_(session), settings_(session.settings) {}

  int run() {
    const std::string& path = settings_.positional[0];
    Source& source = session_.load(path);
    const auto names = chosen_functions(session_, source);
    if (!names) return kSourceError;
    for (const std::string& name : *names) {
      if (const int status = bench_function(path, source, name); status != kOk) return status;
    }
    return settings_.json_report && !print_json() ? kUsage : kOk;
  }

 private:
  int bench_function(const std::string& path, Source& source, const std::string& name) {
    CompileOptions options = settings_.compile;
    if (!settings_.specialize) options.defines = {{}, settings_.compile.defines.types, {}};
    const auto reference = analyze_function(source, name, options);
    std::optional<Compiled> unit;
    if (reference) unit = compile_unit(session_, source, name, options);
    if (!unit) {
      session_.report(source);
      return kSourceError;
    }
    auto given = call_inputs(*reference, settings_, settings_.function.empty());
    if (!given) return session_.usage_error(given.message());

    const auto device = DeviceMaker(session_, source, *unit).make(false);
    const auto outcome = bench(*reference, *unit, *device,
                               {settings_.compile.defines.sizes, std::move(*given), settings_.seed, settings_.timing});
    if (!outcome) return session_.usage_error(fmt::format("'{}': {}", name, outcome.message()));
    if (settings_.json_report)
      reports_.push_back(json_of(path, name, *outcome));
    else if (!session_.print(text_of(path, name, *outcome)))
      return kUsage;
    return kOk;
  }

  bool print_json() {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(reports_)));
    return session_.print(text);
  }

  Session& session_;
  const Settings& settings_;
  llvm::json::Array reports_;
};

}  // namespace

int bench_command(Session& session) {
  Settings& settings = session.settings;
  if (settings.positional.size() != 1) return session.usage_error("bench needs one file");
  if (settings.device == "auto") settings.device = "cuda";
  if (settings.device != "cuda")
    return session.usage_error(fmt::format("bench takes the time of a GPU; --device={} has no clock", settings.device));
  if (const int status = require_device(session); status != kOk) return status;
  return BenchCommand(session).run();
}

}  // namespace cdsl::tools
