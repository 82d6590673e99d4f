// Where a subscript under a boundary mode reads (docs/language.md, 4.1).
#pragma once

#include <cstdint>
#include <optional>

#include "dsl/expr/expr.h"

namespace cdsl::eval {

/// The element of an axis of `extent` that subscript `e` reads; nothing where the mode's value (0 or fill) stands instead, or,
/// for Boundary::None and Unchecked, where `e` is outside.
std::optional<int64_t> fold(Boundary boundary, int64_t e, int64_t extent);

}  // namespace cdsl::eval
