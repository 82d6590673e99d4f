// Linear forms of index expressions and cheap proofs with them: enough to drop the half of a range
// test that cannot fail, and to see that what a statement reads lies beside what it writes. What it
// cannot prove is simply not proved.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "dsl/expr/expr.h"

namespace cdsl::lowering {

/// constant + sum of coefficient * term. A term is a symbol, or a node that is not linear.
struct Linear {
  int64_t constant = 0;
  std::map<ExprId, int64_t> terms;
};

/// Nothing when a coefficient overflows.
std::optional<Linear> linear(const ExprArena& arena, ExprId id);
std::optional<Linear> difference(const ExprArena& arena, ExprId a, ExprId b);

/// The indices in scope with their half-open ranges, outermost first. Sizes are taken to be >= 0.
class Ranges {
 public:
  explicit Ranges(const ExprArena& arena) : arena_(arena) {}

  /// `occupied`: the range has a point wherever the index is in scope.
  void push(ExprId index, ExprId lo, ExprId hi, bool occupied = true) { axes_.push_back({index, lo, hi, occupied, {}}); }
  /// The same where `index` may be a sum of which the parts occur one by one.
  void push_sum(ExprId index, ExprId lo, ExprId hi) { axes_.push_back({index, lo, hi, true, linear(arena_, index)}); }
  void shrink(std::size_t count) { axes_.resize(count); }
  std::size_t count() const { return axes_.size(); }

  /// Surely id >= 0, a <= b, a < b at every point of the ranges.
  bool nonnegative(ExprId id) const { return prove(linear(arena_, id)); }
  bool at_most(ExprId a, ExprId b) const { return prove(difference(arena_, b, a)); }
  bool less(ExprId a, ExprId b) const;
  bool inside(ExprId subscript, ExprId extent) const {
    return nonnegative(subscript) && less(subscript, extent);
  }
  /// Whether an order of two i64 holds at every point, or at none; nothing where neither is sure.
  std::optional<bool> decided(Op order, ExprId a, ExprId b) const;
  /// Surely id >= 1, given that every range in scope that is occupied has a point.
  bool positive(ExprId id) const;

 private:
  struct Range {
    ExprId index, lo, hi;
    bool occupied;
    std::optional<Linear> sum;
  };
  bool prove(std::optional<Linear> form) const;

  const ExprArena& arena_;
  std::vector<Range> axes_;
};

}  // namespace cdsl::lowering
