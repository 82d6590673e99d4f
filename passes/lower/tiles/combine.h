// What a reduction or scan does to two partial results, as expressions.
#pragma once

#include <vector>

#include "dsl/loop/tile_ir.h"

namespace cdsl::lowering {

/// The result of nothing, a part a value. `types` are those of the values. An arg-reduction: position -1.
std::vector<ExprId> identity_of(ExprArena& arena, const loop::Combine& how, const std::vector<ScalarType>& types);

/// What is known of the positions of an arg-reduction where `a` and `b` meet: nothing; `b` lies above `a`, if both are points; the
/// same, and whoever asks names the first point where none won, since nothing is worse than what `a` holds then.
enum class Positions : uint8_t { Any, Rising, Named };

/// Arg-reductions: does `b` win over `a`? The better value, the first NaN, the lower position among equals, and never
/// position -1 if the other is a point; so that the order of combining is free.
ExprId is_better(ExprArena& arena, const loop::Combine& how, const std::vector<ExprId>& a, const std::vector<ExprId>& b,
                 Positions positions = Positions::Any);

/// `a` before `b`, of all but arg-reductions.
std::vector<ExprId> combined(ExprArena& arena, const loop::Combine& how, const std::vector<ExprId>& a,
                             const std::vector<ExprId>& b);

inline bool is_arg(const loop::Combine& how) { return how.monoid == Monoid::ArgMin || how.monoid == Monoid::ArgMax; }

/// Does the order in which partial results combine not matter (but for rounding)?
inline bool is_commutative(const loop::Combine& how) { return how.monoid != Monoid::User || how.commutative; }

}  // namespace cdsl::lowering
