// Complex arithmetic of the language on c64 and c128, each component rounded as docs/language.md, section 7, says.
#pragma once

#include <span>

#include "dsl/expr/ops.h"
#include "dsl/types/value.h"

namespace cdsl {

/// Requires: `type` is c64 or c128.
Value apply_complex(Op op, ScalarType type, std::span<const Value> args);

}  // namespace cdsl
