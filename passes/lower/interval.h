// Which values the integer expressions of one kernel can have, from the ends of its loops and the
// shape of its launch.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dsl/expr/expr.h"

namespace cdsl::lowering {

struct Interval {
  int64_t lo = 0, hi = 0;
  bool fits_i32() const { return lo >= INT32_MIN && hi <= INT32_MAX; }
};

/// Nothing: any value of the type, or more than i64 holds.
class Intervals {
 public:
  explicit Intervals(const ExprArena& arena) : arena_(arena) {}

  void define(SymbolId symbol, std::optional<Interval> values);
  std::optional<Interval> of(ExprId id);

 private:
  std::optional<Interval> compute(ExprId id);
  std::optional<Interval> apply(ExprId id, Op op);

  const ExprArena& arena_;
  std::unordered_map<uint32_t, std::optional<Interval>> symbols_;
  std::unordered_map<uint32_t, std::optional<Interval>> known_;
};

}  // namespace cdsl::lowering
