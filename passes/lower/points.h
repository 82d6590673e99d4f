// The points of a domain, shared out: over the grid, over the threads of one block, or all to one
// thread.
#pragma once

#include <functional>

#include "passes/lower/expression.h"

namespace cdsl::lowering {

enum class Spread : uint8_t {
  Grid,   // independent axes flattened, a thread a point, grid-stride; dependent axes are loops
          // inside the thread
  Block,  // the same over the threads of the one block
  Serial  // nested loops in lexicographic order
};

/// Emits `body` for the points of the domain. Its guard stands around the body.
void for_points(Lowerer& lowerer, const tir::Domain& domain, Spread spread,
                const std::function<void()>& body);

/// The points of a domain over the grid, each thread `batch` of them at a time: what `gather` emits for each of them stands
/// before what the functions that it gave emit, so that loads are under way together. At the end `gather` may see the last point
/// again, whose function is not called then.
/// Requires: can_batch(domain). `gather` reports nothing.
void for_batches(Lowerer& lowerer, const tir::Domain& domain, int batch,
                 const std::function<std::function<void()>()>& gather);
/// The axes of a box stand for its point of this number, the last one fastest.
/// Requires: all axes are independent, and none is empty where the point is used.
void bind_point(Lowerer& lowerer, const tir::Domain& box, ExprId point);

/// Are all points there, each of its own: no guard, no axis that hangs on another?
bool can_batch(const ExprArena& arena, const tir::Domain& domain);

/// How many points Grid or Block shares out, as an expression of the plan.
ExprId shared_points(const tir::Function& function, ExprArena& arena, const tir::Domain& domain);

}  // namespace cdsl::lowering
