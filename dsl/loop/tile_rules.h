// Rules of tile form that concern one node, for verify_tile: each calls `fail` with a sentence for what is broken.
#pragma once

#include <functional>
#include <string>

#include "dsl/loop/distribution.h"

namespace cdsl::loop {

using Fail = std::function<void(const std::string&)>;

/// Factors of every axis, against the shape of the kernel.
void check_axes(const Program& program, const Kernel& kernel, const Fail& fail);

void check_reduce(const Distribution& d, const ExprArena& arena, const TileReduce& reduce, const Fail& fail);
void check_scan(const Distribution& d, const ExprArena& arena, const TileScan& scan, const Fail& fail);
/// Types, axes and lanes of the operands are what the instruction asks for.
void check_multiply(const Distribution& d, const ExprArena& arena, const TileMultiply& multiply, const Fail& fail);

/// Do digits of these axes at a level take the same part of the place, so that not every point is held?
bool digits_overlap(const Distribution& d, std::span<const SymbolId> axes, Level level);

/// The places (lanes, warps, ranks) that the digits of these axes count together: the greatest stride * extent; 1 for none.
int64_t place_span(const Distribution& d, std::span<const SymbolId> axes, Level level);

}  // namespace cdsl::loop
