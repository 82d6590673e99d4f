// Statements and blocks.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// The statements of `source`, in the current scope, appended to the current block. After an error
// in one the next is analyzed.
void analyze_statements(Analysis& a, const ast::Block& source);

}  // namespace cdsl::sema
