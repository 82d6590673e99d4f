// The launch contract: all that a program needs to know to run the kernels of one function by
// itself, as versioned JSON. Parameters with types, shapes and addresses, sizes and where they come
// from, checks, kernels with their parameters, workspace, and the plan: its
// variants, their guards and steps. Integer expressions are text in the language's own notation,
// over sizes and scalars by name.
#pragma once

#include <string>

#include "dsl/loop/program.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

/// Raised whenever a field changes its meaning or disappears.
inline constexpr int kContractVersion = 2;

std::string contract_json(const tir::Function& function, const loop::Program& program);

}  // namespace cdsl
