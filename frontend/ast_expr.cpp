#include "frontend/ast_expr.h"

namespace cdsl::ast {
namespace {

void append_range(const IndexRange& span, std::vector<ExprId>& out) {
  out.push_back(span.lo);
  out.push_back(span.hi);
}

void append_mode(const Mode& mode, std::vector<ExprId>& out) {
  if (mode.argument.valid()) out.push_back(mode.argument);
}

// One overload for each node; a node without one does not compile.
struct Children {
  std::vector<ExprId>& out;

  void operator()(const IntLiteral&) const {}
  void operator()(const FloatLiteral&) const {}
  void operator()(const BoolLiteral&) const {}
  void operator()(const NameRef&) const {}
  void operator()(const Unary& e) const { out.push_back(e.operand); }
  void operator()(const Binary& e) const { out.insert(out.end(), {e.lhs, e.rhs}); }
  void operator()(const IfElse& e) const {
    out.insert(out.end(), {e.condition, e.then_value, e.else_value});
  }
  void operator()(const Call& e) const {
    for (const Argument& argument : e.arguments) out.push_back(argument.value);
  }
  void operator()(const Reduction& e) const {
    for (const Binder& binder : e.binders.binders)
      if (binder.span) append_range(*binder.span, out);
    if (e.binders.guard.valid()) out.push_back(e.binders.guard);
    out.push_back(e.value);
  }
  void operator()(const Tuple& e) const { out.insert(out.end(), e.parts.begin(), e.parts.end()); }
  void operator()(const ArrayLiteral& e) const {
    out.insert(out.end(), e.elements.begin(), e.elements.end());
  }
  void operator()(const Field& e) const { out.push_back(e.base); }
  void operator()(const TuplePart& e) const { out.push_back(e.base); }
  void operator()(const Index& e) const {
    out.push_back(e.base);
    if (e.mode) append_mode(*e.mode, out);
    for (const Subscript& subscript : e.subscripts) {
      out.push_back(subscript.value);
      for (const Mode& mode : subscript.modes) append_mode(mode, out);
    }
  }
  void operator()(const With& e) const {
    out.push_back(e.base);
    for (const Argument& field : e.fields) out.push_back(field.value);
  }
};

}  // namespace

void append_children(const Expr& expr, std::vector<ExprId>& out) {
  std::visit(Children{out}, expr.node);
}

const char* spelling(UnaryOp op) {
  constexpr const char* text[] = {"-", "!", "~"};
  return text[static_cast<int>(op)];
}

const char* spelling(BinaryOp op) {
  constexpr const char* text[] = {"||", "&&", "==", "!=", "<", "<=", ">",  ">=", "+",
                                  "-",  "|",  "^",  "*",  "/", "%",  "<<", ">>", "&"};
  return text[static_cast<int>(op)];
}

int precedence(BinaryOp op) {
  if (op == BinaryOp::Or) return 1;
  if (op == BinaryOp::And) return 2;
  if (op <= BinaryOp::Ge) return 3;
  if (op <= BinaryOp::Xor) return 4;
  return 5;
}

const char* spelling(ModeKind kind) {
  constexpr const char* text[] = {"zero",      "fill", "clamp",     "reflect",
                                  "symmetric", "wrap", "unchecked", "holes"};
  return text[static_cast<int>(kind)];
}

}  // namespace cdsl::ast
