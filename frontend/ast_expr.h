// Expressions of the AST, held by an arena and named by 32-bit ids.
//
// The parser limits nesting (kMaxNesting in frontend/parser.h) but not the length of chains: a sum
// of 100,000 terms is a left-deep tree of that depth, and `else if` arms make a right-deep one.
// Never recurse over operands; use post_order below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dsl/support/check.h"
#include "dsl/support/source.h"

namespace cdsl::ast {

struct ExprId {
  std::uint32_t value = 0xFFFFFFFFu;
  constexpr bool valid() const { return value != 0xFFFFFFFFu; }
  friend constexpr bool operator==(ExprId, ExprId) = default;
};

struct Name {
  std::string text;
  SourceRange range;
};

// --- Operators -------------------------------------------------------------------------------

enum class UnaryOp : std::uint8_t { Neg, Not, BitNot };  // - ! ~

// In order of Go's precedence levels, weakest first.
enum class BinaryOp : std::uint8_t {
  Or,   // ||                        1
  And,  // &&                        2
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,  // == != < <= > >=           3, do not chain
  Add,
  Sub,
  BitOr,
  Xor,  // + - | ^                   4
  Mul,
  Div,
  Rem,
  Shl,
  Shr,
  BitAnd,  // * / % << >> &    5
};

const char* spelling(UnaryOp op);
const char* spelling(BinaryOp op);
int precedence(BinaryOp op);  // 1..5
inline bool is_comparison(BinaryOp op) {
  return op >= BinaryOp::Eq && op <= BinaryOp::Ge;
}

// --- Boundary modes, ranges and binders ------------------------------------------------------

enum class ModeKind : std::uint8_t {
  Zero,
  Fill,
  Clamp,
  Reflect,
  Symmetric,
  Wrap,
  Unchecked,
  Holes
};
const char* spelling(ModeKind kind);

struct Mode {
  ModeKind kind = ModeKind::Zero;
  ExprId argument;  // of Fill and Holes, else invalid
  SourceRange range;
};

// lo..hi, or lo..=hi where closed.
struct IndexRange {
  ExprId lo;
  ExprId hi;
  bool closed = false;
  SourceRange range;
};

// One index of a reduction or scatter, `k` or `k in a..b`.
struct Binder {
  Name index;
  std::optional<IndexRange> span;
};

// `k in a..b, l if c`: one guard for the whole list.
struct BinderList {
  std::vector<Binder> binders;
  ExprId guard;  // invalid where none is written
  SourceRange range;
};

// --- Nodes -----------------------------------------------------------------------------------

struct IntLiteral {
  std::string text;      // as written: 1_000, 0xFF, 0b101
  std::uint64_t hi = 0;  // the value, below 2^128
  std::uint64_t lo = 0;
};
struct FloatLiteral {
  std::string text;  // as written without '_', for exact rounding to any type
};
struct BoolLiteral {
  bool value = false;
};
// A tensor, size, index, let or parameter. `inf`, `nan` and `pi` are names as well: constants
// unless something of that name is in scope.
struct NameRef {
  std::string name;  // its place is the range of the node
};
struct Unary {
  UnaryOp op = UnaryOp::Neg;
  ExprId operand;
};
struct Binary {
  BinaryOp op = BinaryOp::Add;
  ExprId lhs;
  ExprId rhs;
  SourceRange op_range;
};
// if condition { then_value } else { else_value }
struct IfElse {
  ExprId condition;
  ExprId then_value;
  ExprId else_value;
};

// A positional argument (key is empty), a named one `P: 1`, or a generic one from `<T: bf16>`,
// whose value is then a NameRef to a type or a size expression. A type may also be passed as a
// named argument: f(x, T: bf16).
struct Argument {
  std::optional<Name> key;
  bool generic = false;
  ExprId value;
};
// name(...): a function, a cast, a `def`, a `fn`, or the constructor of a record. Which one it is
// depends on what the name means, so the parser does not say.
struct Call {
  Name callee;
  std::vector<Argument> arguments;
};
// op<accumulator>[binders](value). Every NAME[...](...) is parsed as this.
struct Reduction {
  Name op;
  std::optional<Name> accumulator;
  BinderList binders;
  ExprId value;
};
struct Tuple {
  std::vector<ExprId> parts;  // two or more
};
// [a, b, c]: constant arrays and array fields of a record that is constructed; nests for rank 2.
struct ArrayLiteral {
  std::vector<ExprId> elements;
};
struct Field {
  ExprId base;
  Name field;
};
struct TuplePart {
  ExprId base;
  std::uint32_t index = 0;
  SourceRange index_range;
};
struct Subscript {
  ExprId value;
  std::vector<Mode> modes;  // @clamp, @holes(S) @zero; none, one, or holes with another
};
// base[...], base.mode[...]. The mode of all axes is read only straight after a name, so in
// `p[i].clamp[0]` clamp is a field. `u.clmap[i]` is Index(Field(u, clmap)): where u is a tensor,
// the field is a misspelt mode.
struct Index {
  ExprId base;
  std::vector<Subscript> subscripts;  // may be empty: s[]
  std::optional<Mode> mode;
};
// base with (x: e, y: f); a key may not repeat
struct With {
  ExprId base;
  std::vector<Argument> fields;  // key is always set
};

using ExprNode = std::variant<IntLiteral, FloatLiteral, BoolLiteral, NameRef, Unary, Binary, IfElse,
                              Call, Reduction, Tuple, ArrayLiteral, Field, TuplePart, Index, With>;

struct Expr {
  SourceRange range;  // its tokens, without parentheses around all of it
  ExprNode node;
};

// Owns expressions. Ids stay good for ever; a reference only until the next add.
class ExprArena {
 public:
  ExprId add(SourceRange range, ExprNode node) {
    exprs_.push_back({range, std::move(node)});
    return {static_cast<std::uint32_t>(exprs_.size() - 1)};
  }
  const Expr& operator[](ExprId id) const {
    CDSL_CHECK(id.value < exprs_.size(), "expression id out of range");
    return exprs_[id.value];
  }
  Expr& operator[](ExprId id) {
    CDSL_CHECK(id.value < exprs_.size(), "expression id out of range");
    return exprs_[id.value];
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(exprs_.size()); }
  template <class T>
  const T* get_if(ExprId id) const {
    return std::get_if<T>(&(*this)[id].node);
  }

 private:
  std::vector<Expr> exprs_;
};

// --- Traversal -------------------------------------------------------------------------------

// The direct operands in source order, ranges and guards of binders and arguments of modes too.
void append_children(const Expr& expr, std::vector<ExprId>& out);

// Calls visit(id) for every expression under root, operands first, with a stack on the heap. An
// expression shared by two parents is visited once for each.
template <class Visit>
void post_order(const ExprArena& arena, ExprId root, Visit&& visit) {
  struct Frame {
    ExprId id;
    bool expanded;
  };
  std::vector<Frame> stack{{root, false}};
  std::vector<ExprId> children;
  while (!stack.empty()) {
    Frame frame = stack.back();
    if (frame.expanded) {
      stack.pop_back();
      visit(frame.id);
      continue;
    }
    stack.back().expanded = true;
    children.clear();
    append_children(arena[frame.id], children);
    for (auto it = children.rbegin(); it != children.rend(); ++it) stack.push_back({*it, false});
  }
}

}  // namespace cdsl::ast
