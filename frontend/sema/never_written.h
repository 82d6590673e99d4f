// Reads, inside loops, of elements that surely no earlier statement or iteration has written.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// A read of a tensor that the statement is defining, kept with the points at which it is made.
void note_own_read(Analysis& a, const TensorSymbol& symbol, const std::vector<ExprId>& subscripts,
                   SourceRange at);
// An undeclared tensor of a loop's body is read within one iteration only; reports where it is not.
void check_iteration(Analysis& a, const TensorSymbol& symbol, const std::vector<ExprId>& subscripts,
                     SourceRange at);
// Judges the reads kept since the statement began, for the one definition of the tensor.
void check_own_reads(Analysis& a, const TensorSymbol& symbol, const DefinedPart& part);

}  // namespace cdsl::sema
