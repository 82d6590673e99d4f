// Whole loop nests inside one kernel: serial in each thread, or by one block with a barrier after
// each statement.
#pragma once

#include "passes/lower/emit.h"
#include "passes/lower/loop_form.h"

namespace cdsl::lowering {

/// Each thread runs the nest for its points of `shared`, grid-stride. Requires: thread_axes gave
/// `shared`.
void emit_thread_nest(Lowerer& lowerer, const tir::Loop& loop, const std::vector<Axis>& shared);

/// The one block of `threads` threads runs the nest. Loops are uniform; each statement's points are
/// spread over the threads, and a barrier ends it. With one thread there are no barriers and the
/// points are plain loops.
void emit_block_nest(Lowerer& lowerer, const tir::Loop& loop, int threads);

}  // namespace cdsl::lowering
