// Scalar expressions: immutable nodes, hash-consed in an arena, named by 32-bit ids. Tensor IR and Loop IR share
// them: a `Read` (of a tensor, with subscripts) and a `Reduce` occur in Tensor IR only, a `Load` in Loop IR only.
//
// Guarantees: equal nodes have equal ids; a node's operands have smaller ids than the node, so that an ascending
// sweep over ids visits operands first; arenas are values (a copy keeps all ids).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "dsl/expr/ops.h"
#include "dsl/support/id.h"
#include "dsl/support/source.h"
#include "dsl/support/stable_vector.h"
#include "dsl/types/value.h"

namespace cdsl {

/// A named scalar: what it is decides who gives it its value.
enum class SymbolKind : uint8_t {
  Size,        // an extent, i64, known at launch
  Index,       // bound by a stage, a reduction or a loop
  Scalar,      // a by-value parameter of the function
  Local,       // Loop IR: a register variable
  Special      // Loop IR: threadIdx.x and its kind, see loop::Special
};

struct SymbolInfo {
  std::string name;
  SymbolKind kind;
  ScalarType type;
};

/// What happens when a subscript lies outside its axis.
enum class Boundary : uint8_t { None, Zero, Fill, Clamp, Reflect, Symmetric, Wrap, Unchecked };

/// How a subscript under Boundary::None is known to be inside (DESIGN, "Reads", steps 2 to 4).
enum class Bounds : uint8_t {
  Proved,       // for every legal size
  AtLaunch,     // a launch check of the function covers it
  PerElement    // tested for each element; outside, the read gives 0 and is reported
};

struct AxisRule {
  Boundary boundary = Boundary::None;
  Bounds bounds = Bounds::PerElement;
  ExprId fill;       // Boundary::Fill: the value read outside, of the read's type
  ExprId holes;      // i64; valid: element e/holes where holes divides e, else 0
  friend bool operator==(const AxisRule&, const AxisRule&) = default;
};

struct Constant {
  Value value;
  uint32_t name = 0;                                      // for the reader: ExprArena::constant_name(node); 0: none
};
struct Symbol { SymbolId symbol; };
struct Apply { Op op; };                                  // operands: args
struct Read {                                             // args: one subscript an axis of the tensor, then of the leaf
  TensorId tensor;
  uint32_t leaf = 0;
  uint32_t rules = 0;                                     // ExprArena::rules(node): one AxisRule a subscript
};
struct Reduce { ReductionId reduction; uint32_t part; };  // part of the reduction's result tuple
struct Load {                                             // args: element index, then flat index within an array leaf
  BufferId buffer;
  uint32_t leaf = 0;
};

using ExprNode = std::variant<Constant, Symbol, Apply, Read, Reduce, Load>;

/// An axis of an iteration domain: index runs over [lo, hi), empty when hi <= lo. Bounds may use earlier axes.
struct Axis {
  SymbolId index;
  ExprId lo, hi;
};

/// How a reduction combines: built in, or written by the user.
enum class Monoid : uint8_t { Sum, Prod, Min, Max, Any, All, Count, ArgMin, ArgMax, User };
std::string_view name_of(Monoid monoid);

/// One reduction over `axes` (outermost first) where `guard` holds. All parts have the accumulator types `types`.
///   Sum..All   one part; `lifted[0]` is the term.        Count  one part, i64; `lifted[0]` is a bool term.
///   ArgMin/Max two parts (value, i64 position): `lifted[0]` the value; the position is the index itself for one axis,
///              else the row-major flat index in the box of the axes, from 0. Empty: value identity, position -1.
///   User       `lifted` are the terms, `identity` and `combine` the rest; `left` and `right` are the Local symbols that
///              stand for the accumulators in `combine`. Order kept unless `commutative`.
struct Reduction {
  Monoid monoid = Monoid::Sum;
  std::vector<Axis> axes;
  ExprId guard;                       // invalid: always
  std::vector<ScalarType> types;
  std::vector<ExprId> lifted;
  std::vector<ExprId> identity;       // User
  std::vector<ExprId> combine;        // User
  std::vector<SymbolId> left, right;  // User
  bool commutative = true;
  std::string name;                   // User: the reducer's name
  SourceRange where;
};

/// References and spans that it hands out stay good while expressions are added.
class ExprArena {
 public:
  // Symbols
  SymbolId add_symbol(std::string name, SymbolKind kind, ScalarType type = ScalarType::I64);
  const SymbolInfo& symbol(SymbolId id) const { return symbols_[id.index()]; }
  std::size_t symbol_count() const { return symbols_.size(); }

  // Leaves
  /// `name`: what emitted code calls it; the value is what it would be without.
  ExprId constant(ScalarType type, Value value, std::string_view name = {});
  ExprId integer(int64_t value, ScalarType type = ScalarType::I64);
  ExprId boolean(bool value);
  ExprId real(double value, ScalarType type);
  ExprId symbol_ref(SymbolId id);

  // Inner nodes. `apply` computes the result type; it does not simplify.
  ExprId apply(Op op, std::span<const ExprId> args);
  ExprId apply(Op op, std::initializer_list<ExprId> args) { return apply(op, std::span(args.begin(), args.size())); }
  ExprId cast(ExprId value, ScalarType to);      // the value itself when it has that type
  ExprId read(TensorId tensor, uint32_t leaf, ScalarType type, std::span<const ExprId> subscripts,
              std::span<const AxisRule> rules, SourceRange where = {});
  ReductionId add_reduction(Reduction reduction);
  ExprId reduce(ReductionId reduction, uint32_t part = 0);
  ExprId load(BufferId buffer, uint32_t leaf, ScalarType type, ExprId index, ExprId within = {},
              SourceRange where = {});

  // Looking at nodes
  std::size_t size() const { return nodes_.size(); }
  const ExprNode& node(ExprId id) const { return nodes_[id.index()].node; }
  ScalarType type(ExprId id) const { return nodes_[id.index()].type; }
  std::span<const ExprId> args(ExprId id) const;
  /// The source text that a read or load came from; empty range for other nodes. The first writer wins on sharing.
  SourceRange where(ExprId id) const;
  std::span<const AxisRule> rules(ExprId read) const;
  const Reduction& reduction(ReductionId id) const { return reductions_[id.index()]; }
  std::size_t reduction_count() const { return reductions_.size(); }

  template <class Node>
  const Node* get_if(ExprId id) const { return std::get_if<Node>(&node(id)); }
  bool is_apply(ExprId id, Op op) const;
  /// The value of a Constant node.
  const Value* constant_value(ExprId id) const;
  /// "" where it has none.
  const std::string& constant_name(ExprId id) const;

 private:
  struct Stored {
    ExprNode node;
    ScalarType type;
    StableRuns<ExprId>::Run args;
    SourceRange where;
  };
  ExprId intern(ExprNode node, ScalarType type, std::span<const ExprId> args, SourceRange where = {});
  bool same(const Stored& stored, const ExprNode& node, ScalarType type, std::span<const ExprId> args) const;

  StableVector<Stored> nodes_;
  StableRuns<ExprId> args_;
  StableVector<std::string, 16> constant_names_;                     // numbered from 1
  StableVector<SymbolInfo, 64> symbols_;
  StableVector<Reduction, 8> reductions_;
  StableVector<std::vector<AxisRule>, 16> rules_;
  std::unordered_map<uint32_t, uint32_t> rule_runs_;                 // hash of a run of rules -> its number in rules_
  std::unordered_multimap<uint64_t, ExprId> consed_;
};

}  // namespace cdsl
