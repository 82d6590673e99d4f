// Proofs about integer expressions: is a subscript always inside, or surely outside? Affine parts with floordiv and floormod
// by constants are decided exactly (isl stands behind it); what is not affine is unknown.
#pragma once

#include <memory>
#include <vector>

#include "dsl/expr/expr.h"

namespace cdsl {

enum class Verdict : uint8_t { Proved, Refuted, Unknown };

/// The set of points at which something happens: axes in scope, and conditions that hold there.
struct Context {
  std::vector<Axis> axes;
  std::vector<ExprId> conditions;     // bool; non-affine conjuncts are dropped (which only loses proofs)
};

/// A set of tensor elements: the values of `subscripts` over the points of `where`.
struct Image {
  Context where;
  std::vector<ExprId> subscripts;
};

class Prover {
 public:
  /// `facts`: bool expressions over sizes that hold for every legal launch (every size is >= 0 besides).
  Prover(const ExprArena& arena, std::vector<ExprId> facts);
  ~Prover();
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;

  void add_fact(ExprId fact);

  /// Proved: 0 <= subscript < extent at every point of the context, for all sizes. Refuted: for all sizes with a non-empty
  /// context, at some point it lies outside (and such sizes exist). Unknown otherwise.
  Verdict inside(const Context& context, ExprId subscript, ExprId extent);

  /// Proved: `condition` holds at every point; Refuted: at no point of a non-empty context; Unknown otherwise.
  Verdict holds(const Context& context, ExprId condition);

  /// Whether a == b for all sizes (Proved), for none (Refuted), or that depends (Unknown).
  Verdict equal(ExprId a, ExprId b);

  /// Do two sets of elements never meet? Indices in `common` mean the same in both; all others vary freely in each.
  /// Refuted: for all sizes with points in both, some element is in both.
  Verdict disjoint(const Image& a, const Image& b, const std::vector<SymbolId>& common = {});

  /// Do the sets together hold every element of [0, extent) on each axis? Refuted: for all sizes with any element, one is missing.
  Verdict cover(const std::vector<Image>& images, const std::vector<ExprId>& extents);

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace cdsl
