// Emits one job into the kernel's current block: its points, and for each the values, tests, stores
// and updates. All values of a point are taken before its first store.
#pragma once

#include "passes/lower/job.h"
#include "passes/lower/points.h"

namespace cdsl::lowering {

void emit_job(Lowerer& lowerer, const Job& job, Spread spread);

/// The same for one point whose indices are bound already; the guard stands around it.
void emit_point(Lowerer& lowerer, const Job& job);

/// The points of a scatter that is not serial, over the grid: its updates go to the same elements of `bins`, which the block
/// shares.
void emit_updates(Lowerer& lowerer, const Job& job, BufferId bins);

/// The atomic update that a scatter makes.
loop::AtomicOp atomic_of(tir::ScatterOp op);

/// "y[i] = a * x[i]" for the comment above a kernel; cut where it grows long.
std::string text_of(const tir::Function& function, const ExprArena& arena, const Job& job);

}  // namespace cdsl::lowering
