// A statement as the recognizers see it: its indices, what it stores and reads, and its reductions.
#pragma once

#include <unordered_map>

#include "dsl/tensor/tensor_ir.h"
#include "passes/recognize/accesses.h"

namespace cdsl::deciding {

struct Subject {
  /// Requires: `function` and `sizes` outlive it, and the function's arena does not grow.
  Subject(const tir::Function& function, const tir::Domain& domain, std::vector<tir::Target> stores, const SizeValues& sizes);

  const tir::Function& function;
  const ExprArena& arena;
  const SizeValues& sizes;
  std::vector<Axis> axes;                 // of the statement
  std::vector<tir::Target> stores;
  std::vector<Access> accesses;           // the stores first; reads of subscripts, ranges and the guard too
  std::vector<ReductionId> reductions;    // each once, an inner one before the one around it
  std::vector<ExprId> outside;            // nodes outside of every reduction and subscript, operands first

  bool is_of_statement(SymbolId index) const;
  const Access& access(ExprId read) const { return accesses[at_.at(read)]; }
  /// Does a subscript hang on what is read?
  bool is_by_data(const Access& access) const;
  /// Every subscript is a sum of whole multiples of indices and a constant: no size or scalar takes part.
  bool is_constant(const Access& access) const;
  const std::string& name_of(TensorId tensor) const { return function.tensor(tensor).name; }
  const std::string& name_of(SymbolId symbol) const { return arena.symbol(symbol).name; }
  /// Likely number of values of an axis; a range that hangs on another index is taken as half of that one's.
  double extent(const Axis& axis) const;

 private:
  std::unordered_map<ExprId, std::size_t> at_;   // of a read, in `accesses`
};

/// Is there a Read or Reduce in it?
bool touches_memory(const ExprArena& arena, ExprId root);

}  // namespace cdsl::deciding
