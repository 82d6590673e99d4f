// The first few elements of an array, for a reader.
#pragma once

#include <string>

#include "dsl/tensor/array.h"

namespace cdsl::tools {

/// "y: f32[1000] = 1, 2.5, 3, ...\n"
std::string preview(const std::string& name, const Array& array);

}  // namespace cdsl::tools
