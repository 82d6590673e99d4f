// Parser: the items of a file other than functions and schedules.
#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

constexpr std::string_view kItems[] = {"fn",      "def",    "struct",   "const",
                                       "reducer", "import", "schedule", "expect"};

// What other languages say.
constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
    {"func", "fn"},         {"function", "fn"},    {"kernel", "fn"},     {"proc", "fn"},
    {"fun", "fn"},          {"void", "fn"},        {"__global__", "fn"}, {"class", "struct"},
    {"record", "struct"},   {"include", "import"}, {"use", "import"},    {"using", "import"},
    {"constexpr", "const"}, {"define", "def"},     {"macro", "def"},
};

}  // namespace

std::vector<ast::Item> Parser::items() {
  std::vector<ast::Item> out;
  while (kind() != Tok::End && !given_up()) {
    std::uint32_t start = at_;
    try {
      out.push_back(item());
    } catch (const SyntaxError&) {
      skip_item(start);
    }
    if (at_ == start) take();
  }
  return out;
}

ast::Item Parser::item() {
  std::uint32_t begin = token().begin;
  ast::Item out;
  bool named = kind(1) != Tok::LBracket && kind(1) != Tok::Assign;
  if (kind() == Tok::KwFn)
    out.node = fn_decl();
  else if (named && is_word("struct"))
    out.node = struct_decl();
  else if (named && is_word("def"))
    out.node = def_decl();
  else if (named && is_word("reducer"))
    out.node = reducer_decl();
  else if (named && is_word("const"))
    out.node = const_decl();
  else if (named && is_word("import"))
    out.node = import_decl();
  else if (named && is_word("schedule"))
    out.node = schedule_decl();
  else if (named && is_word("expect"))
    out.node = expect_decl();
  else
    confused_item();
  out.range = since(begin);
  return out;
}

void Parser::confused_item() {
  if (kind() == Tok::RBrace) fail(Code::UnbalancedBracket, range(), "'}' closes nothing");
  if (kind() == Tok::Semicolon) {
    error(Code::ExpectedItem, range(), "no ';' after a declaration in braces").fix(range(), "");
    throw SyntaxError{};
  }
  std::string_view text = word();
  for (auto [foreign, ours] : kForeign) {
    if (text != foreign) continue;
    error(Code::ExpectedItem, range(),
          fmt::format("no declaration starts with '{}', use '{}'", text, ours))
        .fix(range(), std::string(ours));
    throw SyntaxError{};
  }
  bool statement = kind() == Tok::KwLet ||
                   (kind() == Tok::Name && (kind(1) == Tok::LBracket || kind(1) == Tok::Assign));
  if (statement)
    fail(Code::ExpectedItem, range(), "a statement stands inside the braces of a 'fn'");
  if (std::optional<std::string> near = nearest(text, kItems)) {
    error(Code::ExpectedItem, range(),
          fmt::format("no declaration starts with '{}', did you mean '{}'?", text, *near))
        .fix(range(), *near);
    throw SyntaxError{};
  }
  fail(Code::ExpectedItem, range(),
       fmt::format("expected fn, def, struct, const, reducer, import, schedule or expect, found {}",
                   found()));
}

// struct = "struct" name "{" {name ":" type ";"} "}"
ast::StructDecl Parser::struct_decl() {
  ast::StructDecl out;
  take();
  out.name = expect_name("a struct");
  if (kind() != Tok::LBrace) fail_expected("'{' with the fields");
  lines([&] {
    ast::FieldDecl field;
    if (kind() == Tok::Name && kind(1) == Tok::Name) fail_without_colon();
    field.name = expect_name("a field");
    expect(Tok::Colon, "and the type of the field");
    field.type = type();
    if (kind() == Tok::Comma) {
      error(Code::Expected, range(), "fields end with ';'").fix(range(), ";");
      take();
    } else {
      expect_semicolon("the field");
    }
    out.fields.push_back(std::move(field));
  });
  accept(Tok::Semicolon);
  return out;
}

