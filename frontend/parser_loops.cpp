// Parser: repeat, along, scatter, and the ranges and binders that reductions share with them.
#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "frontend/parser_impl.h"

namespace cdsl {

// repeat = "repeat" name "in" range ["from" state {"," state}] ["until" expression] block
ast::Repeat Parser::repeat_statement() {
  ast::Repeat out;
  take();
  out.index = expect_name("an index");
  expect(Tok::KwIn, "and a range, as in 'repeat t in 0..n'");
  out.span = index_range();
  if (accept_word("from")) {
    do out.states.push_back(state_init());
    while (accept(Tok::Comma));
  }
  if (accept_word("until")) out.until = expression();
  expect_loop_body("repeat");
  out.body = block();
  return out;
}

// along = "along" name "in" range ["descending"] block
ast::Along Parser::along_statement() {
  ast::Along out;
  take();
  out.index = expect_name("an index");
  expect(Tok::KwIn, "and a range, as in 'along i in 0..N'");
  out.span = index_range();
  out.descending = accept_word("descending");
  expect_loop_body("along");
  out.body = block();
  return out;
}

ast::StateInit Parser::state_init() {
  ast::StateInit out;
  out.target = target();
  if (kind() != Tok::Assign) fail_expected("'=' and the start of the state");
  take();
  out.value = expression();
  return out;
}

void Parser::expect_loop_body(std::string_view loop) {
  if (kind() == Tok::LBrace) return;
  if (kind() == Tok::KwIf)
    fail(Code::Expected, range(), fmt::format("the range of '{}' takes no 'if'", loop));
  constexpr std::string_view repeat_words[] = {"from", "until"};
  constexpr std::string_view along_words[] = {"descending"};
  bool is_repeat = loop == "repeat";
  std::string near =
      is_repeat ? did_you_mean(word(), repeat_words) : did_you_mean(word(), along_words);
  fail(Code::Expected, range(),
       fmt::format("expected {} or '{{', found {}{}",
                   is_repeat ? "'from', 'until'" : "'descending'", found(), near));
}

// range = operators (".." | "..=") operators
ast::IndexRange Parser::index_range() {
  ast::IndexRange out;
  std::uint32_t begin = token().begin;
  out.lo = operators(1);
  if (kind() != Tok::DotDot && kind() != Tok::DotDotEq) {
    SourceRange whole = since(begin);
    error(Code::Expected, whole, "a range has two bounds, as in 0..N").fix(whole.start(), "0..");
    throw SyntaxError{};
  }
  out.closed = take().kind == Tok::DotDotEq;
  out.hi = operators(1);
  out.range = since(begin);
  return out;
}

// The `if` at the end of a list of indices.
ast::ExprId Parser::list_guard() {
  take();
  ast::ExprId condition = expression();
  if (kind() == Tok::Comma)
    fail(Code::Expected, range(), "the 'if' of a list of indices stands at its end");
  return condition;
}

// binders = "[" name ["in" range] {"," name ["in" range]} ["if" expression] "]"
ast::BinderList Parser::binder_list() {
  ast::BinderList out;
  std::uint32_t begin = token().begin;
  if (kind() != Tok::LBracket) fail_expected("'[' with the indices");
  bracketed("the indices", [&] {
    ast::Binder binder;
    binder.index = expect_name("an index");
    if (accept(Tok::KwIn)) binder.span = index_range();
    out.binders.push_back(std::move(binder));
    if (kind() == Tok::KwIf) out.guard = list_guard();
  });
  out.range = since(begin);
  if (out.binders.empty()) error(Code::EmptyList, out.range, "at least one index is needed here");
  return out;
}

// scatter = "scatter" ["deterministic"] binders target op expression ";"
ast::Scatter Parser::scatter_statement() {
  ast::Scatter out;
  take();
  out.deterministic = accept_word("deterministic");
  out.binders = binder_list();
  out.target = target();
  std::uint32_t begin = token().begin;
  out.op = scatter_op();
  out.op_range = since(begin);
  out.value = expression();
  expect_semicolon("the value");
  return out;
}

ast::ScatterOp Parser::scatter_op() {
  using ast::ScatterOp;
  bool named = (is_word("min") || is_word("max")) && kind(1) == Tok::Assign;
  if (named) {
    ScatterOp op = is_word("min") ? ScatterOp::Min : ScatterOp::Max;
    take();
    take();
    return op;
  }
  switch (kind()) {
    case Tok::Assign: take(); return ScatterOp::Assign;
    case Tok::PlusEq: take(); return ScatterOp::Add;
    case Tok::StarEq: take(); return ScatterOp::Mul;
    case Tok::AmpEq: take(); return ScatterOp::And;
    case Tok::PipeEq: take(); return ScatterOp::Or;
    case Tok::CaretEq: take(); return ScatterOp::Xor;
    default: break;
  }
  if (kind() == Tok::Dot)
    fail(Code::FieldAssignment, range(), "a scatter combines whole elements, not one field");
  fail(Code::BadScatterOperator, range(),
       fmt::format("expected one of += *= min= max= &= |= ^= =, found {}", found()));
}

}  // namespace cdsl
