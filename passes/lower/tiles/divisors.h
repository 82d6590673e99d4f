// Which whole numbers surely divide an index, and along which axis an access is contiguous: what a vector access needs.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "dsl/loop/distribution.h"

namespace cdsl::lowering {

class Divisors {
 public:
  Divisors(const ExprArena& arena, const loop::Kernel& kernel, const loop::Distribution& distribution);

  /// A number that divides the value at every point; 0 where the value is surely 0.
  int64_t of(ExprId id) const;
  /// Is index == axis + rest, where `width` divides rest, and rest does not hang on the axis? Then `width` points along the
  /// axis, from one that is a multiple of it, are neighbours in memory, and the first has an index divisible by `width`.
  bool contiguous(ExprId index, SymbolId axis, int64_t width) const;
  /// The constant c where index == axis + rest + c, and `width` divides rest, which does not hang on the axis.
  std::optional<int64_t> beyond_runs(ExprId index, SymbolId axis, int64_t width) const;
  /// Does the condition have one truth value over each run of `width` points along the axis?
  bool uniform(ExprId condition, SymbolId axis, int64_t width) const;

 private:
  bool depends(ExprId id, SymbolId axis) const;
  bool uniform_compare(ExprId less, ExprId more, int64_t slack, SymbolId axis, int64_t width) const;

  const ExprArena& arena_;
  const loop::Distribution& distribution_;
  std::unordered_map<SymbolId, int64_t> known_;
  std::unordered_map<SymbolId, ExprId> definitions_;
  mutable std::unordered_map<ExprId, int64_t> memo_;
};

}  // namespace cdsl::lowering
