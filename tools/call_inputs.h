// Arguments of a call from the command line: --in and -D.
#pragma once

#include "api/result.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/tensor_ir.h"
#include "tools/settings.h"

namespace cdsl::tools {

/// Arrays, scalars and sizes that the command line gives to `function`. With `lenient`, what names
/// no parameter of it is passed over (several functions share one command line).
Result<Arguments> call_inputs(const tir::Function& function, const Settings& settings,
                              bool lenient);

/// Parameters that `arguments` lacks, as the user would give them: "--in x=FILE.npy".
std::vector<std::string> missing_inputs(const tir::Function& function, const Arguments& arguments);

}  // namespace cdsl::tools
