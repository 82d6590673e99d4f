// Parser: operators and conditionals. Chains of any length take constant stack.
#include <fmt/format.h>

#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

struct BinaryToken {
  Tok token;
  ast::BinaryOp op;
};

constexpr BinaryToken kBinary[] = {
    {Tok::PipePipe, ast::BinaryOp::Or}, {Tok::AmpAmp, ast::BinaryOp::And},
    {Tok::EqEq, ast::BinaryOp::Eq},     {Tok::NotEq, ast::BinaryOp::Ne},
    {Tok::Lt, ast::BinaryOp::Lt},       {Tok::Le, ast::BinaryOp::Le},
    {Tok::Gt, ast::BinaryOp::Gt},       {Tok::Ge, ast::BinaryOp::Ge},
    {Tok::Plus, ast::BinaryOp::Add},    {Tok::Minus, ast::BinaryOp::Sub},
    {Tok::Pipe, ast::BinaryOp::BitOr},  {Tok::Caret, ast::BinaryOp::Xor},
    {Tok::Star, ast::BinaryOp::Mul},    {Tok::Slash, ast::BinaryOp::Div},
    {Tok::Percent, ast::BinaryOp::Rem}, {Tok::Shl, ast::BinaryOp::Shl},
    {Tok::Shr, ast::BinaryOp::Shr},     {Tok::Amp, ast::BinaryOp::BitAnd},
};

}  // namespace

ast::ExprId Parser::add(SourceRange where, ast::ExprNode node) {
  if (exprs_.size() >= max_expressions_) {
    fatal_ = true;
    fail(Code::ProgramTooLarge, where,
         fmt::format("more than {} expressions in one program", max_expressions_));
  }
  return exprs_.add(where, std::move(node));
}

// expression = "if" ... | operators
ast::ExprId Parser::expression() {
  if (kind() != Tok::KwIf) return operators(1);
  std::uint32_t begin = token().begin;
  ast::ExprId value = if_expression();
  ast::BinaryOp op;
  if (!binary_operator(op)) return value;
  SourceRange whole = since(begin);
  error(Code::IfNeedsParentheses, whole, "'if' before an operator needs parentheses")
      .fix(whole.start(), "(")
      .fix(whole.finish(), ")");
  return operators(1, value);
}

// if = "if" expression branch {"else" "if" expression branch} "else" branch
ast::ExprId Parser::if_expression() {
  Nesting level(*this);
  struct Arm {
    std::uint32_t begin;
    ast::ExprId condition;
    ast::ExprId value;
  };
  std::vector<Arm> arms;
  ast::ExprId value;
  for (;;) {
    Arm arm;
    arm.begin = token().begin;
    take();
    arm.condition = expression();
    if (kind() == Tok::Assign) {
      error(Code::AssignInExpression, range(), "'=' defines; to compare write '=='")
          .fix(range(), "==");
      SourceRange sign = range();
      take();
      ast::ExprId rhs = operators(1);
      SourceRange both = cover(exprs_[arm.condition].range, exprs_[rhs].range);
      arm.condition = add(both, ast::Binary{ast::BinaryOp::Eq, arm.condition, rhs, sign});
    }
    arm.value = branch();
    arms.push_back(arm);
    if (kind() != Tok::KwElse)
      fail(Code::MissingElse, since(arm.begin),
           "'if' is an expression and needs an 'else { ... }'");
    take();
    if (kind() == Tok::KwIf) continue;
    value = branch();
    break;
  }
  for (auto arm = arms.rbegin(); arm != arms.rend(); ++arm)
    value = add(since(arm->begin), ast::IfElse{arm->condition, arm->value, value});
  return value;
}

// branch = "{" expression "}"
ast::ExprId Parser::branch() {
  std::uint32_t opener = at_;
  if (kind() != Tok::LBrace) fail_expected("'{' with the value of the branch");
  take();
  ast::ExprId value = expression();
  if (kind() == Tok::Semicolon)
    fail(Code::Expected, range(), "a branch is one expression, without ';'");
  expect_closer(opener);
  return value;
}

