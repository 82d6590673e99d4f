#include "api/each_pass.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/compare.h"
#include "api/work.h"
#include "dsl/eval/evaluator.h"
#include "dsl/machine/architectures.h"
#include "runtime/error.h"
#include "runtime/executor.h"
#include "runtime/sim_device.h"

namespace cdsl {
namespace {

/// A call, and what the function means for it.
struct Call {
  std::string name;
  Arguments arguments;
  eval::Outcome expected;
};

/// What one form of the function gave, whichever way it was run.
struct Ran {
  bool applies = true;                     // false: its guards do not hold for the call
  std::map<std::string, Array> outputs;
  std::vector<std::string> reports, faults;
};

Ran evaluate(const tir::Function& function, const Arguments& arguments) {
  Ran ran;
  eval::Outcome outcome = eval::evaluate(function, arguments, eval::Mode::Strict);
  for (const tir::LaunchError& error : outcome.errors) ran.faults.push_back("the launch was refused: " + error.message);
  for (auto& [name, output] : outcome.outputs) ran.outputs.emplace(name, std::move(output.array));
  for (const eval::Report& report : outcome.reports) ran.reports.push_back(report.message);
  return ran;
}

Ran simulate(const tir::Function& function, const loop::Program& program, std::span<const plan::Guard> guards,
             const Arguments& arguments, std::string_view architecture) {
  runtime::SimOptions options;
  if (const Architecture* found = find_architecture(architecture)) options.simulator.architecture = found->name;
  options.multiprocessors = 2;   // a grid-stride loop goes round
  runtime::SimDevice device(program, options);
  Ran ran;
  try {
    runtime::Execution execution = runtime::execute(function, program.plan, program.sites, arguments, device, {.guards = guards});
    ran.applies = execution.variant < program.plan.variants.size();
    for (const tir::LaunchError& error : execution.errors) ran.faults.push_back("the launch was refused: " + error.message);
    for (const runtime::Fault& fault : execution.faults) ran.faults.push_back(runtime::describe(fault));
    for (const runtime::Report& report : execution.reports) ran.reports.push_back(report.message);
    ran.outputs = std::move(execution.outputs);
  } catch (const runtime::Error& error) {
    ran.faults.emplace_back(error.what());
  }
  return ran;
}

std::string difference(const eval::Outcome& expected, const Ran& ran, bool strict) {
  if (!ran.faults.empty()) return ran.faults[0];
  if (expected.reports.empty() != ran.reports.empty())
    return ran.reports.empty() ? "nothing reports \"" + expected.reports[0].message + "\"" : "it reports \"" + ran.reports[0] + "\"";
  for (const auto& [name, output] : expected.outputs) {
    const auto found = ran.outputs.find(name);
    if (found == ran.outputs.end()) return "there is no output '" + name + "'";
    const Comparison comparison = compare(name, output, found->second, strict);
    if (comparison.wrong > 0) return fmt::format("{} elements of {} are wrong; {}", comparison.wrong, name, comparison.first);
  }
  return "";
}

/// Runs what each pass made as soon as it is made, until one is wrong.
class Checker final : public PassObserver {
 public:
  Checker(std::vector<Call> calls, std::string architecture, bool strict, EachPass& result)
      : calls_(std::move(calls)), architecture_(std::move(architecture)), strict_(strict), result_(result) {}

  void made(std::string_view pass, const tir::Function& function) override {
    under_facts_ |= pass == "analyze" && !result_.passes.empty();
    if (under_facts_ || !begin(pass)) return;
    for (const Call& call : calls_) judge(call, evaluate(function, call.arguments));
  }

  void made(std::string_view pass, const tir::Function& function, const loop::Program& program, std::span<const plan::Guard> guards) override {
    if (pass == "variants") under_facts_ = false;
    const bool is_tiled = std::any_of(program.kernels.begin(), program.kernels.end(), loop::is_tile_form);
    if (under_facts_ || is_tiled || !begin(pass)) return;
    for (const Call& call : calls_) judge(call, simulate(function, program, guards, call.arguments, architecture_));
  }

