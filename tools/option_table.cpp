#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Regex.h>

#include "api/byte_size.h"
#include "api/defines.h"
#include "api/explain.h"
#include "dsl/machine/architectures.h"
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

Problem one_of(std::string_view text, std::string& choice,
               std::initializer_list<std::string_view> choices) {
  const std::vector<std::string_view> list(choices);
  if (std::find(list.begin(), list.end(), text) == list.end()) {
    return fmt::format("'{}' is none of {}{}", text, fmt::join(list, ", "),
                       did_you_mean(text, list));
  }
  choice = text;
  return kFine;
}

Problem set_architecture(Settings& settings, std::string_view text) {
  std::vector<std::string_view> names;
  for (const Architecture& architecture : architectures()) names.push_back(architecture.name);
  const Architecture* found = find_architecture(text);
  if (text != "native" && found == nullptr) {
    return fmt::format("'{}' is none of native, {}{}", text, fmt::join(names, ", "),
                       did_you_mean(text, names));
  }
  if (found != nullptr && !found->can_emit)
    return fmt::format("{} is in the machine model only; CUDA 13 no longer compiles for it", text);
  settings.compile.architecture = text;
  settings.architectures.emplace_back(found != nullptr ? found->name : text);
  settings.architecture_given = true;
  return kFine;
}

Problem add_pass(Settings& settings, std::string_view text) {
  std::string pass;
  if (auto problem = one_of(text, pass, {"analyze", "simplify", "layout", "lower", "decide", "groups", "lanes", "narrow", "all"})) return problem;
  settings.compile.print_after.push_back(pass);
  return kFine;
}

Problem add_override(Settings& settings, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos)
    return fmt::format("'{}' is not of the form KEY=VALUE", text);
  settings.compile.overrides[std::string(text.substr(0, equals))] = text.substr(equals + 1);
  return kFine;
}

Problem add_size_list(Settings& settings, std::string_view text) {
  if (text.empty()) return "it needs at least one size, as in --sizes=1,2,33";
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    int64_t size = 0;
    if (!read_size(text.substr(0, comma), size)) return fmt::format("'{}' is no size in range", text.substr(0, comma));
    if (size < 0) return "sizes are at least 0";
    settings.sizes.push_back(size);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return kFine;
}

Problem add_input(Settings& settings, std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos)
    return fmt::format("'{}' is not of the form NAME=FILE.npy or NAME=NUMBER", text);
  settings.inputs.emplace_back(text);
  return kFine;
}

Problem set_regex(std::string& to, std::string_view text) {
  std::string problem;
  if (!llvm::Regex(llvm::StringRef(text.data(), text.size())).isValid(problem))
    return fmt::format("'{}' is no regular expression: {}", text, problem);
  to = text;
  return kFine;
}

Problem set_math(Settings& settings, bool strict) {
  (strict ? settings.compile.strict : settings.compile.fast_math) = true;
  if (settings.compile.strict && settings.compile.fast_math)
    return "--strict and --fast-math exclude each other";
  return kFine;
}

template <std::string Settings::*Member>
Problem set_text(Settings& settings, std::string_view value) {
  settings.*Member = value;
  return kFine;
}

Problem set_page(Settings& settings, std::string_view text) {
  if (text.empty()) return "it needs a file to write, as in --html=page.html";
  settings.page = text;
  return kFine;
}

template <bool Settings::*Member>
Problem set_flag(Settings& settings, std::string_view) {
  settings.*Member = true;
  return kFine;
}

template <bool CompileOptions::*Member>
Problem clear_flag(Settings& settings, std::string_view) {
  settings.compile.*Member = false;
  return kFine;
}

Problem set_level(Settings& settings, std::string_view text) {
  return one_of(text, settings.emit,
                {"tensor-ir", "schedule", "tile-ir", "loop-ir", "cu", "contract", "ptx", "cubin", "fatbin"});
}

Problem set_depfile(Settings& settings, std::string_view path) {
  settings.depfile = true;
  settings.depfile_path = path;
  return kFine;
}

/// NAME=A,B,C: each value has to be one that -D takes alone.
Problem add_axis(Settings& settings, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string name(text.substr(0, equals));
  std::vector<std::string> values;
  for (std::string_view rest = text.substr(equals + 1);;) {
    const std::size_t comma = rest.find(',');
    values.emplace_back(rest.substr(0, comma));
    Defines alone = settings.compile.defines;
    if (const auto failure = add_define(alone, fmt::format("{}={}", name, values.back()))) return failure->message;
    if (comma == std::string_view::npos) break;
    rest = rest.substr(comma + 1);
  }
  settings.axes.emplace_back(name, std::move(values));
  return kFine;
}

