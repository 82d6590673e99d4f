#include "tests/random/check.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/test_data.h"
#include "api/verify.h"
#include "api/work.h"
#include "dsl/support/check.h"
#include "frontend/render.h"
#include "runtime/error.h"
#include "tests/random/isolate.h"

namespace cdsl::random {
namespace {

using Write = std::function<void(std::string_view)>;

constexpr uint64_t kMostBytes = uint64_t{6} << 30;  // of a compiler and a simulator; other devices reserve addresses that they never use
constexpr double kDrift = 20;  // bounds that an error of repeated rounding may reach in sums of a thousand terms

std::string one_line(std::string text, std::size_t most = 600) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text.substr(0, most);
}

/// "lanes.m*warps.k" as "lanes*warps": choices without the names of this program.
std::string without_names(const std::string& choice) {
  std::string text;
  bool drop = false;
  for (char c : choice) {
    if (c == '.') drop = true;
    if (c == '*' || c == '+' || c == ' ' || c == ',') drop = false;
    if (!drop) text += c;
  }
  return text;
}

/// Everything that happens in the child.
class Checker {
 public:
  Checker(const std::string& text, const CheckOptions& options, const Write& write) : text_(text), options_(options), write_(write), rng_(options.seed) {}

  void run(std::map<std::string, int64_t> sizes) {
    std::string problem;
    device_ = make_device_source(options_.device, problem);
    if (device_ == nullptr) return finding("no device", problem, "");
    for (const Setup& setup : options_.setups) check(setup);
    if (!options_.setups.empty()) return;
    setup_.sizes = sizes;
    if (!fit(sizes)) return;
    setup_ = {{}, sizes};
    const auto first = check(setup_);
    if (!first) return;
    check(another_way(sizes, options_.device == "sim", rng_));
    for (int tries = 0; tries < 4; ++tries) {
      const Setup chosen = overridden(sizes, *first, tries, rng_);
      if (chosen.flags.empty() || check(chosen)) break;
    }
  }

 private:
  void say(const std::string& kind, const std::string& rest) { write_(kind + "\t" + one_line(rest, std::string::npos) + "\n"); }
  void count(const std::string& what, int by = 1) { say("count", fmt::format("{} {}", by, what)); }
  void finding(const std::string& kind, const std::string& message, const std::string& data) {
    write_(fmt::format("finding\t{}\t{}\t{}\n", kind, data, one_line(message)));
  }

  std::unique_ptr<Source> parsed() {
    SourceInput input;
    input.path = "f.cdsl";
    input.text = text_;
    return load_and_parse(input);
  }

  /// The first error, as code and message.
  bool refused(const Source& source) {
    for (const Diagnostic& diagnostic : source.diagnostics.diagnostics()) {
      if (diagnostic.severity != Severity::Error) continue;
      const auto [path, line] = source.locate(diagnostic.range);
      // Literals all through: the generator does not compute what type or value they come to.
      if (code_text(diagnostic.code) == "C0302" || code_text(diagnostic.code) == "C0305") {
        count("constants refused");
        return true;
      }
      finding("refused " + code_text(diagnostic.code), fmt::format("line {}: {}", line, diagnostic.message), "");
      return true;
    }
    return false;
  }

  /// Lowers the largest size until the evaluator has little to do. False where the program is refused.
  bool fit(std::map<std::string, int64_t>& sizes) {
    const auto source = parsed();
    const auto function = source->has_errors() ? std::nullopt : analyze_function(*source, "f", {});
    if (!function) {
      refused(*source);
      return false;
    }
    while (true) {
      tir::Bindings bindings;
      for (const tir::Size& size : function->sizes) {
        const std::string& name = function->arena.symbol(size.symbol).name;
        bindings[size.symbol] = Value::of_int(sizes.contains(name) ? sizes[name] : 1);
      }
      for (const tir::ScalarParameter& scalar : function->scalars)
        bindings[scalar.symbol] = is_integer(scalar.declared) || scalar.declared == ScalarType::Bool ? Value::of_int(3) : Value::of_float(1);
      const Work work = count_work(*function, bindings);
      if (work.steps <= options_.most_steps && work.elements <= options_.most_steps) return true;
      auto largest = sizes.end();
      for (auto each = sizes.begin(); each != sizes.end(); ++each)
        if (largest == sizes.end() || each->second > largest->second) largest = each;
      if (largest == sizes.end() || largest->second <= 1) {
        count("too much work");
        return false;
      }
      largest->second = largest->second > 130 ? 130 : largest->second > 64 ? 48 : largest->second > 8 ? largest->second / 2 : largest->second - 1;
    }
  }

  std::optional<Remarks> check(const Setup& setup) {
    setup_ = setup;
    say("setup", setup.text());
    try {
      return check_throwing(setup);
    } catch (const runtime::Error& error) {
      finding("runtime error", error.what(), data_);
    } catch (const InternalError& error) {
      finding("internal error", error.message() + " (" + error.file().substr(error.file().rfind('/') + 1) + ")", data_);
    } catch (const std::exception& error) {
      finding("exception", error.what(), data_);
    }
    return std::nullopt;
  }