 private:
  bool begin(std::string_view pass) {
    if (!result_.first_wrong.empty()) return false;
    pass_ = pass;
    if (std::find(result_.passes.begin(), result_.passes.end(), pass) == result_.passes.end()) result_.passes.emplace_back(pass);
    return true;
  }

  void judge(const Call& call, const Ran& ran) {
    const std::string wrong = ran.applies ? difference(call.expected, ran, strict_) : "";
    if (wrong.empty()) return;
    result_.first_wrong = pass_;
    result_.messages.push_back(call.name + ": " + wrong);
  }

  std::vector<Call> calls_;
  std::string architecture_, pass_;
  bool strict_, under_facts_ = false;   // the function was analyzed once more, with facts assumed
  EachPass& result_;
};

std::string name_of(const std::map<std::string, int64_t>& sizes, const DataOptions& data) {
  constexpr std::array<std::string_view, 4> kKinds = {"exact data", "random data", "edge values", "negative data"};
  std::string text(kKinds[static_cast<std::size_t>(data.kind)]);
  for (const auto& [name, value] : sizes) text += fmt::format(" {}={}", name, value);
  return text;
}

Result<std::vector<Call>> make_calls(const tir::Function& reference, const EachPassOptions& wanted, EachPass& result) {
  std::vector<Call> calls;
  for (const auto& sizes : wanted.sizes) {
    for (const DataOptions& data : wanted.data) {
      auto made = make_arguments(reference, wanted.given, sizes, data);
      if (!made) return Failure{made.message()};
      const tir::Bound bound = made->illegal.empty() ? tir::bind(reference, made->arguments) : tir::Bound{};
      const bool legal = made->illegal.empty() && bound.errors.empty();
      if (!legal || count_work(reference, bound.bindings).steps > wanted.most_steps) {
        ++result.left_out;
        break;   // whatever the data
      }
      Call call{name_of(sizes, data), std::move(made->arguments), {}};
      call.expected = eval::evaluate(reference, call.arguments, wanted.strict ? eval::Mode::Strict : eval::Mode::Wide);
      const auto& reports = call.expected.reports;
      if (std::any_of(reports.begin(), reports.end(), [](const eval::Report& report) { return report.undefined; })) {
        ++result.left_out;
        continue;
      }
      ++result.calls;
      calls.push_back(std::move(call));
    }
  }
  return calls;
}

}  // namespace

std::optional<Result<EachPass>> verify_each_pass(Source& source, std::string_view name, const CompileOptions& options,
                                                 const EachPassOptions& wanted) {
  const auto reference = analyze_function(source, name, options);
  if (!reference) return std::nullopt;
  EachPass result;
  auto calls = make_calls(*reference, wanted, result);
  if (!calls) return Failure{calls.message()};
  Checker checker(std::move(*calls), options.architecture, wanted.strict, result);
  CompileOptions watched = options;
  watched.observer = &checker;
  if (!compile(source, name, watched)) return std::nullopt;
  return result;
}

std::vector<std::map<std::string, int64_t>> border_sizes(const tir::Function& function, const std::map<std::string, int64_t>& fixed) {
  constexpr std::array<int64_t, 11> kValues = {0, 1, 2, 3, 7, 31, 33, 48, 100, 1000, 1028};
  std::vector<std::string> open;
  std::map<std::string, int64_t> given;
  for (const tir::Size& size : function.sizes) {
    const std::string& name = function.arena.symbol(size.symbol).name;
    if (const auto found = fixed.find(name); found != fixed.end()) given.insert(*found);
    else open.push_back(name);
  }
  if (open.empty()) return {given};
  std::vector<std::map<std::string, int64_t>> sets;
  for (const std::size_t step : {std::size_t{0}, std::size_t{4}}) {
    if (step > 0 && open.size() == 1) break;
    for (std::size_t k = 0; k < kValues.size(); ++k) {
      auto& set = sets.emplace_back(given);
      for (std::size_t n = 0; n < open.size(); ++n) set[open[n]] = kValues[(k + n * step) % kValues.size()];
    }
  }
  return sets;
}

}  // namespace cdsl
