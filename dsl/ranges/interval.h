// The values that an integer expression can take, from the types and ranges of its parts alone: cheap, and aware that
// arithmetic wraps. What may wrap spans the whole type.
#pragma once

#include <functional>
#include <optional>

#include "dsl/expr/expr.h"

namespace cdsl {

/// Both ends included. Values of u64 past the greatest i64 have no interval.
struct Interval {
  int64_t lo = 0, hi = 0;
};

/// All values of an integer type; nullopt for u64 and what is no integer.
std::optional<Interval> interval_of(ScalarType type);

/// What is known of a symbol besides its type (a size is at least 0 anyway); nullopt: nothing.
using SymbolInterval = std::function<std::optional<Interval>(SymbolId)>;

/// The values of an integer expression; nullopt for u64 and what is no integer.
std::optional<Interval> interval_of(const ExprArena& arena, ExprId id, const SymbolInterval& symbol = {});

/// Is the operation's result the mathematical one: does it never wrap? True for what is no sum, difference, product or negation.
bool never_wraps(const ExprArena& arena, ExprId id, const SymbolInterval& symbol = {});

}  // namespace cdsl
