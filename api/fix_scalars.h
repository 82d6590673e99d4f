// Scalar parameters that -D fixes at compile time: constants of the kernels, and a check of the
// launch.
#pragma once

#include <optional>

#include "api/defines.h"
#include "dsl/support/diagnostic.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

/// Replaces each scalar parameter that `defines` names by its value, rounded to the parameter's
/// type. The parameter stays; another value at launch is a launch error. A value that does not fit
/// its type is reported (C0621).
void fix_scalars(tir::Function& function, const Defines& defines, DiagnosticSink& sink);

}  // namespace cdsl
