// The comment that opens an emitted file: who made it, from what, and the decisions behind it.
#pragma once

#include "codegen/cuda.h"
#include "codegen/text.h"

namespace cdsl::cuda {

void print_opening(const tir::Function& function, const Remarks& remarks,
                   const CudaOptions& options, Writer& out);

}  // namespace cdsl::cuda
