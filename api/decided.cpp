#include "api/decided.h"

#include "api/overrides.h"
#include "passes/decide/decide.h"
#include "passes/lower/lower.h"
#include "passes/lower/tiles/to_lanes.h"
#include "passes/lower/whole_records.h"
#include "passes/lower/width.h"

namespace cdsl {
namespace {

/// For passes whose program is right where `guards` hold.
RunnerOptions under_guards(const Compiled& unit, const CompileOptions& options, RunnerOptions running, const std::vector<plan::Guard>& guards) {
  PassObserver* const observer = options.observer;
  if (observer == nullptr) return running;
  running.made_program = [observer, &unit, &guards](std::string_view pass, const loop::Program& program) {
    observer->made(pass, unit.function, program, guards);
  };
  return running;
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
    std::vector<plan::Guard> guards = guards_of(decided, program.plan);
    if (options.lanes) {
      PassRunner guarded(under_guards(unit, options, running, guards), context);
      program = guarded.run(kToLanes, std::move(program));
      program = guarded.run(kWholeRecords, std::move(program));
      program = guarded.run(kNarrow, Lowered{decided.function, std::move(program), demanding ? &guards : nullptr});
    }
    program.plan.general().guards = std::move(guards);
    // What asks for nothing may still need long reductions, to divide them.
    if (!program.plan.general().guards.empty()) program.plan.general().name = demanding ? "vectors" : "shares";
    programs.push_back(std::move(program));
    if (programs.back().plan.general().guards.empty()) break;
  }
  said.settled.insert(plain.settled.begin(), plain.settled.end());
  report_impossible(said, unit.answered, sink);
  return programs;
}

}  // namespace cdsl
