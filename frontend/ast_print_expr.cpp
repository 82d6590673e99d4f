// Printing of expressions, with a stack of pending pieces instead of recursion.
#include <utility>
#include <vector>

#include "frontend/ast_printer.h"

namespace cdsl::ast {
namespace {

// How tightly the place of an expression binds; what binds less gets parentheses.
constexpr int kAnything = 0;  // `if` may stand here
constexpr int kOperand = 1;   // 1..5 are the levels of binary operators
constexpr int kSign = 6;
constexpr int kPostfix = 7;

// Text, or an expression still to be printed.
struct Piece {
  std::string text;
  ExprId expr;
  int least = kAnything;
};

int binding(const Expr& expr) {
  if (std::holds_alternative<IfElse>(expr.node)) return kAnything;
  if (const auto* binary = std::get_if<Binary>(&expr.node)) return precedence(binary->op);
  if (std::holds_alternative<Unary>(expr.node)) return kSign;
  return kPostfix;
}

// The pieces of one node, left to right.
class Pieces {
 public:
  std::vector<Piece> list;

  void text(std::string text) { list.push_back({std::move(text), {}, 0}); }
  void expr(ExprId id, int least = kAnything) { list.push_back({{}, id, least}); }

  void operator()(const IntLiteral& e) { text(e.text); }
  void operator()(const FloatLiteral& e) { text(e.text); }
  void operator()(const BoolLiteral& e) { text(e.value ? "true" : "false"); }
  void operator()(const NameRef& e) { text(e.name); }
  void operator()(const Unary& e) {
    text(spelling(e.op));
    expr(e.operand, kSign);
  }
  void operator()(const Binary& e) {
    int level = precedence(e.op);
    expr(e.lhs, is_comparison(e.op) ? level + 1 : level);
    text(std::string(" ") + spelling(e.op) + " ");
    expr(e.rhs, level + 1);
  }
  void operator()(const IfElse& e) {
    text("if ");
    expr(e.condition);
    text(" { ");
    expr(e.then_value);
    text(" } else ");
    otherwise_ = e.else_value;
  }
  void operator()(const Call& e) {
    text(e.callee.text);
    std::size_t generics = 0;
    while (generics < e.arguments.size() && e.arguments[generics].generic) ++generics;
    if (generics > 0) arguments("<", e.arguments, 0, generics, ">", precedence(BinaryOp::Add));
    arguments("(", e.arguments, generics, e.arguments.size(), ")", kAnything);
  }
  void operator()(const Reduction& e) {
    text(e.op.text);
    if (e.accumulator) text("<" + e.accumulator->text + ">");
    binders(e.binders);
    text("(");
    expr(e.value);
    text(")");
  }
  void operator()(const Tuple& e) { list_of("(", e.parts, ")"); }
  void operator()(const ArrayLiteral& e) { list_of("[", e.elements, "]"); }
  void operator()(const Field& e) {
    expr(e.base, kPostfix);
    text("." + e.field.text);
  }
  void operator()(const TuplePart& e) {
    expr(e.base, kPostfix);
    text("." + std::to_string(e.index));
  }
  void operator()(const Index& e) {
    expr(e.base, kPostfix);
    if (e.mode) mode(".", *e.mode);
    text("[");
    for (std::size_t i = 0; i < e.subscripts.size(); ++i) {
      if (i > 0) text(", ");
      expr(e.subscripts[i].value);
      for (const Mode& each : e.subscripts[i].modes) mode(" @", each);
    }
    text("]");
  }
  void operator()(const With& e) {
    expr(e.base, kPostfix);
    arguments(" with (", e.fields, 0, e.fields.size(), ")", kAnything);
  }

  ExprId otherwise() const { return otherwise_; }

 private:
  void mode(const char* before, const Mode& mode) {
    text(std::string(before) + spelling(mode.kind));
    if (!mode.argument.valid()) return;
    text("(");
    expr(mode.argument);
    text(")");
  }
  void list_of(const char* open, const std::vector<ExprId>& parts, const char* close) {
    text(open);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) text(", ");
      expr(parts[i]);
    }
    text(close);
  }
  void arguments(const char* open, const std::vector<Argument>& all, std::size_t begin,
                 std::size_t end, const char* close, int least) {
    text(open);
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) text(", ");
      if (all[i].key) text(all[i].key->text + ": ");
      expr(all[i].value, least);
    }
    text(close);
  }
  void binders(const BinderList& binders) {
    text("[");
    for (std::size_t i = 0; i < binders.binders.size(); ++i) {
      const Binder& binder = binders.binders[i];
      text((i > 0 ? ", " : "") + binder.index.text);
      if (!binder.span) continue;
      text(" in ");
      expr(binder.span->lo, kOperand);
      text(binder.span->closed ? "..=" : "..");
      expr(binder.span->hi, kOperand);
    }
    if (binders.guard.valid()) {
      text(" if ");
      expr(binders.guard);
    }
    text("]");
  }

  ExprId otherwise_;  // the last branch of an IfElse: `else if` when that is one, too
};

}  // namespace

std::string print(const ExprArena& exprs, ExprId root) {
  std::string out;
  std::vector<Piece> pending{{{}, root, kAnything}};
  while (!pending.empty()) {
    Piece piece = std::move(pending.back());
    pending.pop_back();
    if (!piece.expr.valid()) {
      out += piece.text;
      continue;
    }
    const Expr& expr = exprs[piece.expr];
    Pieces pieces;
    bool parentheses = binding(expr) < piece.least;
    if (parentheses) pieces.text("(");
    std::visit(pieces, expr.node);
    if (ExprId last = pieces.otherwise(); last.valid()) {
      bool chain = exprs.get_if<IfElse>(last) != nullptr;
      if (!chain) pieces.text("{ ");
      pieces.expr(last);
      if (!chain) pieces.text(" }");
    }
    if (parentheses) pieces.text(")");
    for (auto it = pieces.list.rbegin(); it != pieces.list.rend(); ++it)
      pending.push_back(std::move(*it));
  }
  return out;
}

}  // namespace cdsl::ast
