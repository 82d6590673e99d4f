// What is checked once the body of a function stands.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// An output is defined, and as a whole.
void check_output(Analysis& a, const TensorSymbol& symbol);
// Facts of a function that is expanded: what it requires is proved or checked at the launch.
void require_facts(Analysis& a, const ast::FnDecl& fn, SourceRange at);
// Warnings for tensors and `let`s that nothing reads.
void warn_unused(Analysis& a);

}  // namespace cdsl::sema
