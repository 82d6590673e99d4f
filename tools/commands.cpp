#include "tools/commands.h"

namespace cdsl::tools {
namespace {

constexpr Command kCommands[] = {
    {"", kCompile, "cuoptc FILE.cdsl [-o FILE.cu] [options]", "compile to CUDA C++",
     compile_command},
    {"check", kCheck, "cuoptc check FILES [options]", "parse and check, write nothing",
     check_command},
    {"run", kRun, "cuoptc run FILE.cdsl --in x=x.npy --out-dir FOLDER [options]",
     "compile and run on data", run_command},
    {"verify", kVerify, "cuoptc verify FILES [-DN=33] [--sizes 1,2,33] [options]",
     "compare the kernels with the reference evaluator", verify_command},
    {"bench", kBench, "cuoptc bench FILE.cdsl -DN=1k,64k,4M [--fn=NAME] [--json|--csv|--md] [options]",
     "how long each function takes on the GPU, L2 cold and hot, and how near that is to what the GPU can do", bench_command},
    {"inspect", kInspect, "cuoptc inspect FILES [options]",
     "registers, spills, shared memory and occupancy, with no GPU", inspect_command},
    {"explain", kExplain, "cuoptc explain FILES [-DN=4096] [--arch=sm_90a] [--json] [--html=FILE] [--ranges]",
     "what each kernel, access and decision costs at these sizes, with no GPU", explain_command},
    {"library", kLibrary, "cuoptc library FILES -o NAME.h [--arch=sm_90a]... [--jit] [options]",
     "write NAME.h and NAME.cpp: the functions for programs in C++, with their machine code or text", library_command},
    {"cache", kCache, "cuoptc cache stat|list|prune|clear|export FILE|import FILE [options]",
     "the kernels that NVRTC compiled before and that are kept on disk", cache_command},
    {"doctor", kDoctor, "cuoptc doctor", "what of CUDA is installed, and what is missing",
     doctor_command},
    {"explain-error", kExplainError, "cuoptc explain-error C0402",
     "what a code means, with an example", explain_error_command},
};

}  // namespace

std::span<const Command> all_commands() {
  return kCommands;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string commands_of(unsigned bits) {
  std::string text;
  for (const Command& command : kCommands) {
    if ((bits & command.bit) == 0) continue;
    text += text.empty() ? "" : ", ";
    text += command.name.empty() ? "plain cuoptc" : "'cuoptc " + std::string(command.name) + "'";
  }
  return text;
}

}  // namespace cdsl::tools
