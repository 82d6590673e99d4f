// The syntax tree of a program: types, statements and top-level items, as written.
//
// Nothing is resolved here: names are text, a call may be a cast or a function, a left subscript
// may be a new index or an expression. Every node carries its range. One Program holds all files,
// those imported first, and one arena of expressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dsl/support/source.h"
#include "frontend/ast_expr.h"

namespace cdsl::ast {

// --- Types -----------------------------------------------------------------------------------

// One extent of a shape, `N + 1` or `1|M` (declared broadcasting: the extent may be 1).
struct Extent {
  ExprId value;
  bool may_be_one = false;
  SourceRange range;
};

enum class LayoutKind : std::uint8_t { Aos, Soa, Aosoa, Split, Auto };

// layout(aos) layout(soa) layout(aosoa(32)) layout(split({x, y}, {m})) layout(auto)
struct Layout {
  LayoutKind kind = LayoutKind::Aos;
  ExprId width;                           // of Aosoa
  std::vector<std::vector<Name>> groups;  // of Split
  SourceRange range;
};

// f32, T, Particle[N] layout(auto), f32[M, N] strided, f32[] (a device scalar)
struct TypeExpr {
  Name name;
  bool has_shape = false;  // brackets are written, perhaps empty
  std::vector<Extent> shape;
  std::optional<Layout> layout;
  bool strided = false;
  bool col_major = false;
  SourceRange range;
};

// --- Statements ------------------------------------------------------------------------------

// A subscript on a left side.
struct LeftExpr {  // `i`, `H-1`, `t+1`: a new index where it is an unbound name, else an expression
  ExprId value;
};
struct LeftRanged {  // `i in 1..H-1`: a new index
  Name index;
  IndexRange span;
};
struct LeftUnique {  // `unique(p[i])`: the user vouches that no element is written twice
  ExprId value;
};
struct LeftSubscript {
  SourceRange range;
  std::variant<LeftExpr, LeftRanged, LeftUnique> node;
};

// name, or name[...], with one trailing guard: `u[i in 0..N, j if c]`.
struct Target {
  Name name;
  bool has_subscripts = false;
  std::vector<LeftSubscript> subscripts;
  ExprId guard;  // invalid where none is written
  SourceRange range;
};

struct Stmt;
struct Block {
  std::vector<Stmt> statements;
  SourceRange range;
};

// target = value; or (t1, t2) = value; A value that is a Call of a `fn` is a call on whole tensors.
struct Definition {
  std::vector<Target> targets;
  bool is_tuple = false;
  ExprId value;
};
// let x = e; let (a, b) = e;
struct Let {
  std::vector<Name> names;
  bool is_tuple = false;
  ExprId value;
};
// tmp t: bf16[M, N];
struct Tmp {
  Name name;
  TypeExpr type;
};
struct StateInit {
  Target target;
  ExprId value;
};
// repeat index in span [from states] [until c] { body }
struct Repeat {
  Name index;
  IndexRange span;
  std::vector<StateInit> states;
  ExprId until;  // invalid where none is written
  Block body;
};
// along index in span [descending] { body }
struct Along {
  Name index;
  IndexRange span;
  bool descending = false;
  Block body;
};
enum class ScatterOp : std::uint8_t { Assign, Add, Mul, Min, Max, And, Or, Xor };
const char* spelling(ScatterOp op);  // "=", "+=", "min=", ...
// scatter [deterministic][binders] target op= value;
struct Scatter {
  bool deterministic = false;
  BinderList binders;
  Target target;
  ScatterOp op = ScatterOp::Add;
  SourceRange op_range;
  ExprId value;
};
// f(x); a call of a `fn` that has only `inout`s. The expression is always a Call.
struct CallStmt {
  ExprId call;
};

struct Stmt {
  SourceRange range;
  std::variant<Definition, Let, Tmp, Repeat, Along, Scatter, CallStmt> node;
};

// --- Items -----------------------------------------------------------------------------------

struct FieldDecl {
  Name name;
  TypeExpr type;
};
struct StructDecl {
  Name name;
  std::vector<FieldDecl> fields;
};

// Size: an integer given by name. The others are types: Float f16..f64 and f8, Int the integers,
// Number both and complex.
enum class GenericKind : std::uint8_t { Size, Float, Int, Number };
const char* spelling(GenericKind kind);
struct GenericParam {
  Name name;
  GenericKind kind = GenericKind::Size;
};

struct Param {
  bool is_inout = false;
  Name name;
  TypeExpr type;
  SourceRange range;
};

struct FactExpr {  // K % 8 == 0
  ExprId condition;
};
struct FactAligned {  // aligned(A, 16)
  Name tensor;
  ExprId bytes;
};
struct FactNoAlias {  // noalias, or noalias(A, B): empty means every tensor
  std::vector<Name> tensors;
};
struct Fact {
  bool is_required = false;  // `require F`
  SourceRange range;
  std::variant<FactExpr, FactAligned, FactNoAlias> node;
};

// fn name<generics>(params) -> (outputs) where facts precision(tf32) { body }
struct FnDecl {
  Name name;
  std::vector<GenericParam> generics;
  std::vector<Param> params;
  std::vector<Param> outputs;  // empty without `->`
  std::vector<Fact> facts;
  std::optional<Name> precision;  // the word in precision(...)
  Block body;
};

// def name(params) = body;
struct DefDecl {
  Name name;
  std::vector<Name> params;
  ExprId body;
};

// reducer name(a: (f32, f32), b) identity (0, 0) [commutative] = combine;
struct ReducerDecl {
  Name name;
  Name left;
  std::vector<TypeExpr> parts;  // one without parentheses, or those of the tuple
  bool is_tuple = false;
  Name right;
  ExprId identity;
  bool is_commutative = false;
  ExprId combine;
};

// const w: f32[3] = [1, 2, 1];
struct ConstDecl {
  Name name;
  TypeExpr type;
  ExprId value;
};

// import "lib.cdsl"
struct ImportDecl {
  std::string path;  // as written, escapes resolved
  SourceRange path_range;
  std::uint32_t file = kNoFile;  // the file it names, once loaded
};

// tile(m: 128, n: 256), stages(4), persistent, bind(j: thread.y), layout(soa). A value such as
// thread.y is a Field of a NameRef. For `layout` the argument is in `layout`, else in arguments.
struct Directive {
  Name name;
  std::vector<Argument> arguments;
  std::optional<Layout> layout;
  SourceRange range;
};
// C: tile(...), stages(4);   or, without a target, fuse(acc, C);
struct DirectiveLine {
  std::optional<Name> target;
  std::vector<Directive> directives;
};
// sizes N in {1024, 4096};
struct SizesLine {
  Name size;
  std::vector<ExprId> values;
};
struct ScheduleLine {
  SourceRange range;
  std::variant<DirectiveLine, SizesLine> node;
};
// schedule fn_name [for sm_90a] { lines }
struct ScheduleDecl {
  Name fn;
  std::optional<Name> arch;
  std::vector<ScheduleLine> lines;
};

// occupancy >= 0.12;  sectors(A) <= 4;
struct Expectation {
  Name metric;
  std::vector<Name> arguments;
  BinaryOp op = BinaryOp::Eq;  // a comparison
  ExprId value;
  SourceRange range;
};
// expect fn_name [for sm_90a] { lines }
struct ExpectDecl {
  Name fn;
  std::optional<Name> arch;
  std::vector<Expectation> lines;
};

struct Item {
  SourceRange range;
  std::variant<StructDecl, FnDecl, DefDecl, ReducerDecl, ConstDecl, ImportDecl, ScheduleDecl,
               ExpectDecl>
      node;
};

// All files of one compilation. Items of an imported file stand before those of its importer, each
// file once; item.range.file tells them apart.
struct Program {
  ExprArena exprs;
  std::vector<Item> items;
};

}  // namespace cdsl::ast
