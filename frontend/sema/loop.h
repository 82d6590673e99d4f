// repeat and along.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

void analyze_repeat(Analysis& a, const ast::Repeat& repeat, SourceRange at);
void analyze_along(Analysis& a, const ast::Along& along, SourceRange at);

}  // namespace cdsl::sema