Problem set_define(Settings& settings, std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  if (std::any_of(settings.axes.begin(), settings.axes.end(), [&](const auto& axis) { return axis.first == name; }))
    return fmt::format("-D{} is given twice", name);
  if (text.find(',') != std::string_view::npos && text.find('=') != std::string_view::npos) return add_axis(settings, text);
  auto failure = add_define(settings.compile.defines, text);
  return failure ? Problem(failure->message) : kFine;
}

Problem add_import_folder(Settings& settings, std::string_view path) {
  settings.import_directories.emplace_back(path);
  return kFine;
}

Problem add_dump(Settings& settings, std::string_view name) {
  settings.dumps.emplace_back(name);
  return kFine;
}

Problem set_random(Settings& settings, std::string_view text) {
  return read_number(text, settings.random.emplace());
}

Problem set_seed(Settings& settings, std::string_view text) {
  return read_number(text, settings.seed);
}

Problem set_device(Settings& settings, std::string_view text) {
  return one_of(text, settings.device, {"auto", "cuda", "sim", "eval"});
}

Problem set_min_time(Settings& settings, std::string_view text) {
  double seconds = 0;
  if (auto problem = read_number(text, seconds)) return problem;
  if (!(seconds >= 0 && seconds <= 3600)) return fmt::format("'{}' is not from 0 to 3600", text);
  settings.timing.min_seconds = seconds;
  return kFine;
}

Problem set_max_time(Settings& settings, std::string_view text) {
  if (auto problem = read_number(text, settings.timing.max_seconds)) return problem;
  if (!(settings.timing.max_seconds >= 0 && settings.timing.max_seconds <= 3600)) return fmt::format("'{}' is not from 0 to 3600", text);
  return kFine;
}

Problem set_max_noise(Settings& settings, std::string_view text) {
  double percent = 0;
  if (text.ends_with('%')) text.remove_suffix(1);
  if (auto problem = read_number(text, percent)) return problem;
  if (!(percent > 0)) return "it is a percentage above 0";
  settings.timing.max_noise = percent / 100;
  return kFine;
}

Problem set_samples(Settings& settings, std::string_view text) {
  int count = 0;
  if (auto problem = read_number(text, count)) return problem;
  if (count < 1) return "it takes at least one sample";
  settings.timing.min_samples = count;
  return kFine;
}

Problem set_most_steps(Settings& settings, std::string_view text) {
  double steps = 0;
  if (auto problem = read_number(text, steps)) return problem;
  if (!(steps >= 0)) return "it is a number of steps: 0 or more";
  settings.most_steps = steps;
  return kFine;
}

Problem set_spots(Settings& settings, std::string_view text) {
  if (auto problem = read_number(text, settings.spots)) return problem;
  if (settings.spots < 1) return "it takes at least one element";
  return kFine;
}

Problem set_data(Settings& settings, std::string_view text) {
  return one_of(text, settings.data, {"usual", "edges", "negative"});
}

Problem set_error_format(Settings& settings, std::string_view text) {
  std::string format;
  auto problem = one_of(text, format, {"text", "json"});
  settings.json = format == "json";
  return problem;
}

Problem set_error_limit(Settings& settings, std::string_view text) {
  auto problem = read_number(text, settings.error_limit);
  if (settings.error_limit == 0) settings.error_limit = std::numeric_limits<std::size_t>::max();
  return problem;
}

Problem set_time_limit(Settings& settings, std::string_view text) {
  return read_number(text, settings.compile.time_limit);
}

Problem set_strict(Settings& settings, std::string_view) { return set_math(settings, true); }
Problem set_unoptimised(Settings& settings, std::string_view) {
  settings.compile.simplify = settings.compile.decide = false;
  return {};
}

Problem set_fast_math(Settings& settings, std::string_view) { return set_math(settings, false); }

Problem add_expect(Settings& settings, std::string_view text) {
  std::string function;
  const auto expectation = parse_expectation(text, function);
  if (!expectation) return expectation.message();
  settings.expectations.emplace_back(text);
  return kFine;
}

Problem set_estimate(Settings& settings, std::string_view) {
  settings.measure = false;
  return kFine;
}

