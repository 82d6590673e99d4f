// What a candidate reads and writes, as strides: for each access how far one step of each index moves it.
#pragma once

#include <map>
#include <vector>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

struct Access {
  TensorId tensor;
  ExprId read;                            // invalid: a store
  int64_t bytes = 4;                      // of an element
  bool affine = false;                    // every subscript is a sum of whole multiples of indices
  std::vector<std::map<SymbolId, int64_t>> subscripts;   // coefficients, an axis each
  SymbolId unit;                          // the index along which neighbours are neighbours in memory; invalid: none
  SourceRange where;

  bool uses(SymbolId index) const {
    for (const auto& subscript : subscripts)
      if (subscript.contains(index)) return true;
    return false;
  }
};

std::vector<Access> accesses(const tir::Function& function, const std::vector<tir::Target>& stores);

}  // namespace cdsl::deciding
