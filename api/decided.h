// The variants that decisions give a function: one whose groups ask for aligned bases and suitable sizes, and one that asks for
// nothing.
#pragma once

#include <vector>

#include "api/pipeline.h"
#include "passes/runner.h"

namespace cdsl {

/// Lowered, the most demanding first; none where no statement was shared out. Where the last has no guards, it is right for every
/// launch. Overrides that nothing can follow are reported as errors.
std::vector<loop::Program> decided_programs(Compiled& unit, const CompileOptions& options, const RunnerOptions& running, DiagnosticSink& sink);

}  // namespace cdsl
