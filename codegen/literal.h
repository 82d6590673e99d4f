// Constants as CUDA C++ literals that mean exactly the same value.
#pragma once

#include <string>

#include "codegen/helpers.h"
#include "dsl/types/value.h"

namespace cdsl::cuda {

/// `exact`: the literal has the C++ type of `type` by itself (5LL); otherwise a plain `5` may stand
/// where it converts. Infinities and NaN call helpers, which `prelude` notes.
std::string literal(const Value& value, ScalarType type, bool exact, Prelude& prelude,
                    bool on_host);

/// Does the text of the literal start with a minus sign?
bool is_negative_literal(const Value& value, ScalarType type);

}  // namespace cdsl::cuda
