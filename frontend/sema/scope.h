// Names of values and what they mean: scopes that nest, one namespace, and the symbols of tensors
// and `let`s. Sizes, indices and parameters are operands by name.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "dsl/tensor/tensor_ir.h"
#include "frontend/ast.h"
#include "frontend/sema/operand.h"

namespace cdsl::sema {

// One `=` of a tensor that is defined once: which elements, over the axes of the statement and of
// the loops around it that lie inside the tensor's own scope.
struct DefinedPart {
  std::vector<Axis> loops;
  std::vector<Axis> axes;
  std::vector<ExprId> subscripts;
  std::vector<ExprId> conditions;
  bool is_vouched = false;  // unique(...): which elements is not known
  SourceRange where;
};

// An untyped `=` of an intermediate whose type is still open: the value as stored for now, and what
// it was written as.
struct UntypedPart {
  ExprId value;
  UntypedId untyped;
  SourceRange at;         // of the value
  SourceRange statement;  // of the definition
};

// A point after which a tensor holds other values: the statement at `index` of `block` writes it.
struct Overwrite {
  std::uint32_t time = 0;
  tir::Block* block = nullptr;
  std::size_t index = 0;
  TensorId snapshot;  // a copy of the values before, once a `let` needed it
};

enum class TensorKind : std::uint8_t { Input, InOut, Output, Tmp, Intermediate, Constant };

struct TensorSymbol {
  TensorId id;
  std::string name;
  TensorKind kind = TensorKind::Intermediate;
  ElementType element;
  std::vector<ExprId> lo, hi;  // the box of an intermediate that does not start at 0; else empty
  bool is_open = false;        // all definitions so far are untyped (frontend/sema/open_type.h)
  std::vector<UntypedPart> untyped_parts;
  SourceRange settled_at;      // the read that ended it
  bool is_state = false;       // carried by the loop around, may be overwritten
  bool was_state = false;      // carried by a loop that has ended
  bool is_called = false;      // defined by a call of a `fn`
  bool is_poisoned = false;    // its definition had an error
  bool is_defined = false;
  bool is_used = false;
  bool is_scattered = false;
  bool is_assigned = false;  // scattered with `=`
  tir::ScatterOp scatter_op = tir::ScatterOp::Add;
  TensorId accumulator;  // the f32 tensor behind a scattered 16-bit one
  std::vector<DefinedPart> parts;
  std::vector<Overwrite> overwrites;
  std::size_t loop_depth = 0;  // of its declaration
  tir::Block* home = nullptr;  // the block of its declaration
  SourceRange where;

  bool is_overwritable() const { return is_state || kind == TensorKind::InOut; }
};

struct LetSymbol {
  std::string name;
  ast::ExprId value;
  int part = -1;            // of a tuple
  std::uint32_t time = 0;   // writes after it are not seen
  std::uint32_t order = 0;  // entities declared later are captured only if they are indices
  bool is_used = false;
  SourceRange where;
};

struct IndexName {
  SymbolId symbol;
};

struct Entity {
  std::variant<Operand, IndexName, TensorSymbol*, LetSymbol*> what;
  SourceRange where;
  std::uint32_t order = 0;
};

class Scopes {
 public:
  void enter() { frames_.push_back({}); }
  void leave();
  // Nothing outside is visible until the matching leave (a `fn` or `def` that is expanded).
  void enter_alone();

  const Entity* find(std::string_view name) const;
  std::size_t depth() const { return frames_.size(); }
  // Of the scope that holds what `find` finds.
  std::size_t depth_of(std::string_view name) const { return bindings_.find(name)->second.back().depth; }
  void declare(const std::string& name, Entity entity);
  std::uint32_t next_order() const { return order_; }
  std::vector<std::string_view> visible_names() const;

 private:
  struct Frame {
    std::vector<std::string> names;
    bool is_alone = false;
    std::size_t outer_floor = 0;
  };
  struct Binding {
    std::size_t depth;
    Entity entity;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::vector<Frame> frames_;
  std::size_t floor_ = 0;
  std::uint32_t order_ = 0;
  std::unordered_map<std::string, std::vector<Binding>, Hash, std::equal_to<>> bindings_;
};

}  // namespace cdsl::sema
