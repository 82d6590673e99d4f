// Patterns in words, for people: a name, and one sentence with the facts.
#pragma once

#include "dsl/schedule/remark.h"
#include "passes/recognize/patterns.h"

namespace cdsl::deciding {

/// "contraction", "row reduction", "stencil".
std::string name_of(const Pattern& pattern);
/// "contraction: rows m, columns n, contracted k, epilogue gelu with bias".
std::string to_string(const tir::Function& function, const Pattern& pattern);
/// All of them, the first first; alike ones once, and of each kind a few.
std::string to_string(const tir::Function& function, const Patterns& patterns);
/// The greatest radius, the length of the windows together: what is known of them.
std::vector<Remark::Number> numbers_of(const Patterns& patterns);

}  // namespace cdsl::deciding
