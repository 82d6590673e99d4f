// How much a statement computes for what it moves, whatever carries it out.
#pragma once

#include <optional>

#include "passes/recognize/patterns.h"

namespace cdsl::deciding {

/// Of this operation alone: 2 of a multiply-add, 6 of a complex product, 1 of a function such as exp; 0 of what is not floating.
double flops_of(const ExprArena& arena, ExprId id);

/// Floating-point operations for each byte of the tensors' elements that it reads and writes, each moved once, at likely sizes:
/// what does not hang on an index is computed once for all of it, and a scan adds each element once. Nothing where nothing floating is computed, or a range hangs on data.
std::optional<double> flops_per_byte(const Subject& subject, const Patterns& patterns);

}  // namespace cdsl::deciding