bool Parser::binary_operator(ast::BinaryOp& op) {
  for (BinaryToken entry : kBinary) {
    if (entry.token != kind()) continue;
    op = entry.op;
    return true;
  }
  if (kind() == Tok::StarStar) {
    fail(Code::UnknownOperator, range(), "there is no '**'; powers are pow(a, b), squares a * a");
  }
  if (kind() == Tok::Question)
    fail(Code::UnknownOperator, range(), "there is no '?:'; write if c { a } else { b }");
  if ((is_word("and") || is_word("or")) && kind(1) != Tok::Assign) {
    std::string_view ours = is_word("and") ? "&&" : "||";
    error(Code::UnknownOperator, range(), fmt::format("there is no '{}'; write '{}'", word(), ours))
        .fix(range(), std::string(ours));
    throw SyntaxError{};
  }
  return false;
}

// Operator precedence with explicit stacks: what binds at least as tightly as the next operator is
// combined before it.
ast::ExprId Parser::operators(int least, ast::ExprId first) {
  struct Pending {
    ast::BinaryOp op;
    SourceRange range;
  };
  std::vector<Operand> values{first.valid() ? Operand{first, exprs_[first].range}
                                            : ranged_operand()};
  std::vector<Pending> pending;
  auto combine = [&] {
    Operand rhs = values.back();
    values.pop_back();
    values.back() = binary(values.back(), rhs, pending.back().op, pending.back().range);
    pending.pop_back();
  };
  ast::BinaryOp op;
  while (binary_operator(op) && ast::precedence(op) >= least) {
    while (!pending.empty() && ast::precedence(pending.back().op) >= ast::precedence(op)) combine();
    pending.push_back({op, range()});
    take();
    values.push_back(ranged_operand());
  }
  while (!pending.empty()) combine();
  return values.back().value;
}

// A binary node; comparing the result of a comparison is repaired into `a < b && b < c`.
Parser::Operand Parser::binary(Operand lhs, Operand rhs, ast::BinaryOp op, SourceRange op_range) {
  SourceRange whole = cover(lhs.range, rhs.range);
  bool compares = ast::is_comparison(op);
  if (!compares || !lhs.comparison.valid()) {
    ast::ExprId value = add(whole, ast::Binary{op, lhs.value, rhs.value, op_range});
    return {value, whole, compares ? value : ast::ExprId{}};
  }
  ast::ExprId middle = std::get<ast::Binary>(exprs_[lhs.comparison].node).rhs;
  SourceRange between = exprs_[middle].range;
  if (!lhs.is_chain)
    error(Code::ChainedComparison, op_range, "comparisons do not chain; join two of them with '&&'")
        .fix(lhs.range.finish(), fmt::format(" && {}", sources_.text(between)));
  ast::ExprId second = add(cover(between, rhs.range), ast::Binary{op, middle, rhs.value, op_range});
  ast::ExprId both = add(whole, ast::Binary{ast::BinaryOp::And, lhs.value, second, op_range});
  return {both, whole, second, true};
}

Parser::Operand Parser::ranged_operand() {
  std::uint32_t begin = token().begin;
  ast::ExprId value = operand();
  return {value, since(begin)};
}

// operand = {"-" | "!" | "~"} postfix
ast::ExprId Parser::operand() {
  if (kind() == Tok::KwIf) {
    std::uint32_t begin = token().begin;
    ast::ExprId value = if_expression();
    SourceRange whole = since(begin);
    error(Code::IfNeedsParentheses, whole, "'if' inside an operator needs parentheses")
        .fix(whole.start(), "(")
        .fix(whole.finish(), ")");
    return value;
  }
  ast::UnaryOp op = ast::UnaryOp::Neg;
  switch (kind()) {
    case Tok::Minus: break;
    case Tok::Bang: op = ast::UnaryOp::Not; break;
    case Tok::Tilde: op = ast::UnaryOp::BitNot; break;
    case Tok::Plus:
      error(Code::UnknownOperator, range(), "there is no sign '+'").fix(range(), "");
      throw SyntaxError{};
    default: return postfix();
  }
  Nesting level(*this);
  std::uint32_t begin = token().begin;
  take();
  ast::ExprId inner = operand();
  return add(since(begin), ast::Unary{op, inner});
}

}  // namespace cdsl
