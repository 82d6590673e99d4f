// Reductions that differ in nothing but the identity of their index symbols become one, as equal
// nodes are one already: what a `let` holds is expanded at each use, and would be reduced again at
// each.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dsl/expr/expr.h"

namespace cdsl::simplification {

class ReductionSharing {
 public:
  explicit ReductionSharing(ExprArena& arena) : arena_(arena) {}

  /// The reduction that stands for all that equal it. Requires: the same was asked for those inside
  /// it before.
  ReductionId shared(ReductionId id);
  int found() const { return found_; }

 private:
  using Key = std::vector<uint32_t>;
  SymbolId bound_symbol(SymbolId own, int level, std::size_t position);
  int level_of(const Reduction& reduction);
  Key key_of(const Reduction& reduction) const;

  ExprArena& arena_;
  std::map<Key, ReductionId> known_;
  std::unordered_map<uint32_t, ReductionId> done_;
  std::unordered_map<uint32_t, int> levels_;  // by reduction
  std::map<std::pair<std::string, std::pair<int, std::size_t>>, SymbolId>
      symbols_;  // by name, level, position
  std::unordered_set<uint32_t> taken_;
  int found_ = 0;
};

}  // namespace cdsl::simplification
