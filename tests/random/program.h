// A generated program as a small tree that prints as .cdsl text and that the shrinker takes apart.
//
// Guarantees: print() gives what a reader would write: parentheses only where precedence asks for them, generic sizes only where
// no argument determines a size, and nothing that is not used.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dsl/types/scalar_type.h"

namespace cdsl::random {

/// Evaluation type of an expression; `is_index`: an index value, which is an i64 that converts.
struct Type {
  ScalarType scalar = ScalarType::F32;
  bool is_index = false;
  bool operator==(const Type&) const = default;
};

/// How strongly an expression binds, as docs/language.md 6.1 numbers it.
enum Level : int { kConditional = 0, kOr, kAnd, kCompare, kAdd, kMultiply, kUnary, kPostfix };

/// An expression or the head of a statement: pieces[0] kids[0] pieces[1] kids[1] ... pieces[n].
/// An access is name, then subscripts in brackets, then what follows: pieces = {name, suffix}.
struct Node {
  bool is_access = false;
  bool is_value = true;   // false: a subscript with its mode, a binder list, a target: no expression by itself
  Type type;
  int level = kPostfix;
  std::vector<std::string> pieces;
  std::vector<Node> kids;
  std::vector<int> needs;  // the least level that each kid may have without parentheses

  std::string text() const;
  int count() const;  // nodes
};

inline const Type kBool{ScalarType::Bool}, kIndex{ScalarType::I64, true}, kF32{ScalarType::F32}, kI32{ScalarType::I32};

Node leaf(std::string text, Type type, int level = kPostfix);
/// The value of an index.
Node at(const std::string& index);
/// Text that is no expression by itself: a binder list, a left side, the head of a block.
Node words(std::string text);
/// Kids may be anything (level 0); see `needs` for operators.
Node composed(Type type, int level, std::vector<std::string> pieces, std::vector<Node> kids, std::vector<int> needs = {});
Node binary(Type type, int level, const std::string& op, Node left, Node right);
/// op[binders](body)
Node reduce(Type type, const std::string& op, std::string binders, Node body);
Node call(Type type, const std::string& function, std::vector<Node> arguments);
Node access(Type type, std::string name, std::vector<Node> subscripts, std::string suffix = "");

struct Statement {
  Node head;                         // "y[i] = ...", or the head of a block without its brace
  std::vector<std::string> defines;  // names that it gives values to
  bool is_block = false;
  std::vector<Statement> body;
};

/// (a * size + b) / d, or b where size < 0.
struct Extent {
  int size = -1;
  int64_t a = 1, b = 0, d = 1;
  bool operator==(const Extent&) const = default;
};

/// A leaf of a record: "tag.id" where records nest.
struct Field {
  std::string name;
  ScalarType type = ScalarType::F32;
  int extent = 0;  // of an array field; 0: a scalar
};

/// What a struct declares: a leaf, or a record of its own.
struct Member {
  Field leaf;                   // its name without the names above it
  std::string structure;        // of a record; else empty
  std::vector<Member> members;
};

struct Tensor {
  std::string name;
  std::string element;  // "f32", or the name of a struct
  ScalarType type = ScalarType::F32;
  std::vector<Field> fields;    // of the struct: its leaves
  std::vector<Member> members;  // of the struct, as it declares them
  std::vector<Extent> shape;
  std::vector<bool> may_be_one;
  std::string suffix;  // " layout(soa)"
  bool is_scalar = false;  // by value
};

/// const, def, reducer, struct or a helper fn.
struct Item {
  std::string name;
  std::string text;
};

struct Size {
  std::string name;
  int64_t value = 1;
};

/// A line of `schedule f` or `expect f`; it goes with the tensors that it is about.
struct Line {
  std::string text;  // "y0: tile(i: 64)"
  std::vector<std::string> tensors;
};

struct Program {
  std::vector<Size> sizes;
  std::vector<Item> items;
  std::vector<Tensor> inputs, inouts, outputs;
  std::vector<std::string> facts;
  std::vector<Line> schedule, expect;
  std::vector<Statement> body;
  std::set<std::string> constructs;  // what it was made of, for the coverage table

  std::string print() const;
  std::string extent_text(const Extent& extent) const;
  int64_t extent_value(const Extent& extent) const;
  /// Values of the sizes that occur.
  std::map<std::string, int64_t> size_values() const;
  int count() const;  // nodes of the body
};

/// Whether `word` stands in `text` as a whole name.
bool mentions(const std::string& text, const std::string& word);

}  // namespace cdsl::random