// def = "def" name "(" [name {"," name}] ")" "=" expression ";"
ast::DefDecl Parser::def_decl() {
  ast::DefDecl out;
  take();
  out.name = expect_name("a def");
  if (kind() != Tok::LParen) fail_expected("'(' with the parameters");
  bracketed("the parameters", [&] {
    out.params.push_back(expect_name("a parameter"));
    if (kind() == Tok::Colon)
      fail(Code::ConfusingDeclaration, range(),
           "parameters of a 'def' have no types: it is generic");
  });
  if (kind() == Tok::LBrace)
    fail(Code::Expected, range(), "the body of a 'def' is an expression: = e;");
  expect(Tok::Assign, "and an expression");
  out.body = expression();
  expect_semicolon("the def");
  return out;
}

// reducer = "reducer" name "(" name ":" types "," name ")" "identity" expression ["commutative"]
//           "=" expression ";"    types = type | "(" type {"," type} ")"
ast::ReducerDecl Parser::reducer_decl() {
  ast::ReducerDecl out;
  take();
  out.name = expect_name("a reducer");
  std::uint32_t opener = at_;
  expect(Tok::LParen, "with two accumulators, as in (a: (f32, f32), b)");
  out.left = expect_name("an accumulator");
  expect(Tok::Colon, "and the type of the accumulators");
  if (kind() == Tok::LParen) {
    out.is_tuple = true;
    bracketed("the types", [&] { out.parts.push_back(type()); });
    if (out.parts.empty())
      fail(Code::EmptyList, last_range(), "an accumulator has at least one part");
  } else {
    out.parts.push_back(type());
  }
  expect(Tok::Comma, "and the second accumulator");
  out.right = expect_name("an accumulator");
  if (accept(Tok::Colon)) {
    error(Code::ConfusingDeclaration, last_range(),
          "the second accumulator has the type of the first");
    throw SyntaxError{};
  }
  expect_closer(opener);
  if (!accept_word("identity")) fail_expected("'identity' and the value of an empty reduction");
  out.identity = expression();
  out.is_commutative = accept_word("commutative");
  expect(Tok::Assign, "and the combination of both accumulators");
  out.combine = expression();
  expect_semicolon("the reducer");
  return out;
}

// const = "const" name ":" type "=" expression ";"
ast::ConstDecl Parser::const_decl() {
  ast::ConstDecl out;
  take();
  out.name = expect_name("a constant");
  if (kind() != Tok::Colon)
    fail_expected(
        fmt::format("':' and a type, as in 'const {}: f32[3] = [1, 2, 1];'", out.name.text));
  take();
  out.type = type();
  expect(Tok::Assign, "and the value");
  out.value = expression();
  expect_semicolon("the constant");
  return out;
}

// import = "import" string [";"]
ast::ImportDecl Parser::import_decl() {
  ast::ImportDecl out;
  take();
  if (kind() != Tok::String) fail_expected("the file in quotes, as in import \"lib.cdsl\"");
  out.path_range = range();
  out.path = string_value(take());
  if (out.path.empty()) fail(Code::FileNotFound, out.path_range, "the name of the file is empty");
  accept(Tok::Semicolon);
  return out;
}

std::string Parser::string_value(Token token) {
  std::string_view text = text_.substr(token.begin, token.end - token.begin);
  text.remove_prefix(1);
  if (text.ends_with('"')) text.remove_suffix(1);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char c = text[++i];
    auto at = static_cast<std::uint32_t>(token.begin + i);
    if (c == 'n')
      out += '\n';
    else if (c == 't')
      out += '\t';
    else if (c == '\\' || c == '"')
      out += c;
    else
      error(Code::BadEscape, {list_.file, at, at + 1},
            fmt::format("'\\{}' means nothing in a string; paths are written with '/'",
                        static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : "?"));
  }
  return out;
}

}  // namespace cdsl
