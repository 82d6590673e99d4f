#include "api/each_pass.h"
#include "api/verify.h"
#include "api/variant_sizes.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "tools/call_inputs.h"
#include "tools/commands.h"
#include "tools/devices.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

/// Sizes that -D leaves open take each value of --sizes; with neither, a few small ones, among them
/// some for each variant.
std::vector<SizeSet> size_sets(const tir::Function& function, const plan::Plan& plan,
                               const Settings& settings) {
  SizeSet given;
  std::vector<std::string> open;
  for (const tir::Size& size : function.sizes) {
    const std::string& name = function.arena.symbol(size.symbol).name;
    const auto found = settings.compile.defines.sizes.find(name);
    if (found != settings.compile.defines.sizes.end())
      given[name] = found->second;
    else
      open.push_back(name);
  }
  std::vector<int64_t> values = settings.sizes;
  // Work grows with a power of the number of sizes.
  if (values.empty())
    values = open.size() > 3 ? std::vector<int64_t>{1, 2, 5} : std::vector<int64_t>{1, 2, 33};
  if (open.empty()) return {given};
  std::vector<SizeSet> sets;
  for (int64_t value : values) {
    SizeSet& set = sets.emplace_back(given);
    for (const std::string& name : open) set[name] = value;
  }
  if (settings.sizes.empty()) {
    for (SizeSet& set : sizes_for_variants(function, plan, given, sets))
      sets.push_back(std::move(set));
  }
  return sets;
}

