#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Regex.h>

#include "dsl/machine/machine.h"
#include "dsl/support/suggest.h"
#include "tools/options.h"

namespace cdsl::tools {
namespace {

using Problem = std::optional<std::string>;
constexpr Problem kFine = std::nullopt;

template <class Integer>
Problem read_number(std::string_view text, Integer& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return kFine;
  return fmt::format("'{}' is no number in range", text);
}

Problem one_of(std::string_view text, std::string& choice, std::initializer_list<std::string_view> choices) {
  const std::vector<std::string_view> list(choices);
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    return fmt::format("'{}' is none of {}{}", text, fmt::join(list, ", "), did_you_mean(text, list));
  }
  choice = text;
  return kFine;
}

Problem set_architecture(Settings& settings, std::string_view text) {
  std::vector<std::string_view> names;
  for (const Architecture& architecture : architectures()) names.push_back(architecture.name);
  const Architecture* found = find_architecture(text);
  if (text != "native" && found == nullptr) {
    return fmt::format("'{}' is none of native, {}{}", text, fmt::join(names, ", "), did_you_mean(text, names));
  }
  if (found != nullptr && !found->can_emit) return fmt::format("{} is in the machine model only; CUDA 13 no longer compiles for it", text);
  settings.compile.architecture = text;
  settings.architecture_given = true;
  return kFine;
}

Problem add_pass(Settings& settings, std::string_view text) {
  std::string pass;
  if (auto problem = one_of(text, pass, {"analyze", "simplify", "lower", "all"})) return problem;
  settings.compile.print_after.push_back(pass);
  return kFine;
}

Problem add_override(Settings& settings, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return fmt::format("'{}' is not of the form KEY=VALUE", text);
  settings.compile.overrides[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  return kFine;
}

Problem add_size_list(Settings& settings, std::string_view text) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    int64_t size = 0;
    if (auto problem = read_number(text.substr(0, comma), size)) return problem;
    if (size < 0) return "sizes are at least 0";
    settings.sizes.push_back(size);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return kFine;
}

Problem add_input(Settings& settings, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return fmt::format("'{}' is not of the form NAME=FILE.npy or NAME=NUMBER", text);
  settings.inputs.emplace_back(text);
  return kFine;
}

Problem set_regex(std::string& to, std::string_view text) {
  std::string problem;
  if (!llvm::Regex(llvm::StringRef(text.data(), text.size())).isValid(problem)) return fmt::format("'{}' is no regular expression: {}", text, problem);
  to = text;
  return kFine;
}

Problem set_math(Settings& settings, bool strict) {
  (strict ? settings.compile.strict : settings.compile.fast_math) = true;
  if (settings.compile.strict && settings.compile.fast_math) return "--strict and --fast-math exclude each other";
  return kFine;
}

constexpr std::string_view kOutput = "Output", kProgram = "What is compiled", kNumbers = "Numbers", kHow = "How it is compiled",
                           kData = "Data", kDevice = "Device", kLooking = "Looking inside", kGeneral = "General";

// The help is printed from this; keep groups together.
constexpr Option kOptions[] = {
    {"-o", "FILE", kOutput, "write there; - is standard output, which is the default", kCompile,
     [](Settings& s, std::string_view v) { s.output = v; return kFine; }},
    {"--emit", "LEVEL", kOutput, "tensor-ir, schedule, loop-ir, cu (default), ptx or cubin", kCompile,
     [](Settings& s, std::string_view v) { return one_of(v, s.emit, {"tensor-ir", "schedule", "loop-ir", "cu", "ptx", "cubin"}); }},
    {"-MD", "", kOutput, "also write the files it depends on to FILE.d, for make and ninja", kCompile,
     [](Settings& s, std::string_view) { s.depfile = true; return kFine; }},
    {"-MF", "FILE", kOutput, "where -MD writes", kCompile,
     [](Settings& s, std::string_view v) { s.depfile = true; s.depfile_path = v; return kFine; }},
    {"--no-line", "", kOutput, "no #line directives to the .cdsl", kCompile,
     [](Settings& s, std::string_view) { s.compile.line_directives = false; return kFine; }},

    {"--fn", "NAME", kProgram, "this fn only", kReading,
     [](Settings& s, std::string_view v) { s.function = v; return kFine; }},
    {"-D", "NAME=VALUE", kProgram, "a size (-DN=1000), a type (-DT=bf16) or a scalar (-Ddt=0.1)", kReading,
     [](Settings& s, std::string_view v) {
       auto failure = add_define(s.compile.defines, v);
       return failure ? Problem(failure->message) : kFine;
     }},
    {"-I", "FOLDER", kProgram, "look for imports there too", kReading,
     [](Settings& s, std::string_view v) { s.import_directories.emplace_back(v); return kFine; }},

    {"--strict", "", kNumbers, "no contraction; sums in the documented order", kReading,
     [](Settings& s, std::string_view) { return set_math(s, true); }},
    {"--fast-math", "", kNumbers, "approximate functions and divisions in ptx and cubin", kLowering,
     [](Settings& s, std::string_view) { return set_math(s, false); }},

    {"--arch", "NAME", kHow, "sm_75 to sm_120a, or native; sm_90a where nothing is said", kLowering, set_architecture},
    {"--O0", "", kHow, "no pass but lowering", kLowering,
     [](Settings& s, std::string_view) { s.compile.simplify = false; return kFine; }},
    {"--set", "KEY=VALUE", kHow, "overrule a decision: threads=128, loop.t=block, C.tile.m=64", kLowering, add_override},

    {"--in", "NAME=VALUE", kData, "an input: a .npy file for a tensor, a number for a scalar", kRun | kVerify, add_input},
    {"--random", "SEED", kData, "make up the inputs that are not given, of the sizes that -D gives", kRun,
     [](Settings& s, std::string_view v) { return read_number(v, s.random.emplace()); }},
    {"--out-dir", "FOLDER", kData, "write each output to FOLDER/NAME.npy", kRun,
     [](Settings& s, std::string_view v) { s.out_dir = v; return kFine; }},
    {"--sizes", "LIST", kData, "verify at each of these values for all sizes that -D leaves open: 1,2,33", kVerify, add_size_list},
    {"--seed", "SEED", kData, "of the data that is made up", kVerify,
     [](Settings& s, std::string_view v) { return read_number(v, s.seed); }},
    {"--specialize", "", kData, "compile with the sizes of -D as constants", kRun | kVerify,
     [](Settings& s, std::string_view) { s.specialize = true; return kFine; }},

    {"--device", "NAME", kDevice, "auto (default), cuda, sim, or eval: the reference evaluator", kRun | kVerify,
     [](Settings& s, std::string_view v) { return one_of(v, s.device, {"auto", "cuda", "sim", "eval"}); }},

    {"--print-after", "PASS", kLooking, "print what analyze, simplify, lower or all leave, to standard error", kLowering, add_pass},
    {"-Rpass", "REGEX", kLooking, "tell the decisions of the passes that match", kLowering,
     [](Settings& s, std::string_view v) { return set_regex(s.remarks, v); }},
    {"-Rpass-missed", "REGEX", kLooking, "tell what they declined", kLowering,
     [](Settings& s, std::string_view v) { return set_regex(s.missed_remarks, v); }},

    {"--error-format", "FORMAT", kGeneral, "text (default), or json: an object a line", kAll,
     [](Settings& s, std::string_view v) {
       std::string format;
       auto problem = one_of(v, format, {"text", "json"});
       s.json = format == "json";
       return problem;
     }},
    {"--error-limit", "N", kGeneral, "stop after so many errors; 0: never", kReading,
     [](Settings& s, std::string_view v) {
       auto problem = read_number(v, s.error_limit);
       if (s.error_limit == 0) s.error_limit = static_cast<std::size_t>(-1);
       return problem;
     }},
    {"--time-limit", "SECONDS", kGeneral, "give up on a function after that long", kReading,
     [](Settings& s, std::string_view v) { return read_number(v, s.compile.time_limit); }},
    {"--help", "", kGeneral, "this text", kAll, [](Settings& s, std::string_view) { s.help = true; return kFine; }},
    {"--version", "", kGeneral, "the version", kAll, [](Settings& s, std::string_view) { s.version = true; return kFine; }},
};

}  // namespace

std::span<const Option> all_options() { return kOptions; }

}  // namespace cdsl::tools
