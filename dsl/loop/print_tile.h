// The statements of tile form as text, without the semicolon's line (docs/ir.md, section 2.8).
#pragma once

#include <string>

#include "dsl/expr/print.h"
#include "dsl/loop/tile_ir.h"

namespace cdsl::loop {

std::string to_text(const TileAxis& axis, const ExprArena& arena, const ExprNames& names);
std::string to_text(const TileReduce& reduce, const ExprArena& arena, const ExprNames& names);
std::string to_text(const TileScan& scan, const ExprArena& arena, const ExprNames& names);
std::string to_text(const TileMultiply& multiply, const ExprArena& arena, const ExprNames& names);

/// " over (m, n)" of a Var; "" for no axes.
std::string over_text(const std::vector<SymbolId>& axes, const ExprArena& arena);

}  // namespace cdsl::loop
