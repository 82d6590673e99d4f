// Sizes at which each variant of a plan is chosen, and at which it is not, so that verify tries
// them all.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/plan/plan.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

using SizeSet = std::map<std::string, int64_t>;

/// Sets of small sizes to try besides `sets`: for each variant with guards on sizes, one where they
/// hold if no set has that, and one where one of them fails. `fixed` are not changed. A guard that
/// cannot be met is left out; those that depend on anything but sizes count as met. Deterministic.
std::vector<SizeSet> sizes_for_variants(const tir::Function& function, const plan::Plan& plan,
                                        const SizeSet& fixed, const std::vector<SizeSet>& sets);

}  // namespace cdsl
