// Emits one job into the kernel's current block: its points, and for each the values, tests, stores
// and updates. All values of a point are taken before its first store.
#pragma once

#include <map>

#include "passes/lower/job.h"
#include "passes/lower/points.h"

namespace cdsl::lowering {

void emit_job(Lowerer& lowerer, const Job& job, Spread spread);

/// The same for one point whose indices are bound already; the guard stands around it.
void emit_point(Lowerer& lowerer, const Job& job);

/// Where the updates of a scatter go instead of its target: in shared memory each of its `count` elements, k, has `copies` elements
/// from k * copies on, of which this thread updates one.
struct Bins {
  BufferId buffer;
  int64_t count = 1;
  int copies = 1;
  ExprId copy;                           // of this thread; invalid where there is one
};
/// Report sites of a statement by what they say: its points report from the same.
using Sites = std::map<std::string, uint32_t>;

/// The points of a scatter that is not serial, over the grid.
void emit_updates(Lowerer& lowerer, const Job& job, const Bins& bins);

/// What all points of a job share, before the first of them.
void begin_points(Lowerer& lowerer, const Job& job);
/// The update of one point whose indices are bound already; the guard stands around it.
void emit_update(Lowerer& lowerer, const Job& job, const Bins& bins, Sites& sites);

/// The atomic update that a scatter makes.
loop::AtomicOp atomic_of(tir::ScatterOp op);

/// "y[i] = a * x[i]" for the comment above a kernel; cut where it grows long.
std::string text_of(const tir::Function& function, const ExprArena& arena, const Job& job);

}  // namespace cdsl::lowering
