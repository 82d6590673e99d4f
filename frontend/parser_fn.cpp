// Parser: heads of functions.
#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "dsl/types/scalar_type.h"
#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

constexpr std::string_view kGenericKinds[] = {"size", "float", "int", "number"};

}  // namespace

// fn = "fn" name ["<" generics ">"] "(" params ")" ["->" "(" outputs ")"] clauses block
ast::FnDecl Parser::fn_decl() {
  ast::FnDecl fn;
  take();
  fn.name = expect_name("a function");
  if (accept(Tok::Lt)) {
    do fn.generics.push_back(generic_param());
    while (accept(Tok::Comma));
    expect(Tok::Gt, "after the generic parameters");
  }
  if (kind() != Tok::LParen) fail_expected("'(' with the parameters");
  bracketed_or_skipped("the parameters", [&] { fn.params.push_back(param(false)); });
  if (accept(Tok::Arrow)) {
    if (kind() != Tok::LParen) fail_expected("'(': outputs are named, as in -> (y: f32[N])");
    if (kind(1) == Tok::RParen)
      error(Code::EmptyList, since(token().begin), "a function without outputs has no '->'");
    bracketed_or_skipped("the outputs", [&] { fn.outputs.push_back(param(true)); });
  }
  try {
    fn_clauses(fn);
  } catch (const SyntaxError&) {
    skip_to_body();
  }
  fn.body = block();
  return fn;
}

// After a mistake in the clauses: the next `{`, if it comes before the end of this function.
void Parser::skip_to_body() {
  while (kind() != Tok::LBrace) {
    if (given_up() || kind() == Tok::End || kind() == Tok::RBrace || kind() == Tok::Semicolon ||
        starts_item(at_))
      throw SyntaxError{};
    at_ = is_opener(kind()) && partner() != kNoToken ? partner() + 1 : at_ + 1;
  }
}

ast::GenericParam Parser::generic_param() {
  ast::GenericParam out;
  out.name = expect_name("a generic parameter");
  if (kind() != Tok::Colon)
    fail_expected(fmt::format("':' and a kind, as in '{0}: size' or '{0}: float'", out.name.text));
  take();
  std::string_view text = word();
  for (std::size_t i = 0; i < std::size(kGenericKinds); ++i) {
    if (kGenericKinds[i] != text) continue;
    out.kind = static_cast<ast::GenericKind>(i);
    take();
    return out;
  }
  error(Code::GenericKindUnknown, range(),
        fmt::format("{} is not a kind of generic parameter (size, float, int, number){}", found(),
                    did_you_mean(text, kGenericKinds)));
  if (kind() != Tok::Name) throw SyntaxError{};
  take();
  return out;
}

// Of two names in a row one is the type: where the second is, only the ':' is missing.
void Parser::fail_without_colon() {
  const std::string first(word()), second(word(1));
  if (scalar_type_named(second))
    fail(Code::ConfusingDeclaration, range(1), fmt::format("':' stands between a name and its type: '{}: {}'", first, second));
  fail(Code::ConfusingDeclaration, range(), fmt::format("the type stands after the name: '{}: {}'", second, first));
}

// param = ["inout"] name ":" type
ast::Param Parser::param(bool is_output) {
  ast::Param out;
  std::uint32_t begin = token().begin;
  if (is_word("inout") && kind(1) == Tok::Name) {
    if (is_output)
      error(Code::Expected, range(), "'inout' belongs to parameters; an output is written anyway")
          .fix(range(), "");
    out.is_inout = true;
    take();
  }
  if (kind() == Tok::Name && kind(1) == Tok::Name) fail_without_colon();
  out.name = expect_name(is_output ? "an output" : "a parameter");
  if (kind() != Tok::Colon)
    fail_expected(
        fmt::format("':' and the type of '{}', as in '{}: f32[N]'", out.name.text, out.name.text));
  take();
  out.type = type();
  out.range = since(begin);
  return out;
}

// clauses = {"where" fact {"," fact} | "precision" "(" name ")"}, each at most once
void Parser::fn_clauses(ast::FnDecl& fn) {
  bool has_where = false;
  for (;;) {
    SourceRange here = range();
    if (is_word("where")) {
      if (has_where) error(Code::DuplicateClause, here, "facts are listed after one 'where'");
      has_where = true;
      take();
      do fn.facts.push_back(fact());
      while (accept(Tok::Comma));
    } else if (is_word("precision") && kind(1) == Tok::LParen) {
      if (fn.precision) error(Code::DuplicateClause, here, "precision is given twice");
      take();
      std::uint32_t opener = at_;
      take();
      fn.precision = expect_name("a precision");
      expect_closer(opener);
    } else if (kind() == Tok::Name) {
      constexpr std::string_view clauses[] = {"where", "precision"};
      fail(Code::Expected, here,
           fmt::format("expected 'where', 'precision' or '{{', found {}{}", found(),
                       did_you_mean(word(), clauses)));
    } else {
      return;
    }
  }
}

// fact = ["require"] (expression | "aligned" "(" name "," expression ")" | "noalias" ["(" names
// ")"])
ast::Fact Parser::fact() {
  ast::Fact out;
  std::uint32_t begin = token().begin;
  Tok next = kind(1);
  bool begins_value = next == Tok::Name || next == Tok::Int || next == Tok::LParen ||
                      next == Tok::Bang || next == Tok::KwTrue || next == Tok::KwFalse;
  if (is_word("require") && begins_value) {
    out.is_required = true;
    take();
  }
  next = kind(1);
  bool is_noalias = is_word("noalias") && (next == Tok::LParen || next == Tok::Comma ||
                                           next == Tok::LBrace || next == Tok::Name);
  if (is_word("aligned") && next == Tok::LParen) {
    take();
    std::uint32_t opener = at_;
    take();
    ast::FactAligned aligned;
    aligned.tensor = expect_name("a tensor");
    expect(Tok::Comma, "and a number of bytes, as in aligned(A, 16)");
    aligned.bytes = expression();
    expect_closer(opener);
    out.node = std::move(aligned);
  } else if (is_noalias) {
    take();
    ast::FactNoAlias noalias;
    if (kind() == Tok::LParen)
      bracketed("the tensors", [&] { noalias.tensors.push_back(expect_name("a tensor")); });
    out.node = std::move(noalias);
  } else {
    out.node = ast::FactExpr{expression()};
  }
  out.range = since(begin);
  return out;
}

}  // namespace cdsl
