// The variants that facts of `where` give a function: one that assumes them, and the general one.
#pragma once

#include "api/pipeline.h"

namespace cdsl {

/// Tensor IR of `fn` name where all its facts are taken as true: the fast variant's. Nothing where
/// that is `general` again, where the facts contradict the function, or where the input is text of
/// an IR, which holds the general variant alone.
std::optional<tir::Function> analyze_assuming_facts(Source& source, std::string_view name,
                                                    const CompileOptions& options,
                                                    const tir::Function& general);

/// Names the lowered variant that assumes the facts of its function, and gives it its guards: those
/// facts, and the checks that `general` does not make at every launch. False where one of them
/// never holds.
bool guard_by_facts(Compiled& variant, const Compiled& general);

/// Remarks of both variants: what was decided alike is said once, the rest names its variant.
Remarks joined_remarks(const Compiled& variant, const Compiled& general);

/// Why a function has one variant or two, as a decision for the reader; nothing where it has no
/// facts to assume.
std::optional<Remark> variants_remark(const Compiled& unit);

}  // namespace cdsl
