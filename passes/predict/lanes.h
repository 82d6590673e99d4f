// A register of one warp as the predictor knows it: a value for each lane, known or not.
//
// Guarantees: what is known is what the simulator would compute (dsl/types/arithmetic.h decides both).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dsl/expr/ops.h"
#include "dsl/machine/architectures.h"
#include "dsl/types/scalar_type.h"
#include "dsl/types/value.h"

namespace cdsl::predicting {

/// Known: lane l holds `at(l)` where bit l of `known` is set. Shifted: an unknown number that all lanes share, plus `at(l)`:
/// what a load of one address by all lanes gives, and sums with it. Residue: lane l holds `at(l)` plus a multiple of `modulus`, a
/// power of two, each lane one of its own: data times 32 plus the lane's number.
struct Lanes {
  enum class Kind : uint8_t { Known, Shifted, Residue };
  Kind kind = Kind::Known;
  int64_t modulus = 1;           // Residue
  bool uniform = true;           // all lanes hold value[0]
  bool ticket = false;           // depends on what an atomic found
  uint32_t known = 0;
  std::array<Value, kWarpLanes> value;

  const Value& at(int lane) const { return value[uniform ? 0 : static_cast<std::size_t>(lane)]; }
  bool is_known(uint32_t mask) const { return kind == Kind::Known && (mask & ~known) == 0; }
  /// All lanes hold the same, though it may be unknown.
  bool is_same() const { return uniform && (kind == Kind::Shifted || known == ~uint32_t{0}); }

  static Lanes of(Value value);
  static Lanes unknown();
  static Lanes unknown_but_same();
};

/// `op` (a Cast: to `type`) on operands of `operand` type. A lane that is not known gives an unknown lane, unless the
/// operator decides without it.
Lanes apply(Op op, ScalarType operand, ScalarType type, std::span<const Lanes* const> args);

/// Lanes of `condition` that hold for certain, and those that may.
struct Decision {
  uint32_t certain = 0, possible = 0;
};
Decision decide(const Lanes& condition, uint32_t certain, uint32_t possible);

/// Lanes in `mask` become those of `next` (where `certain`, else they may keep what they hold).
void assign(Lanes& target, const Lanes& next, uint32_t certain, uint32_t possible);

}  // namespace cdsl::predicting
