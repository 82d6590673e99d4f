// Tensor IR as text (docs/ir.md gives the grammar). frontend/tensor_ir_reader.h reads it back to an equal function.
#pragma once

#include <string>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::tir {

std::string to_string(const Function& function);

}  // namespace cdsl::tir
