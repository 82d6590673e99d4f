// Functions that are defined by others (docs/language.md 8.3) and have no operator of their own.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/sema/convert.h"

namespace cdsl::sema {

bool is_composite(std::string_view name);
std::size_t composite_arity(std::string_view name);
std::vector<std::string_view> composite_names();
Operand composite(Analysis& a, std::string_view name, std::vector<Written> arguments,
                  SourceRange at);

// max(x, 0) of any number.
Operand relu(Analysis& a, Written x, SourceRange at);

}  // namespace cdsl::sema