Problem set_no_cache(Settings& settings, std::string_view) {
  settings.use_cache = false;
  return kFine;
}

Problem set_cache_size(Settings& settings, std::string_view text) {
  const auto size = parse_byte_size(text);
  if (!size) return fmt::format("'{}' is no size like 4096, 500M or 2G", text);
  settings.cache_size = *size;
  return kFine;
}

Problem set_remarks(Settings& settings, std::string_view text) {
  return set_regex(settings.remarks, text);
}

Problem set_missed_remarks(Settings& settings, std::string_view text) {
  return set_regex(settings.missed_remarks, text);
}

constexpr std::string_view kOutput = "Output", kProgram = "What is compiled", kNumbers = "Numbers",
                           kHow = "How it is compiled", kKept = "What is kept", kData = "Data", kDevice = "Device",
                           kTiming = "Timing", kLooking = "Looking inside",
                           kGeneral = "General";

// clang-format off: a table, a row an option. The help is printed from it; groups stand together.
constexpr Option kOptions[] = {
    {"-o", "FILE", kOutput, "write there; - is standard output, which is the default",
     kCompile | kExplain | kLibrary, set_text<&Settings::output>},
    {"--emit", "LEVEL", kOutput, "tensor-ir, schedule, tile-ir, loop-ir, cu (default), contract, ptx, cubin, fatbin",
     kCompile, set_level},
    {"-MD", "", kOutput, "also write the files it depends on to FILE.d, for make and ninja",
     kCompile | kLibrary, set_flag<&Settings::depfile>},
    {"-MF", "FILE", kOutput, "where -MD writes",
     kCompile | kLibrary, set_depfile},
    {"--name", "NAMESPACE", kOutput, "of the library; the name of the header where nothing is said",
     kLibrary, set_text<&Settings::library_name>},
    {"--jit", "", kOutput, "the library holds the programs as text, which libcdsl compiles when they are called",
     kLibrary, set_flag<&Settings::embed_text>},
    {"--no-line", "", kOutput, "no #line directives to the .cdsl",
     kCompile, clear_flag<&CompileOptions::line_directives>},

    {"--fn", "NAME", kProgram, "this fn only",
     kReading, set_text<&Settings::function>},
    {"-D", "NAME=VALUE", kProgram, "a size (-DN=1000, or 4k, 1M, 2G by 1024), a type (-DT=bf16) or a scalar (-Ddt=0.1); bench: several, 1k,4k",
     kReading, set_define},
    {"-I", "FOLDER", kProgram, "look for imports there too",
     kReading, add_import_folder},

    {"--strict", "", kNumbers, "no contraction; sums in the documented order",
     kReading, set_strict},
    {"--fast-math", "", kNumbers, "approximate functions and divisions in ptx and cubin",
     kLowering | kLibrary, set_fast_math},

    {"--arch", "NAME", kHow, "sm_75 to sm_120a, or native; sm_90a where nothing is said; a library takes several",
     kLowering | kLibrary, set_architecture},
    {"--O0", "", kHow, "no pass but lowering",
     kLowering | kLibrary, set_unoptimised},
    {"--no-cache", "", kHow, "do not use kernels that NVRTC compiled before, and keep none",
     kLowering | kLibrary, set_no_cache},
    {"--set", "KEY=VALUE", kHow, "overrule a decision: threads=128, loop.t=block, C.tile.m=64",
     kLowering | kLibrary, add_override},

    {"--size", "BYTES", kKept, "prune to 4096, 500M, 2G; without it to CDSL_CACHE_SIZE, which is 1G where it is not set",
     kCache, set_cache_size},

    {"--in", "NAME=VALUE", kData, "an input: a .npy file for a tensor, a number for a scalar",
     kRun | kVerify | kBench, add_input},
    {"--random", "SEED", kData, "make up the inputs that are not given, of the sizes that -D gives",
     kRun, set_random},
    {"--out-dir", "FOLDER", kData, "write each output to FOLDER/NAME.npy",
     kRun, set_text<&Settings::out_dir>},
    {"--dump", "NAME", kData, "also write the intermediate NAME to FOLDER/NAME.npy, or to NAME.npy without --out-dir; may be repeated",
     kRun, add_dump},
    {"--trap-nan", "", kData, "store every intermediate, and end with status 4 naming the first statement that makes a NaN",
     kRun, set_flag<&Settings::trap_nan>},
    {"--sizes", "LIST", kData, "verify at these values of all sizes that -D leaves open: 1,2,33",
     kVerify, add_size_list},
    {"--most-steps", "N", kData, "evaluate all elements where that takes no more steps (default 1e9, a minute or two), else a sample; sizes that take more are left out of --each-pass (2e5)",
     kVerify, set_most_steps},
    {"--spots", "N", kData, "elements of each output in such a sample (default 1000)",
     kVerify, set_spots},
    {"--each-pass", "", kData, "verify in the evaluator and the simulator what each pass made, and name the first that is wrong",
     kVerify, set_flag<&Settings::each_pass>},
    {"--data", "KIND", kData, "what is made up: usual (default: exact, then random), edges (NaN, inf, -0, extremes), negative",
     kVerify, set_data},
    {"--seed", "SEED", kData, "of the data that is made up",
     kVerify | kBench, set_seed},
    {"--specialize", "", kData, "compile with the sizes of -D as constants",
     kRun | kVerify | kBench, set_flag<&Settings::specialize>},

    {"--device", "NAME", kDevice, "auto (default), cuda, sim, or eval: the reference evaluator",
     kRun | kVerify | kBench, set_device},

    {"--min-time", "SECONDS", kTiming, "take cold samples for at least that long, then hot ones (default 0.5)",
     kBench, set_min_time},
    {"--samples", "N", kTiming, "at least so many of each (default 30)",
     kBench, set_samples},
    {"--max-noise", "PERCENT", kTiming, "go on until the quartiles lie within that of the median (default 5)",
     kBench, set_max_noise},
    {"--max-time", "SECONDS", kTiming, "but for no longer than that (default 3)",
     kBench, set_max_time},
    {"--run-once", "", kTiming, "launch once, with nothing before or after and no time taken: for profilers",
     kBench, set_flag<&Settings::run_once>},

    {"--print-after", "PASS", kLooking, "print what analyze, simplify, layout, decide, lower, groups, lanes, narrow or all leave, to stderr",
     kLowering, add_pass},
    {"--json", "", kLooking, "the result as JSON, for programs",
     kExplain | kBench | kCache, set_flag<&Settings::json_report>},
    {"--csv", "", kLooking, "the result as comma-separated values, a line for cold and one for hot",
     kBench, set_flag<&Settings::csv_report>},
    {"--md", "", kLooking, "the result as a Markdown table",
     kBench, set_flag<&Settings::md_report>},
    {"--timeline", "FILE", kLooking, "write what took time there, passes to kernels, as a trace for Perfetto or chrome://tracing",
     kRun | kBench, set_text<&Settings::timeline>},
    {"--html", "FILE", kLooking, "write one page for a browser, with nothing outside it: source, Loop IR, CUDA and PTX linked by line, pictures of every access, occupancy, roofline, decisions",
     kExplain, set_page},
    {"--ranges", "", kLooking, "every domain, every launch check, and why each read is inside its tensor",
     kExplain, set_flag<&Settings::ranges>},
    {"--estimate", "", kLooking, "guess registers, do not ask NVRTC",
     kCompile | kExplain, set_estimate},
    {"--expect", "'FN: METRIC == N'", kLooking, "end with status 4 where it does not hold, as with an expect block",
     kCompile | kExplain | kInspect, add_expect},
    {"--save-opt-record", "FILE", kLooking, "write the decisions there, as LLVM writes optimization records (YAML)",
     kCompile | kExplain, set_text<&Settings::optimization_record>},
    {"-Rpass", "REGEX", kLooking, "tell the decisions of the passes that match",
     kLowering, set_remarks},
    {"-Rpass-missed", "REGEX", kLooking, "tell what they declined",
     kLowering, set_missed_remarks},

    {"--error-format", "FORMAT", kGeneral, "text (default), or json: an object a line",
     kAll, set_error_format},
    {"--error-limit", "N", kGeneral, "stop after so many errors; 0: never",
     kReading, set_error_limit},
    {"--time-limit", "SECONDS", kGeneral, "give up on a function after that long",
     kReading, set_time_limit},
    {"--help", "", kGeneral, "this text",
     kAll, set_flag<&Settings::help>},
    {"--version", "", kGeneral, "the version",
     kAll, set_flag<&Settings::version>},
};
// clang-format on

}  // namespace

std::span<const Option> all_options() {
  return kOptions;
}

}  // namespace cdsl::tools