std::string title(const std::string& path, const Source& source, const std::string& function,
                  const Defines& defines, const SizeSet& sizes) {
  std::string text = fmt::format("{} {}", path, function);
  for (const std::string& name : type_parameters(source, function)) {
    const auto type = defines.types.find(name);
    if (type != defines.types.end()) text += fmt::format(" {}={}", name, name_of(type->second));
  }
  for (const auto& [name, value] : sizes) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string summary(const Verification& outcome) {
  const Comparison& total = outcome.total;
  std::string text;
  if (outcome.by_spots) text = fmt::format("{} of {} elements checked: ", outcome.checked, outcome.elements);
  text += fmt::format("{} equal", total.exact);
  if (total.bounded > 0) {
    text += std::isfinite(total.worst)
                ? fmt::format(", {} within bounds, worst {:.2g} of its bound", total.bounded,
                              total.worst)
                : fmt::format(", {} with bounds", total.bounded);
  }
  if (total.unjudged > 0) text += fmt::format(", {} not judged", total.unjudged);
  return text;
}

class VerifyCommand {
 public:
  explicit VerifyCommand(Session& session) : session_(session), settings_(session.settings) {}

  int run() {
    for (const std::string& path : settings_.positional) verify_file(path);
    if (failed_ > 0) session_.print(fmt::format("{} of {} failed\n", failed_, failed_ + passed_));
    if (failed_ > 0) return kMismatch;
    return status_;
  }

 private:
  void verify_file(const std::string& path) {
    Source& source = session_.load(path);
    const auto names = chosen_functions(session_, source);
    if (!names) {
      status_ = kSourceError;
      return;
    }
    for (const std::string& name : *names) verify_function(path, source, name);
  }

  void verify_function(const std::string& path, Source& source, const std::string& name) {
    CompileOptions options = settings_.compile;
    if (!settings_.specialize) options.defines = {{}, settings_.compile.defines.types, {}};
    if (settings_.each_pass) return verify_passes(path, source, name, options);
    const auto reference = analyze_function(source, name, options);
    std::optional<Compiled> unit;
    if (reference) unit = compile_unit(session_, source, name, options);
    if (!unit) {
      session_.report(source);
      status_ = kSourceError;
      return;
    }
    VerifyOptions verify_options;
    const bool lenient = settings_.positional.size() > 1 || settings_.function.empty();
    auto given = call_inputs(*reference, settings_, lenient);
    if (!given) {
      status_ = session_.usage_error(given.message());
      return;
    }
    verify_options.given = std::move(*given);
    verify_options.seed = settings_.seed;
    if (settings_.data == "edges") verify_options.data = VerifyData::Edges;
    if (settings_.data == "negative") verify_options.data = VerifyData::Negative;
    verify_options.strict = settings_.compile.strict;
    verify_options.most_steps = settings_.most_steps.value_or(verify_options.most_steps);
    verify_options.spots = settings_.spots;
    DeviceMaker maker(session_, source, *unit);
    verify_options.device = [&](const loop::Program&, bool small) { return maker.make({small, true}); };
    std::set<std::string> ran;
    for (const SizeSet& sizes : size_sets(*reference, unit->program.plan, settings_)) {
      verify_options.sizes = sizes;
      const auto outcome = verify(source, *reference, *unit, verify_options);
      if (!outcome) {
        status_ = session_.usage_error(outcome.message());
        return;
      }
      print(title(path, source, name, settings_.compile.defines, sizes), *outcome);
      ran.insert(outcome->variants.begin(), outcome->variants.end());
    }
    for (const plan::Variant& variant : unit->program.plan.variants) {
      if (ran.empty() || ran.contains(variant.name)) continue;
      session_.note(
          fmt::format("{}: its guards held at none of these sizes, so that variant {} "
                      "was not verified",
                      name, variant.name));
    }
  }

  void verify_passes(const std::string& path, Source& source, const std::string& name, const CompileOptions& options) {
    const auto reference = analyze_function(source, name, options);
    if (!reference) {
      session_.report(source);
      status_ = kSourceError;
      return;
    }
    auto given = call_inputs(*reference, settings_, settings_.positional.size() > 1 || settings_.function.empty());
    if (!given) {
      status_ = session_.usage_error(given.message());
      return;
    }
    EachPassOptions wanted;
    wanted.given = std::move(*given);
    wanted.strict = options.strict;
    wanted.most_steps = settings_.most_steps.value_or(wanted.most_steps);
    wanted.sizes = settings_.sizes.empty() ? border_sizes(*reference, settings_.compile.defines.sizes) : size_sets(*reference, {}, settings_);
    wanted.data = {{DataOptions::Kind::Exact, settings_.seed, false, false},
                   {DataOptions::Kind::Random, settings_.seed + 1, false, true},
                   {DataOptions::Kind::Exact, settings_.seed + 2, true, false},
                   {DataOptions::Kind::Edges, settings_.seed + 3, false, false},
                   {DataOptions::Kind::Negative, settings_.seed + 4, false, false}};
    const auto outcome = verify_each_pass(source, name, options, wanted);
    if (!outcome || !*outcome) {
      session_.report(source);
      status_ = outcome ? session_.usage_error(outcome->message()) : kSourceError;
      return;
    }
    print(title(path, source, name, settings_.compile.defines, {}), **outcome);
  }

  void print(const std::string& title, const EachPass& outcome) {
    const bool right = outcome.first_wrong.empty();
    ++(right ? passed_ : failed_);
    const std::string extent = fmt::format("{} calls{}", outcome.calls, outcome.left_out == 0 ? "" : fmt::format(", {} sets of sizes left out", outcome.left_out));
    session_.print(right ? fmt::format("ok   {}: {} keep the meaning ({})\n", title, fmt::join(outcome.passes, ", "), extent)
                         : fmt::format("FAIL {}: {} changed the meaning ({})\n", title, outcome.first_wrong, extent));
    constexpr std::size_t kMost = 6;
    for (std::size_t k = 0; k < std::min(kMost, outcome.messages.size()); ++k) session_.print("     " + outcome.messages[k] + "\n");
  }

  void print(const std::string& title, const Verification& outcome) {
    std::string text;
    switch (outcome.verdict) {
      case Verification::Verdict::Passed:
        ++passed_;
        text = fmt::format("ok   {}: {}\n", title, summary(outcome));
        break;
      case Verification::Verdict::Skipped:
        text = fmt::format("skip {}: no legal launch: {}\n", title, outcome.messages.at(0));
        break;
      case Verification::Verdict::Failed:
        ++failed_;
        text = fmt::format("FAIL {}: {}\n", title, summary(outcome));
        for (const std::string& message : outcome.messages)
          text += fmt::format("     {}\n", message);
        break;
    }
    session_.print(text);
    for (const std::string& output : outcome.unchecked) session_.note("not checked: " + output + "; --most-steps raises the limit");
  }

  Session& session_;
  const Settings& settings_;
  int passed_ = 0, failed_ = 0;
  int status_ = kOk;
};

}  // namespace

int verify_command(Session& session) {
  if (session.settings.positional.empty()) return session.usage_error("verify needs a file");
  if (session.settings.device == "eval")
    return session.usage_error(
        "verify compares a device with the evaluator; --device=eval is the evaluator");
  if (session.settings.each_pass) {
    if (session.settings.device == "cuda") return session.usage_error("--each-pass runs in the evaluator and the simulator, not on a GPU");
    if (session.settings.data != "usual") return session.usage_error("--each-pass takes every kind of data; leave out --data");
    return VerifyCommand(session).run();
  }
  if (const int status = require_device(session); status != kOk) return status;
  return VerifyCommand(session).run();
}

}  // namespace cdsl::tools
