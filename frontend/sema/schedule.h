// `schedule` and `expect` of a function, checked and carried as plain data.
#pragma once

#include "frontend/sema/analysis.h"
#include "frontend/source.h"

namespace cdsl::sema {

// Adds those of the analyzed function to it.
void attach_schedule(Analysis& a, const SourceManager& sources);
// Blocks that name no `fn` of the program.
void check_schedule_names(const ast::Program& program, const Module& module, DiagnosticSink& sink);

}  // namespace cdsl::sema
