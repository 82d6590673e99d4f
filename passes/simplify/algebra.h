// The algebra of simplify: small named rules on one node whose operands are simplified already.
// Each is exact: the result has the same bits for every value of the operands, NaN, infinities,
// signs of zero and wrap-around included. Integers wrap, so sums and products of constants may be
// regrouped; of float rules only those hold that IEEE 754 makes exact, and complex numbers have
// none.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "dsl/expr/expr.h"

namespace cdsl::simplification {

class Algebra;

/// Looks at `id` (an Apply); nothing where it does not fit.
struct Rule {
  std::string_view name;     // "multiply by one"
  std::string_view example;  // "x * 1 -> x"
  std::optional<ExprId> (*apply)(Algebra& algebra, ExprId id);
};

std::span<const Rule> constant_rules();  // operands are constants
std::span<const Rule> integer_rules();   // operands are integers
std::span<const Rule> float_rules();     // operands are f32 or f64
std::span<const Rule> logic_rules();     // bool, comparisons, select
std::span<const Rule> cast_rules();

/// Every rule that there is, so that a test can say which of them it has not seen.
struct RuleFamily {
  std::string_view name;
  std::span<const Rule> rules;
};
std::span<const RuleFamily> rule_families();

/// Applies the rules until none fits, and counts how often each did.
class Algebra {
 public:
  explicit Algebra(ExprArena& arena) : arena_(arena) {}

  ExprArena& arena() { return arena_; }
  /// The simplest form of a node whose operands are simplified.
  ExprId simplest(ExprId id);
  /// A new node, simplified at once.
  ExprId make(Op op, std::initializer_list<ExprId> args) {
    return simplest(arena_.apply(op, args));
  }
  ExprId make_cast(ExprId value, ScalarType to) { return simplest(arena_.cast(value, to)); }

  ExprId arg(ExprId id, std::size_t k) const { return arena_.args(id)[k]; }
  bool is(ExprId id, Op op) const { return arena_.is_apply(id, op); }
  bool is_constant(ExprId id) const { return arena_.constant_value(id) != nullptr; }
  /// An integer constant of this value; a float constant of these bits.
  bool is_integer_value(ExprId id, int64_t value) const;
  bool is_float_value(ExprId id, double value) const;
  /// Nothing is lost if it is not evaluated: no report can come of it.
  bool can_drop(ExprId id);

  const std::map<std::string_view, int>& fired() const { return fired_; }

 private:
  std::optional<ExprId> step(ExprId id);

  ExprArena& arena_;
  std::map<std::string_view, int> fired_;
  std::unordered_map<uint32_t, bool> droppable_;
};

}  // namespace cdsl::simplification
