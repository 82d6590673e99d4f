#include "frontend/ir_reader/expr_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/ir_reader/typing.h"

namespace cdsl::ir_reader {
namespace {

constexpr int kMaxDepth = 1500;
constexpr int kComparison = 3;  // level of the comparisons, which do not chain

struct Infix {
  Tok token;
  Op op;
  int level;
};

// The levels of dsl/expr/print.cpp.
constexpr Infix kInfix[] = {
    {Tok::PipePipe, Op::LogicalOr, 1},
    {Tok::AmpAmp, Op::LogicalAnd, 2},
    {Tok::EqEq, Op::Eq, 3},
    {Tok::NotEq, Op::Ne, 3},
    {Tok::Lt, Op::Lt, 3},
    {Tok::Le, Op::Le, 3},
    {Tok::Gt, Op::Gt, 3},
    {Tok::Ge, Op::Ge, 3},
    {Tok::Plus, Op::Add, 4},
    {Tok::Minus, Op::Sub, 4},
    {Tok::Pipe, Op::Or, 4},
    {Tok::Caret, Op::Xor, 4},
    {Tok::Star, Op::Mul, 5},
    {Tok::Slash, Op::Div, 5},
    {Tok::Percent, Op::Rem, 5},
    {Tok::Shl, Op::Shl, 5},
    {Tok::Shr, Op::Shr, 5},
    {Tok::Amp, Op::And, 5},
};

const Infix* infix(Tok token) {
  const auto* found = std::find_if(std::begin(kInfix), std::end(kInfix),
                                   [&](const Infix& i) { return i.token == token; });
  return found == std::end(kInfix) ? nullptr : found;
}

}  // namespace

ExprId ExprReader::expr(int least) {
  const Nested nested(c_, depth_, kMaxDepth);
  return binary(least);
}

ExprId ExprReader::expr_of(ScalarType type, int least) {
  const SourceRange begin = c_.here();
  const ExprId value = expr(least);
  if (arena_.type(value) != type) {
    c_.fail(c_.since(begin), fmt::format("expected a value of type {}, this is {}", name_of(type),
                                         name_of(arena_.type(value))));
  }
  return value;
}

std::vector<ExprId> ExprReader::list(Tok closer) {
  std::vector<ExprId> values;
  while (!c_.at(closer) && !c_.at(Tok::Semicolon)) {
    if (!values.empty()) c_.expect(Tok::Comma);
    values.push_back(expr());
  }
  return values;
}

// Precedence climbing: a chain of one level is a loop here, so that long sums need no stack.
ExprId ExprReader::binary(int least) {
  const SourceRange begin = c_.here();
  ExprId left = unary();
  int compared = kComparison + 100;  // no level yet
  while (const Infix* op = infix(c_.kind())) {
    if (op->level < least) break;
    if (op->level == kComparison && compared == kComparison) c_.fail("comparisons do not chain");
    c_.advance();
    const ExprId right = expr(op->level + 1);
    left = apply(op->op, {left, right}, c_.since(begin));
    compared = op->level;
  }
  return left;
}

ExprId ExprReader::unary() {
  const SourceRange begin = c_.here();
  if (c_.at(Tok::Minus) && at_number(1)) {
    c_.advance();
    return postfix(bare_number(true), begin);
  }
  const Op op = c_.at(Tok::Minus) ? Op::Neg : c_.at(Tok::Tilde) ? Op::BitNot : Op::LogicalNot;
  if (c_.accept(Tok::Minus) || c_.accept(Tok::Tilde) || c_.accept(Tok::Bang)) {
    const Nested nested(c_, depth_, kMaxDepth);
    return apply(op, {unary()}, c_.since(begin));
  }
  const ExprId value = primary();
  return postfix(value, begin);
}

ExprId ExprReader::postfix(ExprId value, SourceRange begin) {
  while (c_.at(Tok::Dot) && (c_.at_word("re", 1) || c_.at_word("im", 1))) {
    c_.advance();
    const Op op = c_.at_word("re") ? Op::Real : Op::Imag;
    c_.advance();
    value = apply(op, {value}, c_.since(begin));
  }
  return value;
}

ExprId ExprReader::primary() {
  switch (c_.kind()) {
    case Tok::Int:
    case Tok::Float: return bare_number(false);
    case Tok::KwTrue:
    case Tok::KwFalse: {
      const bool value = c_.at(Tok::KwTrue);
      c_.advance();
      return arena_.boolean(value);
    }
    case Tok::Percent: {
      const SourceRange begin = c_.here();
      const std::int64_t label = label_number();
      const auto found = labels_.find(label);
      if (found == labels_.end())
        c_.fail(c_.since(begin), fmt::format("%{} is not defined for this statement", label));
      return found->second;
    }
    case Tok::LParen: {
      c_.advance();
      const ExprId value = c_.at(Tok::KwIf) ? conditional() : expr();
      c_.expect(Tok::RParen);
      return value;
    }
    case Tok::Name: return named();
    default: c_.fail_expected("an expression");
  }
}

ExprId ExprReader::named() {
  const SourceRange begin = c_.here();
  const bool is_call = c_.kind(1) == Tok::LParen;
  if (!is_call && (c_.at_word("inf") || c_.at_word("nan"))) return bare_number(false);
  if (!is_call) return names_.primary(*this);
  if (const auto type = scalar_type_named(c_.text())) return cast(*type);
  if (c_.at_word("cplx")) return complex(begin);
  const auto op = function_named(c_.text());
  if (!op || *op == Op::Select || *op == Op::Real || *op == Op::Imag) return names_.primary(*this);
  return function(*op);
}

ExprId ExprReader::conditional() {
  const SourceRange begin = c_.here();
  c_.expect(Tok::KwIf);
  const ExprId condition = expr_of(ScalarType::Bool);
  c_.expect(Tok::LBrace);
  const ExprId yes = expr();
  c_.expect(Tok::RBrace);
  c_.expect(Tok::KwElse);
  c_.expect(Tok::LBrace);
  const ExprId no = expr();
  c_.expect(Tok::RBrace);
  return apply(Op::Select, {condition, yes, no}, c_.since(begin));
}

ExprId ExprReader::cast(ScalarType to) {
  const SourceRange begin = c_.here();
  c_.advance();
  c_.expect(Tok::LParen);
  if (const auto constant = typed_constant(to)) return *constant;
  const ExprId value = expr();
  c_.expect(Tok::RParen);
  if (!can_cast(arena_.type(value), to)) {
    c_.fail(c_.since(begin),
            fmt::format("no cast leads from {} to {}", name_of(arena_.type(value)), name_of(to)));
  }
  return arena_.cast(value, to);
}

ExprId ExprReader::function(Op op) {
  const SourceRange begin = c_.here();
  c_.advance();
  c_.expect(Tok::LParen);
  const std::vector<ExprId> args = list(Tok::RParen);
  c_.expect(Tok::RParen);
  return apply(op, args, c_.since(begin));
}

// Of two constants a constant, unless one of them stands in parentheses.
ExprId ExprReader::complex(SourceRange begin) {
  c_.advance();
  c_.expect(Tok::LParen);
  bool plain = !c_.at(Tok::LParen);
  const ExprId re = expr();
  c_.expect(Tok::Comma);
  plain &= !c_.at(Tok::LParen);
  const ExprId im = expr();
  c_.expect(Tok::RParen);
  const ExprId made = apply(Op::MakeComplex, {re, im}, c_.since(begin));
  const Value* re_value = arena_.constant_value(re);
  const Value* im_value = arena_.constant_value(im);
  if (!plain || re_value == nullptr || im_value == nullptr) return made;
  return arena_.constant(arena_.type(made), Value::of_complex(re_value->re, im_value->re));
}

std::int64_t ExprReader::label_number() {
  c_.expect(Tok::Percent);
  return c_.integer();
}

ExprId ExprReader::apply(Op op, const std::vector<ExprId>& args, SourceRange where) {
  std::vector<ScalarType> types;
  for (ExprId arg : args) types.push_back(arena_.type(arg));
  const std::string problem = operand_problem(op, types);
  if (!problem.empty()) c_.fail(where, problem);
  return arena_.apply(op, args);
}

}  // namespace cdsl::ir_reader
