// The invariants of Tensor IR (docs/ir.md). A violation is a bug of the compiler, never of the user.
#pragma once

#include <string>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::tir {

/// Every broken invariant in words; empty when the function is well formed.
std::vector<std::string> verify(const Function& function);

}  // namespace cdsl::tir
