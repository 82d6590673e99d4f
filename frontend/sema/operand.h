// What an expression of the source means while it is being analyzed: a scalar of the IR, an untyped
// constant, or something that is taken apart before it reaches the IR (tuple, record, array,
// tensor).
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dsl/expr/expr.h"
#include "frontend/sema/module.h"
#include "frontend/sema/untyped.h"

namespace cdsl::sema {

struct TensorSymbol;
struct Operand;

// Index values (docs/language.md 6.2) are i64 and take the type of a float that they meet. Size:
// made of sizes and literals alone, so that / and % round down. Count: bare `count`, `argmin`,
// `argmax`.
enum class Nature : std::uint8_t { Ordinary, Size, Index, Count };

struct Scalar {
  ExprId expr;  // of an evaluation type
  Nature nature = Nature::Ordinary;
  ExprId stored;                     // the same value in a storage type, where it is exactly that
  bool is_read = false;              // a bare read of a tensor
  std::vector<ReductionId> counted;  // Count: whose extents bound it
};

// Parts of a user reducer, or (value, position) of argmin and argmax, which alone mean the
// position.
struct TupleValue {
  std::vector<Operand> parts;
  bool is_arg = false;
};

struct RecordValue {
  const StructInfo* type = nullptr;
  std::vector<Operand> fields;
};

struct ArrayValue {
  std::vector<std::int64_t> extents;
  std::vector<Operand> elements;  // row-major
};

// An element, record field or array field in memory, read when a scalar is needed.
struct Place {
  TensorId tensor;
  std::vector<ExprId> subscripts;
  std::vector<AxisRule> rules;
  ElementType type;
  std::uint32_t leaf = 0;
  SourceRange where;
  // Of records: the record outside each axis under `fill`, Poison where the axis has none; else empty.
  std::vector<Operand> fills;
};

struct WholeTensor {
  TensorSymbol* tensor = nullptr;
};

// After an error; whatever is made of it is silent.
struct Poison {};

struct Operand {
  using Node = std::variant<Poison, Scalar, UntypedId, std::shared_ptr<const TupleValue>,
                            std::shared_ptr<const RecordValue>, std::shared_ptr<const ArrayValue>,
                            std::shared_ptr<const Place>, WholeTensor>;
  Node node;

  Operand() = default;
  Operand(Scalar scalar) : node(std::move(scalar)) {}  // NOLINT: conversions are the point
  Operand(UntypedId untyped) : node(untyped) {}        // NOLINT
  Operand(WholeTensor tensor) : node(tensor) {}        // NOLINT
  Operand(TupleValue tuple) : node(std::make_shared<const TupleValue>(std::move(tuple))) {}
  Operand(RecordValue record) : node(std::make_shared<const RecordValue>(std::move(record))) {}
  Operand(ArrayValue array) : node(std::make_shared<const ArrayValue>(std::move(array))) {}
  Operand(Place place) : node(std::make_shared<const Place>(std::move(place))) {}

  bool is_poison() const { return std::holds_alternative<Poison>(node); }
  const Scalar* scalar() const { return std::get_if<Scalar>(&node); }
  const UntypedId* untyped() const { return std::get_if<UntypedId>(&node); }
  template <class T>
  const T* get() const {
    const auto* held = std::get_if<std::shared_ptr<const T>>(&node);
    return held != nullptr ? held->get() : nullptr;
  }
};

inline Operand ordinary(ExprId expr) {
  return Scalar{expr, Nature::Ordinary, {}, false, {}};
}
inline Operand with_nature(ExprId expr, Nature nature) {
  return Scalar{expr, nature, {}, false, {}};
}

}  // namespace cdsl::sema
