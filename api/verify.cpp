#include "api/verify.h"

#include <fmt/format.h>

#include "api/spot_values.h"
#include "api/test_data.h"
#include "api/work.h"
#include "runtime/error.h"
#include "runtime/executor.h"

namespace cdsl {
namespace {

constexpr std::size_t kMostMessages = 6;  // of one kind; the rest says little more
constexpr int64_t kSmallBytes = 1 << 16;  // inputs up to this are cheap enough for a third and a fourth run

/// One run: what is made up, and how the device is set up to differ from the other runs.
struct Run {
  std::string_view name;
  DataOptions data;
  bool small_device = false;
  int64_t stride_gap = 0;
  bool off_alignment = false;
};

class Verifier {
 public:
  Verifier(const Source& source, const tir::Function& reference, const Compiled& compiled,
           const VerifyOptions& options)
      : source_(source), reference_(reference), compiled_(compiled), options_(options) {}

  Result<Verification> verify() {
    const std::vector<Run> runs = planned_runs();
    for (const Run& run : runs) {
      if (options_.exact_only && run.data.kind != DataOptions::Kind::Exact) continue;
      const auto made = make_arguments(reference_, options_.given, options_.sizes, run.data);
      if (!made) return Failure{made.message()};
      if (!made->illegal.empty()) {
        skip(made->illegal);
        break;
      }
      if (&run - runs.data() >= 2 && bytes_of(made->arguments) > kSmallBytes) break;
      check(run, made->arguments);
      if (result_.verdict != Verification::Verdict::Passed) break;
    }
    return std::move(result_);
  }

 private:
  std::vector<Run> planned_runs() const {
    if (options_.data == VerifyData::Edges)
      return {{"edge values", {DataOptions::Kind::Edges, options_.seed, false, false}, false, 1}};
    if (options_.data == VerifyData::Negative)
      return {{"negative data", {DataOptions::Kind::Negative, options_.seed, false, false}, false, 0}};
    std::vector<Run> runs = {
        {"exact data", {DataOptions::Kind::Exact, options_.seed, false, false}, true, 0},
        {"random data", {DataOptions::Kind::Random, options_.seed + 1, false, true}, false, 1},
        {"exact data, extremes swapped",
         {DataOptions::Kind::Exact, options_.seed + 2, true, false},
         false,
         0},
    };
    if (!compiled_.from_text)
      runs.push_back({"exact data, off alignment", {DataOptions::Kind::Exact, options_.seed + 3, false, false}, false, 0, true});
    return runs;
  }

  static int64_t bytes_of(const Arguments& arguments) {
    int64_t total = 0;
    for (const auto& [name, array] : arguments.arrays)
      total += static_cast<int64_t>(array.bytes.size());
    return total;
  }

  void skip(std::string why) {
    result_.verdict = Verification::Verdict::Skipped;
    result_.messages.push_back(std::move(why));
  }

  void fail(const Run& run, const std::string& message) {
    result_.verdict = Verification::Verdict::Failed;
    const std::string variant = variant_.empty() ? "" : fmt::format(", variant {}", variant_);
    result_.messages.push_back(fmt::format("{}{}: {}", run.name, variant, message));
  }

  std::string located(SourceRange where, const std::string& message) const {
    if (!where.valid()) return message;
    const auto [path, line] = source_.locate(where);
    return fmt::format("{}:{}: {}", path, line, message);
  }

  using Judge = std::function<void(const runtime::Execution&)>;

  void check(const Run& run, const Arguments& arguments) {
    const eval::Mode mode = options_.strict ? eval::Mode::Strict : eval::Mode::Wide;
    const tir::Bound bound = tir::bind(reference_, arguments);
    if (!bound.errors.empty()) return skip(bound.errors[0].message);
    if (is_large(count_work(reference_, bound.bindings))) return check_spots(run, arguments, bound, mode);
    const eval::Outcome expected = eval::evaluate(reference_, arguments, mode);
    check_variants(run, arguments, [&](const runtime::Execution& actual) {
      compare_reports(run, expected.reports, actual.reports);
      compare_outputs(run, expected, actual);
    });
  }

  bool is_large(const Work& work) const { return work.steps > options_.most_steps || work.elements > options_.most_steps / 10; }

