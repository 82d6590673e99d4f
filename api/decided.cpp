#include "api/decided.h"

#include <fmt/format.h>

#include "passes/decide/decide.h"
#include "passes/lower/lower.h"
#include "passes/lower/tiles/to_lanes.h"
#include "passes/lower/width.h"

namespace cdsl {
namespace {

/// What `--set` asks for and cannot have is an error; what the source asks for is not, since it may hold for other options.
void report_impossible(PassContext& context, DiagnosticSink& sink) {
  for (const auto& [key, refused] : context.impossible) {
    if (context.settled.contains(key)) continue;
    const auto directed = context.schedule.directed.find(key);
    if (directed != context.schedule.directed.end()) {
      const std::string reason = fmt::format("{} is impossible: {}", refused.first, refused.second);
      context.remarks.push_back({"schedule", key, false, "not followed", reason, {}, {}, directed->second, {}});
      continue;
    }
    sink.report(Code::DirectiveArgument, {}, fmt::format("--set {}={}: {}", key, refused.first, refused.second));
  }
}

}  // namespace

std::vector<loop::Program> decided_programs(Compiled& unit, const CompileOptions& options, const RunnerOptions& running,
                                            DiagnosticSink& sink) {
  std::vector<loop::Program> programs;
  Remarks unsaid;
  PassContext said{unit.schedule, unit.remarks}, plain{unit.schedule, unsaid};
  for (const bool demanding : {true, false}) {
    PassContext& context = demanding ? said : plain;
    PassRunner runner(running, context);
    const Decided decided = runner.run<DecideInput, Decided>(kDecide, DecideInput{unit.function, {demanding, demanding}});
    if (decided.empty()) break;
    loop::Program program = runner.run<const Decided&, loop::Program>(kLowerGroups, decided);
    if (options.lanes) {
      program = runner.run(kToLanes, std::move(program));
      program = runner.run(kNarrow, Lowered{decided.function, std::move(program)});
    }
    program.plan.general().guards = guards_of(decided, program.plan);
    if (!program.plan.general().guards.empty()) program.plan.general().name = "vectors";
    programs.push_back(std::move(program));
    if (programs.back().plan.general().guards.empty()) break;
  }
  said.settled.insert(plain.settled.begin(), plain.settled.end());
  report_impossible(said, sink);
  return programs;
}

}  // namespace cdsl
