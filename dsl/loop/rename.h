// Other ids for what statements name, node by node: when a kernel moves to another program.
#pragma once

#include <functional>

#include "dsl/loop/loop_ir.h"

namespace cdsl::loop {

/// What stands for an id of the old program. Expressions are not looked into.
struct Renaming {
  std::function<SymbolId(SymbolId)> symbol;
  std::function<BufferId(BufferId)> buffer;
  std::function<ExprId(ExprId)> expression;
  std::function<uint32_t(uint32_t)> site;  // of Program::sites
  std::function<uint32_t(uint32_t)> map;   // of Program::maps
};

/// Renames all that the statements of `block` name, nested ones too.
void rename(Block& block, const Renaming& with);

}  // namespace cdsl::loop
