#include "tests/random/check.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/test_data.h"
#include "api/verify.h"
#include "api/work.h"
#include "dsl/support/check.h"
#include "frontend/render.h"
#include "runtime/error.h"
#include "tests/random/isolate.h"
#include "tests/random/rng.h"

namespace cdsl::random {
namespace {

using Write = std::function<void(std::string_view)>;

constexpr uint64_t kMostBytes = uint64_t{6} << 30;  // of a compiler and a simulator; other devices reserve addresses that they never use
constexpr double kDrift = 20;  // bounds that an error of repeated rounding may reach in sums of a thousand terms

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text.substr(0, 600);
}

CompileOptions options_of(const Setup& setup) {
  CompileOptions options;
  for (const std::string& flag : setup.flags) {
    if (flag == "--O0") options.simplify = options.decide = false;
    if (flag == "--strict") options.strict = true;
    if (flag == "--specialize") options.defines.sizes = setup.sizes;
    if (flag.starts_with("--arch=")) options.architecture = flag.substr(7);
    if (flag.starts_with("--set=")) {
      const std::size_t equals = flag.find('=', 6);
      options.overrides[flag.substr(6, equals - 6)] = flag.substr(equals + 1);
    }
  }
  return options;
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
    check(second(sizes));
    for (int tries = 0; tries < 4; ++tries) {
      const Setup chosen = overridden(sizes, *first, tries);
      if (chosen.flags.empty() || check(chosen)) break;
    }
  }

 private:
  void say(const std::string& kind, const std::string& rest) { write_(kind + "\t" + one_line(rest) + "\n"); }
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

  /// Another way to compile, at other sizes.
  Setup second(const std::map<std::string, int64_t>& sizes) {
    Setup setup;
    setup.sizes = sizes;
    static const std::vector<std::vector<std::string>> ways = {{"--O0"}, {"--strict"}, {"--specialize"}, {"--specialize", "--strict"},
                                                              {"--arch=sm_80"}, {"--arch=sm_120a", "--specialize"}, {"--specialize", "--O0"}};
    setup.flags = rng_.pick(ways);
    // Another architecture's text does not run here, and functions such as exp are the device's own, which round as they like.
    if (options_.device != "sim")
      std::erase_if(setup.flags, [](const std::string& flag) { return flag.starts_with("--arch") || flag == "--strict"; });
    for (auto& [name, value] : setup.sizes)
      if (rng_.chance(50)) value = std::min<int64_t>(value, rng_.of({0, 1, 2, 3, 7, 16, 31, 33}));
    return setup;
  }

  /// A random choice of what the compiler offers. Fewer keys each time, since choices may exclude each other.
  Setup overridden(const std::map<std::string, int64_t>& sizes, const Remarks& remarks, int tries) {
    std::map<std::string, std::vector<std::string>> choices;
    for (const Remark& remark : remarks) {
      if (remark.key.empty()) continue;
      std::vector<std::string>& known = choices[remark.key];
      for (const Remark::Alternative& other : remark.alternatives)
        if (!other.numbers.empty() || remark.pass == "layout" || remark.pass == "scan") known.push_back(other.choice);
      if (known.empty()) known.push_back(remark.choice);
    }
    Setup setup;
    setup.sizes = sizes;
    if (choices.empty()) {
      setup.flags = {tries == 0 ? "--set=threads=96" : "--strict"};
      return setup;
    }
    std::vector<std::string> keys;
    for (const auto& [key, values] : choices) keys.push_back(key);
    const int most = tries == 3 ? 1 : std::max(1, static_cast<int>(keys.size()) >> tries);
    for (int k = 1 + rng_.below(most); k > 0; --k) {
      const std::string key = rng_.pick(keys);
      const std::string flag = fmt::format("--set={}={}", key, rng_.pick(choices[key]));
      std::erase_if(setup.flags, [&](const std::string& old) { return old.starts_with("--set=" + key + "="); });
      setup.flags.push_back(flag);
    }
    if (rng_.chance(20)) setup.flags.push_back("--specialize");
    if (rng_.chance(10)) setup.flags.push_back(fmt::format("--set=threads={}", rng_.of({32, 64, 96, 128, 512, 1024})));
    return setup;
  }

  std::optional<Remarks> check(const Setup& setup) {
    setup_ = setup;
    std::string sizes;
    for (const auto& [name, value] : setup.sizes) sizes += fmt::format(" -D{}={}", name, value);
    say("setup", fmt::format("{}{}", fmt::join(setup.flags, " "), sizes));
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
    CompileOptions compile_options = options_of(setup);
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

  /// What one choice excludes is refused in words; that is no finding.
  static bool is_refused_override(const Source& source, const Setup& setup) {
    for (const Diagnostic& diagnostic : source.diagnostics.diagnostics()) {
      if (diagnostic.severity != Severity::Error) continue;
      bool named = false;
      for (const std::string& flag : setup.flags)
        if (flag.starts_with("--set=")) named |= diagnostic.message.find(flag.substr(6)) != std::string::npos;
      if (!named) return false;
    }
    return true;
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

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

Setup setup_from(const std::string& text) {
  Setup setup;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t equals = word.find('=');
    if (word.starts_with("-D")) setup.sizes[word.substr(2, equals - 2)] = std::stoll(word.substr(equals + 1));
    else if (!word.empty()) setup.flags.push_back(word);
  }
  return setup;
}

}  // namespace

std::string Finding::signature() const {
  std::string text = kind;
  // Whether the value is wrong by a little or by all says little; other messages name the place in the compiler.
  if (kind == "wrong value" || kind.starts_with("crash") || kind == "hang") return text;
  text += ": ";
  bool in_word = false;
  for (char c : message.substr(0, 160)) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (is_digit && !in_word) text += '#';
    if (!is_digit) text += c;
    in_word = is_digit;
  }
  // "exact data, variant general: f.cdsl:2: out of bounds in kernel f_y0": what happens, not where.
  if (kind == "report" || kind == "fault") {
    const std::size_t place = text.find("f.cdsl:#: ");
    return kind + ": " + (place == std::string::npos ? text.substr(0, 40) : text.substr(place + 10, text.find(" in kernel", place) - place - 10).substr(0, 40));
  }
  if (kind.starts_with("refused")) return kind;
  return text;
}

std::string Finding::command(const std::string& path) const {
  std::string text = fmt::format("cuoptc verify {} --device=sim --seed={}", path, seed % 1000);
  if (!data.empty() && data != "usual") text += " --data=" + data;
  for (const auto& [name, value] : setup.sizes) text += fmt::format(" -D{}={}", name, value);
  for (const std::string& flag : setup.flags) text += flag.find_first_of("*()") == std::string::npos ? " " + flag : " '" + flag + "'";
  return text;
}

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
    if (words[0] == "setup") setup = setup_from(words[1]), data = "";
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
