// How types of the language are spelled in CUDA C++.
#pragma once

#include <string_view>

#include "dsl/types/scalar_type.h"

namespace cdsl::cuda {

/// "float", "long long", "unsigned char"; "f16", "c64" and their kind name structs that the prelude
/// prints.
std::string_view cuda_type(ScalarType type);

/// The unsigned integer type of the same width. Requires: an integer type.
ScalarType unsigned_of(ScalarType type);

}  // namespace cdsl::cuda
