// One index for one range: reductions of a candidate take the index of the statement, or of an earlier reduction, that runs over
// the same range, so that a row that is reduced and then mapped has one axis.
#pragma once

#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

struct Axes {
  std::vector<Axis> axes;                // of the statement, then those that only reductions have
  std::size_t of_statement = 0;          // how many are the statement's
  std::vector<SymbolId> reduced;         // axes that some reduction runs over
  bool is_reduced(SymbolId index) const;
};

/// Renames the indices in the values of `stores`.
Axes canonical(tir::Function& function, const tir::Stage& stage, std::vector<tir::Target>& stores);

}  // namespace cdsl::deciding