  void check_spots(const Run& run, const Arguments& arguments, const tir::Bound& bound, eval::Mode mode) {
    const SpotValues spots = spot_values(reference_, arguments, bound, mode, options_.spots, options_.seed);
    result_.by_spots = true;
    result_.checked = spots.checked();
    result_.elements = spots.elements();
    for (const SpotOutput& output : spots.outputs) {
      if (!output.refusal.empty()) result_.unchecked.insert(output.name + ": " + output.refusal);
    }
    if (result_.checked == 0 && result_.elements > 0) {
      return skip(fmt::format("too large to be evaluated, and no element can be had alone ({}); --most-steps raises the limit",
                              fmt::join(result_.unchecked, "; ")));
    }
    check_variants(run, arguments, [&](const runtime::Execution& actual) {
      if (!spots.reports.empty()) compare_reports(run, spots.reports, actual.reports);
      for (const SpotOutput& output : spots.outputs) compare_spots(run, output, actual);
    });
  }

  void compare_spots(const Run& run, const SpotOutput& output, const runtime::Execution& actual) {
    const Array& array = actual.outputs.at(output.name);
    Comparison comparison;
    for (const auto& [at, expected] : output.values) comparison += compare_element(output.name, array, at, expected, options_.strict);
    judge(run, output.name, comparison);
  }

  void check_variants(const Run& run, const Arguments& arguments, const Judge& judge) {
    const std::size_t count = compiled_.program.plan.variants.size();
    for (std::size_t next = 0; next < count;) {
      next = check_variant(run, arguments, judge, next) + 1;
      if (result_.verdict != Verification::Verdict::Passed) return;
    }
  }

  /// The first variant from `first` on whose guards hold; which one that was.
  std::size_t check_variant(const Run& run, const Arguments& arguments, const Judge& judge, std::size_t first) {
    const auto& variants = compiled_.program.plan.variants;
    const auto device = options_.device(compiled_.program, run.small_device);
    runtime::Execution actual;
    try {
      actual = runtime::execute(compiled_.function, compiled_.program.plan, compiled_.program.sites,
                                arguments, *device, {std::byte{0xFF}, run.stride_gap, run.off_alignment, first, {}});
    } catch (const runtime::Error& error) {
      fail(run, error.what());
      return first;
    }
    variant_ = variants.size() > 1 ? variants[actual.variant].name : "";
    if (!actual.errors.empty()) {
      fail(run, "the launch was refused: " + actual.errors[0].message);
      return first;
    }
    result_.variants.insert(variants[actual.variant].name);
    compare_faults(run, actual.faults);
    judge(actual);
    return actual.variant;
  }

  void compare_outputs(const Run& run, const eval::Outcome& expected,
                       const runtime::Execution& actual) {
    for (const auto& [name, output] : expected.outputs) {
      const auto found = actual.outputs.find(name);
      if (found == actual.outputs.end()) {
        fail(run, fmt::format("the device gives no '{}'", name));
        continue;
      }
      judge(run, name, compare(name, output, found->second, options_.strict));
    }
  }

  void judge(const Run& run, const std::string& name, const Comparison& comparison) {
    result_.total += comparison;
    if (comparison.wrong == 0) return;
    fail(run, fmt::format("{} of {} elements of {} are wrong; {}", comparison.wrong,
                          comparison.exact + comparison.bounded + comparison.unjudged, name, comparison.first));
  }

  void compare_faults(const Run& run, const std::vector<runtime::Fault>& faults) {
    for (std::size_t k = 0; k < faults.size() && k < kMostMessages; ++k) {
      fail(run, located(faults[k].where, runtime::describe(faults[k])));
    }
  }

  void compare_reports(const Run& run, const std::vector<eval::Report>& expected,
                       const std::vector<runtime::Report>& actual) {
    for (const eval::Report& report : expected) {
      if (!report.undefined) continue;
      return fail(run, located(report.where, "the program has no meaning here: " + report.message +
                                                 "; define it before, or leave it out of the range"));
    }
    if (expected.empty() == actual.empty()) return;
    if (actual.empty()) {
      fail(run, located(expected[0].where, "the evaluator reports \"" + expected[0].message +
                                               "\", the device does not"));
    } else {
      fail(run, located(actual[0].where, "the device reports \"" + actual[0].message +
                                             "\", the evaluator does not"));
    }
  }

  const Source& source_;
  const tir::Function& reference_;
  const Compiled& compiled_;
  const VerifyOptions& options_;
  std::string variant_;  // that ran last; empty where there is only one
  Verification result_;
};

}  // namespace

Result<Verification> verify(const Source& source, const tir::Function& reference,
                            const Compiled& compiled, const VerifyOptions& options) {
  return Verifier(source, reference, compiled, options).verify();
}

}  // namespace cdsl
