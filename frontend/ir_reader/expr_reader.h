// Expressions of IR text into an arena. Both IRs write them alike; what a name means is the
// business of `Names`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/expr/expr.h"
#include "frontend/ir_reader/cursor.h"

namespace cdsl::ir_reader {

class ExprReader;

/// What names stand for: symbols and memory in both IRs, reductions in Tensor IR.
class Names {
 public:
  virtual ~Names() = default;
  /// The cursor stands at a name that is no constant, cast or operator. Takes it and what belongs
  /// to it.
  virtual ExprId primary(ExprReader& reader) = 0;
};

class ExprReader {
 public:
  ExprReader(Cursor& cursor, ExprArena& arena, Names& names)
      : c_(cursor), arena_(arena), names_(names) {}

  Cursor& cursor() { return c_; }
  ExprArena& arena() { return arena_; }

  /// An expression whose operators bind at least as tightly as level `least` (0: any).
  ExprId expr(int least = 0);
  /// The same, of the given type or else an error.
  ExprId expr_of(ScalarType type, int least = 0);
  /// Comma separated, up to a closing bracket or a semicolon, which is left alone.
  std::vector<ExprId> list(Tok closer);
  /// A constant as the printers write values whose type is known from context: "-3", "0.1", "inf",
  /// "cplx(1.0, 2.0)".
  Value literal(ScalarType type);

  /// `%3` stands for a part of the expressions of the statement at hand.
  std::int64_t label_number();
  void define(std::int64_t label, ExprId value) { labels_[label] = value; }
  void forget_labels() { labels_.clear(); }

  /// The node of an operator on checked operands.
  ExprId apply(Op op, const std::vector<ExprId>& args, SourceRange where);

 private:
  ExprId binary(int least);
  ExprId unary();
  ExprId postfix(ExprId value, SourceRange begin);
  ExprId primary();
  ExprId named();
  ExprId conditional();
  ExprId cast(ScalarType to);
  ExprId function(Op op);
  ExprId complex(SourceRange begin);
  ExprId bare_number(bool negative);
  std::optional<ExprId> typed_constant(ScalarType to);
  double real_literal(ScalarType type, bool negative);
  bool at_number(std::size_t ahead) const;

  Cursor& c_;
  ExprArena& arena_;
  Names& names_;
  std::map<std::int64_t, ExprId> labels_;
  int depth_ = 0;
};

}  // namespace cdsl::ir_reader
