// Which whole numbers surely divide an index, and along which axis an access is contiguous: what a vector access needs.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dsl/loop/distribution.h"

namespace cdsl::lowering {

class Divisors {
 public:
  Divisors(const ExprArena& arena, const loop::Kernel& kernel, const loop::Distribution& distribution);

  /// A number that divides the value at every point; 0 where the value is surely 0.
  int64_t of(ExprId id) const;
  /// Is index == axis + rest, where `width` divides rest, and rest does not hang on the axis? Then `width` points along the axis, from one
  /// that is a multiple of it, are neighbours in memory, and the first has an index divisible by `width`. Shifted: only because what
  /// begins anywhere was moved back by its remainder, so that a run may reach over an end of it.
  enum class Runs : uint8_t { None, Aligned, Shifted };
  Runs contiguous(ExprId index, SymbolId axis, int64_t width) const;
  /// The constant c where index == axis + rest + c, and `width` divides rest, which does not hang on the axis.
  std::optional<int64_t> beyond_runs(ExprId index, SymbolId axis, int64_t width) const;
  /// Does the condition have one truth value over each run of `width` points along the axis?
  bool uniform(ExprId condition, SymbolId axis, int64_t width) const;
  /// Conditions that hold together where `condition` does, each of one stretch of the axis: whether it holds on a run is seen at the
  /// run's first point, or at its last. Nothing where a condition is of another kind.
  struct End {
    ExprId condition;
    bool last = false;
  };
  std::optional<std::vector<End>> ends(ExprId condition, SymbolId axis) const;

 private:
  bool depends(ExprId id, SymbolId axis) const;
  std::optional<ExprId> alike(ExprId term, int64_t width) const;
  bool stays(ExprId term) const;
  bool uniform_compare(ExprId less, ExprId more, int64_t slack, SymbolId axis, int64_t width) const;
  struct Residue {
    int64_t along = 0;                   // of the axis
    int64_t rest = 0;                    // of all else, modulo the width
    bool is_known = true;                // the rest
    bool is_shifted = false;             // it is known because a remainder went away
  };
  std::optional<Residue> residue(ExprId plus, ExprId minus, SymbolId axis, int64_t width) const;

  const ExprArena& arena_;
  const loop::Distribution& distribution_;
  std::unordered_map<SymbolId, int64_t> known_;
  std::unordered_map<SymbolId, ExprId> definitions_;
  struct Walk {
    ExprId lo;
    int64_t step;                        // divides all steps
  };
  std::unordered_map<SymbolId, Walk> walks_;
  std::unordered_set<SymbolId> variables_;
  mutable std::unordered_map<ExprId, int64_t> memo_;
};

}  // namespace cdsl::lowering
