// Untyped values: literals and constant expressions of them, exact until they meet a type.
//
// An untyped value is a tree: exact constants at its leaves (integers of 512 bits, floats of 113
// bits of precision), sizes and indices that stood next to an untyped float, `if`s whose arms are
// untyped, and operations that wait for the type (`sqrt(2.0)`, `1.0 / N`). Trees are ids into this
// table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dsl/expr/expr.h"

namespace cdsl::sema {

struct UntypedId {
  std::uint32_t value = 0xFFFFFFFFu;
};

class UntypedTable {
 public:
  explicit UntypedTable(ExprArena& arena);
  ~UntypedTable();

  UntypedId integer(std::uint64_t hi, std::uint64_t lo);
  UntypedId real(std::string_view decimal);  // "1.5e-3"
  UntypedId pi();
  UntypedId infinity();
  UntypedId nan();
  // An i64 expression over sizes and indices that takes the type the whole tree takes.
  UntypedId flexible(ExprId value);

  // Exact where both are constants. nullopt: the operator does not take such values (a bit
  // operation on a float), or the result exceeds 512 bits.
  std::optional<UntypedId> unary(Op op, UntypedId a);
  std::optional<UntypedId> binary(Op op, UntypedId a, UntypedId b);
  // nullopt where one is no constant.
  std::optional<bool> compare(Op op, UntypedId a, UntypedId b) const;
  UntypedId select(ExprId condition, UntypedId then_value, UntypedId else_value);
  // A function of floats, computed in the type that the result takes.
  UntypedId function(Op op, std::span<const UntypedId> args);
  // A sum, product, minimum or maximum; types and lifted term of `reduction` are filled in later.
  UntypedId reduction(Reduction reduction, UntypedId term);

  bool is_float(UntypedId id) const;
  bool is_constant(UntypedId id) const;
  bool is_zero(UntypedId id) const;
  std::optional<std::int64_t> integer_value(
      UntypedId id) const;  // of an integer constant that fits
  // Does `a` divide by `b` with a remainder (two integer constants)?
  bool divides_inexactly(UntypedId a, UntypedId b) const;
  std::optional<double> constant_value(UntypedId id) const;  // nearest double of a constant

  // i32, i64 or f32; nullopt for integers that fit none.
  std::optional<ScalarType> default_type(UntypedId id) const;
  // The value in `type`, which may be a storage type; nullopt where some leaf does not fit it.
  std::optional<ExprId> as(UntypedId id, ScalarType type);
  // For messages: the value of a constant, else "a constant expression".
  std::string text(UntypedId id) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cdsl::sema
