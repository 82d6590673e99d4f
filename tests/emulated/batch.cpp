#include "batch.h"

#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <stdexcept>

#include "codegen/cuda.h"
#include "device.h"
#include "dsl/machine/architectures.h"
#include "process.h"
#include "twins.h"

namespace cdsl::emulation {
namespace {

constexpr std::size_t kMostOfALog = 4000;

/// `extern __shared__` means memory whose size the launch gives, which C++ cannot say.
std::string with_dynamic_shared(std::string text) {
  constexpr std::string_view kDeclaration = "extern __shared__ __align__(1024) unsigned char ";
  for (std::size_t at = 0; (at = text.find(kDeclaration, at)) != std::string::npos;) {
    const std::size_t name = at + kDeclaration.size(), end = text.find("[]", name);
    const std::string instead = fmt::format("unsigned char* const {} = (unsigned char*)emulated::dynamic_shared()", text.substr(name, end - name));
    text.replace(at, end + 2 - at, instead);
  }
  return text;
}

/// Where the headers of emitted text are: in the sources that this was built from, or in those of the working folder on a machine
/// that has only the program.
std::string shim() {
  const std::string built = EMULATED_FOLDER "/shim";
  return std::filesystem::exists(built) ? built : "tests/emulated/shim";
}

/// What `__CUDA_ARCH__` is: 900 for sm_90a.
int macro_of(const std::string& architecture) {
  const Architecture* found = find_architecture(architecture);
  return found == nullptr ? 900 : found->major * 100 + found->minor * 10;
}

}  // namespace

struct Batch::Build {
  std::vector<std::size_t> units;
  std::filesystem::path source, library;
  std::unique_ptr<Process> compiler = {};
  std::chrono::steady_clock::time_point begin = {};
};

Batch::Batch(BatchOptions options) : options_(std::move(options)) {
  if (options_.compiler.empty()) options_.compiler = std::filesystem::exists(EMULATED_COMPILER) ? EMULATED_COMPILER : "g++";
  std::string name = (std::filesystem::temp_directory_path() / "emulated.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
  folder_ = name;
  const Ended hooks = run({options_.compiler, "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-c", shim() + "/hooks.cpp", "-o",
                           (folder_ / "hooks.o").string()});
  if (hooks.status != 0) throw std::runtime_error(options_.compiler + ": " + hooks.output);
}

Batch::~Batch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::size_t Batch::add(const Source& source, const Compiled& compiled, const CompileOptions& options) {
  return add_text(compiled.program, emit(source, compiled, options), options.architecture);
}

std::size_t Batch::add_text(const loop::Program& program, std::string text, std::string architecture) {
  units_.push_back({&program, std::move(architecture), std::move(text), {}});
  return units_.size() - 1;
}

/// The unit in a namespace of its own; its kernels, whose names are C's, get the namespace's name before theirs.
std::string Batch::unit_source(std::size_t number) const {
  const Unit& unit = units_[number];
  const std::vector<std::string> kernels = kernel_names(*unit.program);
  std::string out = fmt::format("#define EMULATED_SHARED \"emulated_shared_{}\"\n#define __CUDA_ARCH__ {}\n", number, macro_of(unit.architecture));
  for (const std::string& kernel : kernels) out += fmt::format("#define {0} u{1}_{0}\n", kernel, number);
  std::string problem;
  out += fmt::format("namespace u{} {{\n{}\n", number, with_dynamic_shared(with_twins(unit.text, problem)));
  out += fmt::format("#line 1 \"unit {}\"\n", number);
  out += "__shared__ unsigned char none[16];\n";
  out += "static const emulated::Kernel kernels[] = {\n";
  for (const std::string& kernel : kernels) out += fmt::format("  emulated::Trampoline<&{0}>::of(\"{0}\"),\n", kernel);
  out += fmt::format("  {{}}}};\n}}\nextern \"C\" unsigned char __start_emulated_shared_{0}[] __attribute__((visibility(\"hidden\"))), "
                     "__stop_emulated_shared_{0}[] __attribute__((visibility(\"hidden\")));\n"
                     "extern \"C\" __attribute__((visibility(\"default\"))) const emulated::Unit emulated_unit_{0} = "
                     "{{u{0}::kernels, {1}, __start_emulated_shared_{0}, __stop_emulated_shared_{0}}};\n",
                     number, kernels.size());
  for (const std::string& kernel : kernels) out += fmt::format("#undef {}\n", kernel);
  return out + "#undef EMULATED_SHARED\n#undef __CUDA_ARCH__\n";
}

std::vector<std::string> Batch::command(const Build& build) const {
  std::vector<std::string> words = {options_.compiler, "-std=c++20", "-O0", "-g1", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-gnu-unique",
                                    "-ffp-contract=off", "-fno-exceptions", "-fno-strict-aliasing", "-w", "-nodefaultlibs",
                                    "-fsanitize=thread,bounds,alignment", "-fsanitize-coverage=trace-pc", "--param", "tsan-distinguish-volatile=1",
                                    "-I" + shim()};
  words.insert(words.end(), options_.flags.begin(), options_.flags.end());
  for (const std::string& file : {build.source.string(), (folder_ / "hooks.o").string()}) words.push_back(file);
  words.insert(words.end(), {"-o", build.library.string()});
  return words;
}

void Batch::start(Build& build) {
  std::ofstream out(build.source);
  out << "#include \"cuda.h\"\n";
  for (const std::size_t unit : build.units) out << unit_source(unit);
  out.close();
  build.begin = std::chrono::steady_clock::now();
  build.compiler = std::make_unique<Process>(command(build));
}

void Batch::finish(Build& build) {
  const Ended ended = build.compiler->wait();
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - build.begin).count();
  if (ended.status == 0) {
    const auto library = std::make_shared<Library>(build.library.string());
    for (const std::size_t unit : build.units) units_[unit].library = library;
    return;
  }
  if (build.units.size() == 1) {
    units_[build.units[0]].problem = "the text is no C++: " + ended.output.substr(0, kMostOfALog);
    return;
  }
  // Whose fault was it? The others are not to suffer.
  for (const std::size_t unit : build.units) {
    const std::string name = fmt::format("unit_{}", unit);
    Build alone{{unit}, folder_ / (name + ".cpp"), folder_ / (name + ".so")};
    start(alone);
    finish(alone);
  }
}

void Batch::build() {
  std::deque<Build> builds;
  std::size_t kernels = 0;
  for (; built_ < units_.size(); ++built_) {
    Unit& unit = units_[built_];
    with_twins(unit.text, unit.problem);
    if (!unit.problem.empty()) continue;
    if (builds.empty() || kernels + unit.program->kernels.size() > options_.kernels_a_build) {
      const std::string name = fmt::format("units_{}", built_);
      builds.push_back({{}, folder_ / (name + ".cpp"), folder_ / (name + ".so")});
      kernels = 0;
    }
    builds.back().units.push_back(built_);
    kernels += unit.program->kernels.size();
  }
  const auto jobs = static_cast<std::size_t>(std::max(options_.jobs, 1));
  for (std::size_t k = 0; k < builds.size() + jobs; ++k) {
    if (k >= jobs && k - jobs < builds.size()) finish(builds[k - jobs]);
    if (k < builds.size()) start(builds[k]);
  }
}

std::unique_ptr<runtime::Device> Batch::device(std::size_t unit, bool small, uint64_t seed) const {
  const Unit& made = units_[unit];
  if (made.library == nullptr) throw std::runtime_error(made.problem.empty() ? "the batch is not built" : made.problem);
  return std::make_unique<Device>(*made.program, *made.library, made.library->unit(unit), made.architecture, small,
                                  Options{.seed = seed, .step_limit = options_.step_limit});
}

}  // namespace cdsl::emulation
