// Parser: schedule and expect.
#include <fmt/format.h>

#include "frontend/parser_impl.h"

namespace cdsl {

// schedule = "schedule" name ["for" name] "{" {line ";"} "}"
ast::ScheduleDecl Parser::schedule_decl() {
  ast::ScheduleDecl out;
  take();
  out.fn = expect_name("a function");
  if (accept_word("for")) out.arch = expect_name("an architecture");
  if (kind() != Tok::LBrace) fail_expected("'for' and an architecture, or '{'");
  lines([&] {
    std::uint32_t begin = token().begin;
    ast::ScheduleLine line = schedule_line();
    line.range = since(begin);
    out.lines.push_back(std::move(line));
    expect_semicolon("the directive");
  });
  return out;
}

// line = "sizes" name "in" "{" ints "}" | [name ":"] directive {"," directive}
ast::ScheduleLine Parser::schedule_line() {
  ast::ScheduleLine out;
  if (is_word("sizes") && kind(1) == Tok::Name) {
    out.node = sizes_line();
    return out;
  }
  ast::DirectiveLine line;
  if (kind() == Tok::Name && kind(1) == Tok::Colon) {
    line.target = take_name();
    take();
  }
  do line.directives.push_back(directive());
  while (accept(Tok::Comma));
  out.node = std::move(line);
  return out;
}

ast::SizesLine Parser::sizes_line() {
  ast::SizesLine out;
  take();
  out.size = expect_name("a size");
  expect(Tok::KwIn, "and typical values, as in 'sizes N in {1024, 4096}'");
  if (kind() != Tok::LBrace) fail_expected("'{' with typical values");
  std::uint32_t begin = token().begin;
  bracketed("the values", [&] { out.values.push_back(operators(1)); });
  if (out.values.empty()) error(Code::EmptyList, since(begin), "at least one size is needed here");
  return out;
}

// directive = name ["(" [argument {"," argument}] ")"]
ast::Directive Parser::directive() {
  ast::Directive out;
  std::uint32_t begin = token().begin;
  bool is_layout = is_word("layout") && kind(1) == Tok::LParen;
  out.name = expect_name("a directive");
  if (is_layout)
    out.layout = layout();
  else if (kind() == Tok::LParen)
    arguments(out.arguments);
  out.range = since(begin);
  return out;
}

// expect = "expect" name ["for" name] "{" {expectation ";"} "}"
ast::ExpectDecl Parser::expect_decl() {
  ast::ExpectDecl out;
  take();
  out.fn = expect_name("a function");
  if (accept_word("for")) out.arch = expect_name("an architecture");
  if (kind() != Tok::LBrace) fail_expected("'for' and an architecture, or '{'");
  lines([&] {
    out.lines.push_back(expectation());
    expect_semicolon("the expectation");
  });
  return out;
}

// expectation = name ["(" names ")"] comparison operators
ast::Expectation Parser::expectation() {
  ast::Expectation out;
  std::uint32_t begin = token().begin;
  out.metric = expect_name("a metric");
  if (kind() == Tok::LParen)
    bracketed("the tensors", [&] { out.arguments.push_back(expect_name("a tensor")); });
  if (kind() == Tok::Assign) {
    error(Code::AssignInExpression, range(), "'=' defines; to compare write '=='")
        .fix(range(), "==");
    throw SyntaxError{};
  }
  if (!binary_operator(out.op) || !ast::is_comparison(out.op))
    fail_expected("a comparison: == != < <= > >=");
  take();
  out.value = operators(ast::precedence(ast::BinaryOp::Add));
  out.range = since(begin);
  return out;
}

}  // namespace cdsl
