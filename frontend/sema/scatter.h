// scatter[binders] T[e] op= v;
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

void analyze_scatter(Analysis& a, const ast::Scatter& scatter, SourceRange at);

}  // namespace cdsl::sema
