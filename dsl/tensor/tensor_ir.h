// Tensor IR: what to compute. A function owns its expressions, tensors and one block of statements that run in order.
// docs/ir.md specifies each node and invariant; `verify` (tensor/verify.h) checks them after every pass.
//
// Everything that a reader of the source must look up is resolved here: ranges of all indices, types (explicit casts),
// records as leaves, `let`s and `def`s expanded, calls inlined, how each read is known to be inside its tensor.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dsl/expr/expr.h"
#include "dsl/schedule/directives.h"
#include "dsl/support/id.h"
#include "dsl/support/source.h"
#include "dsl/types/record.h"

namespace cdsl::tir {

enum class Role : uint8_t {
  Input,        // read only
  InOut,        // a parameter that keeps or changes
  Output,       // allocated by the caller, undefined at entry
  Temporary     // an intermediate, a `tmp`, a state or a snapshot: workspace
};

enum class Order : uint8_t { RowMajor, ColMajor, Strided };

struct Tensor {
  std::string name;
  RecordId element;
  std::vector<ExprId> shape;          // i64 over sizes
  std::vector<bool> may_be_one;       // axis declared `1|M`: the actual extent is 1 or shape[axis]
  Role role = Role::Temporary;
  Layout layout;
  Order order = Order::RowMajor;
  bool declared = false;              // named in the source with a type; false: the evaluation type was inferred
  bool is_constant = false;           // a `const` array; its elements are `constants`, row-major
  std::vector<Value> constants;
  SourceRange where;
};

/// Where the iterations of a statement run: the box of `axes` (outermost first, later bounds may use earlier indices)
/// restricted to `guard` (a bool expression; invalid: everywhere).
struct Domain {
  std::vector<Axis> axes;
  ExprId guard;
};

/// One store: tensor.leaf[subscripts] = value, of the leaf's type. Subscripts count as the read's do (tensor axes, then
/// the leaf's own). `bounds` says how they are known to be inside; PerElement: outside nothing is written, and it is reported.
struct Target {
  TensorId tensor;
  uint32_t leaf = 0;
  std::vector<ExprId> subscripts;
  ExprId value;
  Bounds bounds = Bounds::Proved;
  SourceRange where;
};

/// For every point of the domain, each target's element becomes its value. All values (and subscripts) are computed from
/// the memory before the statement; no two points write one element (checked, or promised by `unique`).
struct Stage {
  Domain domain;
  std::vector<Target> targets;
  SourceRange where;
};

enum class ScatterOp : uint8_t { Add, Mul, Min, Max, And, Or, Xor };
/// What a scatter makes of the old value and an update.
Op operator_of(ScatterOp op);

/// target.leaf[subscripts] op= value for every point; the value reads the memory before the statement. Out-of-range updates
/// are dropped and reported.
struct Scatter {
  Domain domain;
  ScatterOp op = ScatterOp::Add;
  Target target;
  bool deterministic = false;
  SourceRange where;
};

struct Block;

/// `body` once for each value of `index` in [lo, hi), ascending unless `descending`, until `until` (tested after a step,
/// on the memory then) holds. Along: the program states that it walks a tensor's axis; the meaning is the same.
struct Loop {
  enum class Kind : uint8_t { Repeat, Along };
  Kind kind = Kind::Repeat;
  SymbolId index;
  ExprId lo, hi;
  bool descending = false;
  ExprId until;                        // invalid: none
  std::vector<TensorId> states;        // Repeat: in source order
  std::unique_ptr<Block> body;
  SourceRange where;
};

using Statement = std::variant<Stage, Scatter, Loop>;

struct Block {
  std::vector<Statement> statements;
};

/// A size and where its value comes from at launch: `extent == scale * size + offset` of a parameter's axis, or the caller.
struct Size {
  SymbolId symbol;
  bool is_parameter = false;           // passed by name
  TensorId tensor;                     // else: derived from this parameter's extent
  uint32_t axis = 0;
  int64_t scale = 1, offset = 0;
  std::optional<int64_t> known;        // given at compile time (-DN=4096)
};

struct ScalarParameter {
  SymbolId symbol;                     // SymbolKind::Scalar, of its evaluation type
  ScalarType declared;                 // f16 is passed as 2 bytes, evaluated in f32
  SourceRange where;
};

/// A parameter in the order of the source: inputs and inouts (tensors or by-value scalars), then outputs.
struct Parameter {
  std::variant<TensorId, uint32_t> what;   // tensor, or index into Function::scalars
};

/// What must hold at launch: a bool expression over sizes and scalars.
struct Check {
  ExprId condition;
  std::string message;                 // "x has N = {0} but y has M = {1}"; {k} is the value of operands[k]
  std::vector<ExprId> operands;
  SourceRange where;
};

/// A `where` fact: true, decisions may rely on it; false, the general variant runs (`required`: a launch error instead).
struct Fact {
  enum class Kind : uint8_t { Condition, Aligned, NoAlias };
  Kind kind = Kind::Condition;
  ExprId condition;                    // Condition
  TensorId tensor;                     // Aligned
  int64_t bytes = 0;
  std::vector<TensorId> tensors;       // NoAlias: no two of them overlap; empty: of all parameters
  bool required = false;
  SourceRange where;
};

struct Function {
  std::string name;
  ExprArena arena;
  std::vector<RecordType> records;
  std::vector<Tensor> tensors;
  std::vector<Size> sizes;
  std::vector<ScalarParameter> scalars;
  std::vector<Parameter> parameters;
  std::vector<Check> checks;
  std::vector<Fact> facts;
  Block body;
  bool tf32 = false;                   // precision(tf32)
  std::vector<Directive> directives;   // from `schedule`, unresolved names already checked
  std::vector<Expectation> expectations;
  std::string source;                  // the function as the user wrote it, for the opening comment
  SourceRange where;

  const Tensor& tensor(TensorId id) const { return tensors[id.index()]; }
  Tensor& tensor(TensorId id) { return tensors[id.index()]; }
  const RecordType& element(TensorId id) const { return records[tensor(id).element.index()]; }
  const Leaf& leaf(TensorId id, uint32_t leaf) const { return element(id).leaves[leaf]; }
  TensorId find_tensor(std::string_view name) const;
};

}  // namespace cdsl::tir
