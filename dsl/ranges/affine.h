// Integer expressions as isl's piecewise quasi-affine functions. What is not affine becomes an unknown of its own, so that
// a proof holds whatever its value; `exact` says whether that happened.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "dsl/expr/expr.h"

namespace cdsl {

/// One query's translation. All symbols are parameters of one space; indices to be projected out are remembered.
class AffineSpace {
 public:
  /// Every symbol and every non-affine node that occurs under `roots` becomes a parameter.
  AffineSpace(isl::ctx context, const ExprArena& arena, const std::vector<ExprId>& roots, const std::vector<SymbolId>& symbols);

  isl::pw_aff value(ExprId id);
  /// Points at which a bool expression holds. Unknown conjuncts are dropped (`exact` turns false).
  isl::set holds(ExprId id);
  /// Points at which it does not hold; a conjunct that is unknown is dropped likewise.
  isl::set fails(ExprId id);
  isl::set universe() const;
  /// What the types narrower than i64 of symbols and unknowns allow.
  isl::set type_ranges() const;
  /// `set` with the given symbols existentially quantified.
  isl::set project(isl::set set, const std::vector<SymbolId>& symbols) const;
  isl::pw_aff symbol(SymbolId id) const;
  /// Every symbol of the space, in the order of its parameters.
  const std::vector<SymbolId>& symbols() const { return symbols_; }
  isl::pw_aff number(int64_t value) const;
  /// Nothing was unknown and nothing dropped.
  bool exact() const { return exact_; }
  /// A condition was dropped, so that sets are larger than they should be.
  bool dropped() const { return dropped_; }
  /// Says so of a condition that the space was never told.
  void drop() { exact_ = false, dropped_ = true; }

 private:
  isl::pw_aff parameter(std::size_t position) const;
  isl::pw_aff unknown(ExprId id);
  isl::pw_aff apply(Op op, ExprId id);
  std::optional<isl::set> compare(ExprId id, bool negate);
  isl::set truth(ExprId id, bool negate);

  const ExprArena& arena_;
  isl::set universe_;
  void add_symbol(SymbolId id, std::size_t& count);

  std::vector<SymbolId> symbols_;
  std::unordered_map<SymbolId, std::size_t> symbol_position_;
  std::unordered_map<ExprId, std::size_t> unknown_position_;
  std::unordered_map<ExprId, std::size_t> coin_position_;   // of choices by what is not known: 1 takes the first arm
  std::unordered_map<ExprId, isl::pw_aff> values_;
  bool exact_ = true, dropped_ = false;
};

/// Is the node an affine operation of its operands (its operands may still be unknown)?
bool is_affine_operation(const ExprArena& arena, ExprId id);

}  // namespace cdsl
