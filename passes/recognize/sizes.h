// Values of sizes: what is known at compile time, and what is likely, for predictions only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

/// a * b where that is below 2^48, else 2^48: counts of what no machine holds are all alike. Requires: neither is negative.
inline int64_t product(int64_t a, int64_t b) {
  constexpr int64_t kMost = int64_t{1} << 48;
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) || result > kMost ? kMost : result;
}

/// hi - lo where that is representable, at least `least`.
inline int64_t distance(int64_t lo, int64_t hi, int64_t least) {
  int64_t result = 0;
  return __builtin_sub_overflow(hi, lo, &result) ? (hi > lo ? INT64_MAX : least) : result < least ? least : result;
}

class SizeValues {
 public:
  /// Likely values: the first of the function's `sizes` directive; else what gives the tensors with that size some 16 million
  /// elements.
  explicit SizeValues(const tir::Function& function);

  /// Of an integer expression over sizes; nothing where a size in it is open.
  std::optional<int64_t> known(ExprId id) const { return value(id, false); }
  /// With likely values for open sizes; 1 where the expression hangs on more than sizes. A difference of likely sizes says
  /// little: where it is tiny, the greatest size in it stands for it.
  int64_t likely(ExprId id) const;
  /// The same values, but for the open sizes in `ends`, which are short: a row may always turn out to be.
  SizeValues with_short(std::span<const ExprId> ends) const;
  bool is_open(ExprId id) const { return !known(id) && value(id, true).has_value(); }

 private:
  struct Size {
    int64_t likely = 1;
    bool known = false, typical = false;    // typical: somebody said so
  };
  std::optional<int64_t> value(ExprId id, bool guess) const;

  const ExprArena* arena_;
  std::unordered_map<SymbolId, Size> sizes_;
};

}  // namespace cdsl::deciding
