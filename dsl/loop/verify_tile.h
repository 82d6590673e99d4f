// The invariants of tile form (docs/ir.md, section 2.8), each with a sentence of its own.
#pragma once

#include <string>
#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::loop {

/// Appends what is wrong with a kernel in tile form whose names, types of expressions and nesting were found in order.
void verify_tile(const Program& program, const Kernel& kernel, std::vector<std::string>& errors);

}  // namespace cdsl::loop