  std::optional<Remarks> check_throwing(const Setup& setup) {
    data_ = "";
    const auto source = parsed();
    CompileOptions compile_options = setup.options();
    CompileOptions reference_options = compile_options;
    reference_options.overrides.clear();
    const auto reference = source->has_errors() ? std::nullopt : analyze_function(*source, "f", reference_options);
    if (!reference) {
      refused(*source);
      return std::nullopt;
    }
    auto compiled = compile(*source, "f", compile_options);
    if (!compiled) {
      if (is_refused_override(*source, setup)) {
        count("overrides refused");
      } else {
        refused(*source);
      }
      return std::nullopt;
    }
    count("schedules");
    for (const Remark& remark : compiled->remarks) {
      if (remark.pass != "simplify") say("decision", fmt::format("{}={}", remark.pass, without_names(remark.choice)));
    }
    const std::size_t unit = device_->add(*source, *compiled, compile_options);
    device_->build();
    for (const std::string& data : options_.data) {
      data_ = data;
      say("data", data);
      verify_on(*source, *reference, *compiled, unit, data);
    }
    data_ = "";
    return compiled->remarks;
  }

  void verify_on(const Source& source, const tir::Function& reference, const Compiled& compiled, std::size_t unit, const std::string& data) {
    VerifyOptions options;
    options.sizes = setup_.sizes;
    options.seed = options_.seed % 1000;
    options.strict = std::find(setup_.flags.begin(), setup_.flags.end(), "--strict") != setup_.flags.end();
    options.data = data == "edges" ? VerifyData::Edges : data == "negative" ? VerifyData::Negative : VerifyData::Usual;
    options.device = [&](const loop::Program&, bool small) { return device_->device(unit, small, options.seed); };
    const auto outcome = verify(source, reference, compiled, options);
    if (!outcome) return finding("verify", outcome.message(), data);
    count("data sets");
    if (outcome->verdict == Verification::Verdict::Skipped) return count("skipped: " + outcome->messages.at(0).substr(0, 40));
    count("elements", static_cast<int>(outcome->total.exact + outcome->total.bounded));
    count("elements not judged", static_cast<int>(outcome->total.unjudged));
    if (outcome->verdict == Verification::Verdict::Passed) return;
    // The bound on sums is a statistical one (docs/language.md 7.8); rounding the same way again and again goes beyond it.
    if (outcome->total.wrong > 0 && outcome->total.worst < kDrift) return count("a little beyond the bound");
    const std::string& message = outcome->messages.at(0);
    const auto has = [&](const char* part) { return message.find(part) != std::string::npos; };
    if (has("no meaning here")) return count("undefined");
    // Launches of executed text end after so many steps, and the general form may start many idle threads.
    if (has("step limit in")) return count("executed too long");
    finding(has("elements of")           ? "wrong value"
            : has("was refused")         ? "launch refused"
            : has("the evaluator") ? "report"
                                         : "fault",
            message, data);
  }

  const std::string& text_;
  const CheckOptions& options_;
  const Write& write_;
  Rng rng_;
  std::unique_ptr<DeviceSource> device_;
  Setup setup_;
  std::string data_;
};

}  // namespace

CheckReport check(const std::string& text, const std::map<std::string, int64_t>& sizes, const CheckOptions& options, const Fault& fault) {
  const Isolated done = run_isolated(
      [&](const Write& write) {
        if (fault) {
          const std::string wrong = fault(text);
          if (!wrong.empty()) write("finding\twrong value\tusual\t" + wrong + "\n");
          SourceInput input;
          input.path = "f.cdsl";
          input.text = text;
          const auto source = load_and_parse(input);
          if (source->has_errors() || !analyze_function(*source, "f", {})) write("finding\trefused\t\t-\n");
          return;
        }
        try {
          Checker(text, options, write).run(sizes);
        } catch (const std::exception& error) {
          write(fmt::format("finding\tinternal error\t\t{}\n", one_line(error.what())));
        }
      },
      options.seconds, options.device == "sim" ? kMostBytes : 0);
  CheckReport report;
  Setup setup;
  setup.sizes = sizes;
  std::string data;
  for (const std::string& line : split(done.text, '\n')) {
    const std::vector<std::string> words = split(line, '\t');
    if (words.size() < 2) continue;
    if (words[0] == "setup") setup = Setup::from(words[1]), data = "";
    if (words[0] == "data") data = words[1];
    if (words[0] == "decision") ++report.decisions[words[1]];
    if (words[0] == "count") report.counts[words[1].substr(words[1].find(' ') + 1)] += std::stoi(words[1]);
    if (words[0] == "finding" && words.size() >= 4) report.findings.push_back({words[1], words[3], setup, words[2], options.seed});
  }
  if (done.end == Isolated::End::Crashed)
    report.findings.push_back({fmt::format("crash {}", done.signal), "the compiler ended", setup, data, options.seed});
  // A launch of many idle threads takes the simulator long; the compiler itself has no such excuse.
  if (done.end == Isolated::End::Hung && !data.empty()) ++report.counts["simulated too long"];
  if (done.end == Isolated::End::Hung && data.empty())
    report.findings.push_back({"hang", fmt::format("no end after {} s", options.seconds), setup, data, options.seed});
  return report;
}

}  // namespace cdsl::random
