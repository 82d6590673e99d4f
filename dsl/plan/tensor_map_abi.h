// How a tensor map names types and swizzles to the driver, in launchers and in the runtime alike.
#pragma once

#include "dsl/types/scalar_type.h"

namespace cdsl::plan {

/// CUtensorMapDataType of cuda.h; types that it lacks move as bytes.
constexpr int tensor_map_type(ScalarType type) {
  switch (type) {
    case ScalarType::U16:
    case ScalarType::I16: return 1;
    case ScalarType::U32: return 2;
    case ScalarType::I32: return 3;
    case ScalarType::U64: return 4;
    case ScalarType::I64: return 5;
    case ScalarType::F16: return 6;
    case ScalarType::F32: return 7;
    case ScalarType::F64: return 8;
    case ScalarType::BF16: return 9;
    default: return 0;
  }
}

/// CUtensorMapSwizzle of cuda.h, for a span in bytes; 0: none.
constexpr int tensor_map_swizzle(int bytes) { return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0; }

}  // namespace cdsl::plan
