// What a candidate reads and writes, as strides: for each access how far one step of each index moves it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "dsl/tensor/tensor_ir.h"
#include "passes/recognize/sizes.h"

namespace cdsl::deciding {

struct Access {
  TensorId tensor;
  uint32_t leaf = 0;
  ExprId read;                            // invalid: a store
  int64_t bytes = 4;                      // of an element
  bool affine = false;                    // every subscript is a sum of whole multiples of indices
  bool strided = false;                   // the same, where a multiple may be a size: its likely value stands for it
  std::vector<std::map<SymbolId, int64_t>> subscripts;   // coefficients, an axis each
  std::vector<int64_t> offsets;           // constant terms, an axis each; where a size stands beside, without it
  std::vector<bool> irregular;            // by axis: the subscript hangs on data, or on an index in another way
  int64_t pitch = 4;                      // bytes between neighbours along the contiguous axis
  bool grouped = false;                   // AoSoA: neighbours lie `pitch` apart within a group of records only
  int64_t joined = 1;                     // fields of the record that may move in one access, itself among them
  int64_t joined_bytes = 0;               // of that access
  SymbolId unit;                          // the index along which neighbours are `pitch` apart; invalid: none
  SourceRange where;

  bool is_store() const { return !read.valid(); }
  bool is_packed() const { return pitch == bytes && !grouped; }
  /// Neighbours along `index` are side by side, with nothing between them.
  bool is_contiguous(SymbolId index) const { return unit == index && is_packed(); }
  bool uses(SymbolId index) const {
    for (const auto& subscript : subscripts)
      if (subscript.contains(index)) return true;
    return false;
  }
};

/// The stores, then what their values read; what `further` expressions read comes after.
std::vector<Access> accesses(const tir::Function& function, const std::vector<tir::Target>& stores, const SizeValues& sizes,
                             std::span<const ExprId> further = {});

}  // namespace cdsl::deciding
