// Executes the emitted text of all functions of a table of cases and compares it with the reference evaluator.
//
// usage: cdsl_emulated CASES.tsv [--sizes=OTHERS.tsv] [--only=WORDS] [--some-variants] [--O0] [--strict] [--arch=sm_NN] [--seed=N] [--flag=FLAG-OF-THE-COMPILER] [-jN], from the root of the repository
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "batch.h"
#include "cases.h"

namespace cdsl::emulation {
namespace {

struct Settings {
  std::string table, sizes, only;
  CompileOptions compile;
  uint64_t seed = 1;
  bool some_variants = false;   // the sizes need not reach every variant
  BatchOptions batch;
};

Settings read_settings(int count, char** words) {
  Settings settings;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    const auto value = [&](std::string_view name) { return word.starts_with(name) ? word.substr(name.size()) : std::string(); };
    if (word == "--O0") {
      settings.compile.simplify = settings.compile.decide = false;
    } else if (const std::string sizes = value("--sizes="); !sizes.empty()) {
      settings.sizes = sizes;
    } else if (word == "--some-variants") {
      settings.some_variants = true;
    } else if (word == "--strict") {
      settings.compile.strict = true;
    } else if (const std::string only = value("--only="); !only.empty()) {
      settings.only = only;
    } else if (const std::string arch = value("--arch="); !arch.empty()) {
      settings.compile.architecture = arch;
    } else if (const std::string seed = value("--seed="); !seed.empty()) {
      settings.seed = std::stoull(seed);
    } else if (const std::string flag = value("--flag="); !flag.empty()) {
      settings.batch.flags.push_back(flag);
    } else if (const std::string jobs = value("-j"); !jobs.empty()) {
      settings.batch.jobs = std::stoi(jobs);
    } else if (word.starts_with('-') || !settings.table.empty()) {
      throw std::runtime_error("no such option: " + word);
    } else {
      settings.table = word;
    }
  }
  return settings;
}

class Runner {
 public:
  explicit Runner(Settings settings) : settings_(std::move(settings)), batch_(settings_.batch) {}

  int run() {
    for (const Case& one : cases()) {
      if ((one.file + " " + one.type.value_or("")).find(settings_.only) == std::string::npos) continue;
      sources_.push_back(load_and_parse({one.file, {}, {}, 20}));
      for (auto& function : functions_of(one, *sources_.back(), settings_.compile)) functions_.push_back(std::move(function));
    }
    std::size_t kernels = 0;
    for (const auto& function : functions_) {
      batch_.add(*function->source, function->compiled, function->options);
      kernels += function->compiled.program.kernels.size();
    }
    const auto begin = std::chrono::steady_clock::now();
    batch_.build();
    const auto built = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < functions_.size(); ++k) check(k, *functions_[k]);
    const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
    fmt::print("{} functions, {} kernels; built in {:.1f} s, run in {:.1f} s; {} passed, {} failed\n", functions_.size(), kernels, seconds(begin, built),
               seconds(built, std::chrono::steady_clock::now()), passed_, failed_);
    return failed_ > 0 || passed_ == 0 ? 1 : 0;
  }

 private:
  /// Those of the table, some at sizes of their own.
  std::vector<Case> cases() const {
    std::vector<Case> all = read_cases(settings_.table);
    if (settings_.sizes.empty()) return all;
    for (const Case& instead : read_cases(settings_.sizes)) {
      for (Case& one : all) {
        if (one.file == instead.file) one.sizes = instead.sizes;
      }
    }
    return all;
  }

  void check(std::size_t unit, const CaseFunction& function) {
    const auto begin = std::chrono::steady_clock::now();
    if (!batch_.problem(unit).empty()) return fail(function.title, {batch_.problem(unit)});
    VerifyOptions options;
    options.given = function.given;
    options.seed = settings_.seed;
    options.strict = function.options.strict;
    options.device = [&](const loop::Program&, bool small) { return batch_.device(unit, small, settings_.seed); };
    std::set<std::string> ran;
    for (const Sizes& sizes : function.sizes) {
      options.sizes = sizes;
      std::string title = function.title;
      for (const auto& [name, value] : sizes) title += fmt::format(" {}={}", name, value);
      const auto outcome = verify(*function.source, function.reference, function.compiled, options);
      if (!outcome) {
        fail(title, {outcome.message()});
      } else if (outcome->verdict != Verification::Verdict::Passed) {
        fail(title, outcome->messages);
      } else {
        ++passed_;
        ran.insert(outcome->variants.begin(), outcome->variants.end());
      }
    }
    for (const plan::Variant& variant : function.compiled.program.plan.variants) {
      if (!settings_.some_variants && !ran.contains(variant.name)) fail(function.title, {fmt::format("variant '{}' ran at none of the sizes", variant.name)});
    }
    fmt::print("ran  {}: {} sizes in {:.2f} s\n", function.title, function.sizes.size(),
               std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    std::fflush(stdout);
  }

  void fail(const std::string& title, const std::vector<std::string>& messages) {
    ++failed_;
    fmt::print("FAIL {}\n", title);
    for (const std::string& message : messages) fmt::print("     {}\n", message);
  }

  Settings settings_;
  Batch batch_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<std::unique_ptr<CaseFunction>> functions_;
  int passed_ = 0, failed_ = 0;
};

}  // namespace
}  // namespace cdsl::emulation

int main(int count, char** words) {
  try {
    return cdsl::emulation::Runner(cdsl::emulation::read_settings(count, words)).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "cdsl_emulated: {}\n", error.what());
    return 2;
  }
}
