// Parser: blocks, definitions and what looks like them.
#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

constexpr std::string_view kStatements[] = {"let", "tmp", "repeat", "along", "scatter"};

constexpr std::string_view kTypeNames[] = {
    "float", "double", "int",  "auto", "var",      "bool", "f16", "bf16",  "f32",
    "f64",   "i8",     "i16",  "i32",  "i64",      "u8",   "u16", "u32",   "u64",
    "c64",   "c128",   "half", "long", "unsigned", "val",  "mut", "shared"};

constexpr std::string_view kItemWords[] = {"const",   "struct",   "def",
                                           "reducer", "schedule", "expect"};

template <std::size_t N>
bool contains(const std::string_view (&list)[N], std::string_view text) {
  for (std::string_view entry : list)
    if (entry == text) return true;
  return false;
}

bool is_compound(Tok kind) {
  return kind >= Tok::PlusEq && kind <= Tok::ShrEq;
}

}  // namespace

// block = "{" {statement} "}"
ast::Block Parser::block() {
  Nesting level(*this);
  ast::Block out;
  std::uint32_t begin = token().begin;
  std::uint32_t opener = at_;
  if (kind() != Tok::LBrace) fail_expected("'{'");
  take();
  std::uint32_t end = list_.match[opener];
  if (end == kNoToken) end = static_cast<std::uint32_t>(list_.tokens.size() - 1);
  while (kind() != Tok::RBrace && kind() != Tok::End && kind() != Tok::KwFn && !given_up()) {
    std::uint32_t start = at_;
    try {
      out.statements.push_back(statement());
    } catch (const SyntaxError&) {
      skip_statement(start, end);
    }
    if (at_ == start) take();
  }
  if (kind() == Tok::KwFn && list_.match[opener] != kNoToken)
    fail(Code::ImportInside, range(), "'fn' belongs to the top level of the file");
  if (!given_up()) expect_closer(opener);
  out.range = since(begin);
  return out;
}

ast::Stmt Parser::statement() {
  ast::Stmt out;
  std::uint32_t begin = token().begin;
  bool named = kind(1) == Tok::Name;
  if (kind() == Tok::KwLet)
    out.node = let_statement();
  else if (named && is_word("tmp"))
    out.node = tmp_statement();
  else if (named && is_word("repeat"))
    out.node = repeat_statement();
  else if (named && is_word("along"))
    out.node = along_statement();
  else if (at_scatter())
    out.node = scatter_statement();
  else if (kind() == Tok::LParen)
    out.node = tuple_definition();
  else if (kind() == Tok::Name && !named)
    return definition_or_call();
  else
    confused_statement();
  out.range = since(begin);
  return out;
}

// A tensor may be called scatter, too: scatter[i] = 0;
bool Parser::at_scatter() const {
  if (!is_word("scatter")) return false;
  if (kind(1) == Tok::Name) return is_word("deterministic", 1) && kind(2) == Tok::LBracket;
  if (kind(1) != Tok::LBracket) return false;
  std::uint32_t close = list_.match[at_ + 1];
  if (close == kNoToken) return kind(3) == Tok::KwIn;
  return list_.tokens[close + 1].kind == Tok::Name;
}

void Parser::confused_statement() {
  std::string_view text = word();
  if (kind() == Tok::Semicolon) {
    error(Code::ExpectedStatement, range(), "empty statement").fix(range(), "");
    throw SyntaxError{};
  }
  if (kind() == Tok::KwIf)
    fail(Code::ExpectedStatement, range(),
         "'if' is an expression: y[i] = if c { a } else { b }; there is no 'if' statement");
  if (text == "for" || text == "while" || text == "loop")
    fail(Code::ExpectedStatement, range(),
         fmt::format(
             "there is no '{}': an index runs over its whole range by itself; steps that depend "
             "on each other are 'repeat t in a..b {{ }}' or 'along i in a..b {{ }}'",
             text));
  if (text == "return")
    fail(Code::ExpectedStatement, range(),
         "there is no 'return': an output is defined by its name");
  if (contains(kItemWords, text) || text == "import")
    fail(Code::ImportInside, range(),
         fmt::format("'{}' belongs to the top level of the file", text));
  if (contains(kTypeNames, text)) {
    std::string second(word(1));
    fail(
        Code::ConfusingDeclaration, range(),
        fmt::format("a value is named by 'let {0} = ...;', storage by 'tmp {0}: f32[N];'", second));
  }
  if (std::optional<std::string> near = nearest(text, kStatements)) {
    error(Code::ExpectedStatement, range(),
          fmt::format("no statement starts with '{}', did you mean '{}'?", text, *near))
        .fix(range(), *near);
    throw SyntaxError{};
  }
  if (kind() == Tok::Name) {
    take();
    fail_expected(fmt::format("'=' or '[' after '{}'", text.substr(0, 40)));
  }
  fail(Code::ExpectedStatement, range(), fmt::format("no statement starts with {}", found()));
}

// let = "let" (name | "(" name {"," name} ")") "=" expression ";"
ast::Let Parser::let_statement() {
  ast::Let out;
  take();
  if (kind() == Tok::LParen) {
    out.is_tuple = true;
    bracketed("the names", [&] { out.names.push_back(expect_name("a value")); });
    if (out.names.empty()) error(Code::EmptyList, last_range(), "a tuple has at least one part");
  } else {
    out.names.push_back(expect_name("a value"));
  }
  if (kind() == Tok::LBracket && partner() != kNoToken) {
    std::uint32_t begin = token().begin;
    at_ = partner() + 1;
    error(Code::Expected, since(begin),
          "a 'let' has no subscripts: its indices are those at each use")
        .fix(since(begin), "");
  }
  if (kind() == Tok::Colon)
    fail(Code::ConfusingDeclaration, range(),
         "a 'let' has the type of its value; cast that, as in f32(e)");
  definition_sign();
  out.value = expression();
  expect_semicolon("the value");
  return out;
}

// tmp = "tmp" name ":" type ";"
ast::Tmp Parser::tmp_statement() {
  ast::Tmp out;
  take();
  out.name = expect_name("a tensor");
  if (kind() != Tok::Colon)
    fail_expected(fmt::format("':' and a type, as in 'tmp {}: f32[N];'", out.name.text));
  take();
  out.type = type();
  if (kind() == Tok::Assign)
    fail(Code::ConfusingDeclaration, range(),
         "'tmp' only declares; define the tensor in a statement of its own");
  expect_semicolon("the declaration");
  return out;
}

// The `=` between a target and its value.
void Parser::definition_sign() {
  if (accept(Tok::Assign)) return;
  SourceRange here = range();
  if (kind() == Tok::EqEq) {
    error(Code::Expected, here, "'==' compares; a definition is written with '='").fix(here, "=");
    take();
    return;
  }
  if (kind() == Tok::Colon && kind(1) == Tok::Assign) {
    SourceRange both = cover(here, range(1));
    error(Code::Expected, both, "a definition is written with '='").fix(both, "=");
    take();
    take();
    return;
  }
  if (kind() == Tok::Dot)
    fail(Code::FieldAssignment, here,
         "a field cannot be assigned alone; define the record, as in r[i] = p[i] with (x: 0)");
  if (is_compound(kind()))
    fail(Code::CompoundAssignment, here,
         fmt::format("'{}' belongs to scatter; a definition says what an element is",
                     sources_.text(here)));
  if (kind() == Tok::Colon)
    fail(Code::ConfusingDeclaration, here,
         "a type is declared by 'tmp name: type;' or in the outputs");
  fail_expected("'='");
}

// definition = target "=" expression ";"     call = name [generics] arguments ";"
ast::Stmt Parser::definition_or_call() {
  ast::Stmt out;
  std::uint32_t begin = token().begin;
  bool is_call = kind(1) == Tok::LParen ||
                 (kind(1) == Tok::Lt && kind(2) == Tok::Name && kind(3) == Tok::Colon);
  if (is_call) {
    ast::CallStmt call{expression()};
    if (kind() == Tok::Assign)
      fail(Code::Expected, range(), "a left side has square brackets: y[i] = ...");
    if (exprs_.get_if<ast::Call>(call.call) == nullptr)
      fail(Code::ExpectedStatement, exprs_[call.call].range, "this value is used by nothing");
    expect_semicolon("the call");
    out.node = call;
  } else {
    ast::Definition definition;
    definition.targets.push_back(target());
    definition_sign();
    definition.value = expression();
    expect_semicolon("the value");
    out.node = std::move(definition);
  }
  out.range = since(begin);
  return out;
}

ast::Definition Parser::tuple_definition() {
  ast::Definition out;
  out.is_tuple = true;
  std::uint32_t begin = token().begin;
  bracketed("the targets", [&] { out.targets.push_back(target()); });
  if (out.targets.empty()) error(Code::EmptyList, since(begin), "a tuple has at least one part");
  definition_sign();
  out.value = expression();
  expect_semicolon("the value");
  return out;
}

// target = name ["[" [left {"," left} ["if" expression]] "]"]
ast::Target Parser::target() {
  ast::Target out;
  std::uint32_t begin = token().begin;
  out.name = expect_name("a tensor");
  if (kind() == Tok::LBracket) {
    out.has_subscripts = true;
    bracketed("the subscripts", [&] {
      out.subscripts.push_back(left_subscript());
      if (kind() == Tok::KwIf) out.guard = list_guard();
    });
  }
  out.range = since(begin);
  return out;
}

// left = name "in" range | "unique" "(" expression ")" | expression
ast::LeftSubscript Parser::left_subscript() {
  ast::LeftSubscript out;
  std::uint32_t begin = token().begin;
  if (kind() == Tok::Name && kind(1) == Tok::KwIn) {
    ast::LeftRanged ranged;
    ranged.index = take_name();
    take();
    ranged.span = index_range();
    out.node = std::move(ranged);
  } else if (is_word("unique") && kind(1) == Tok::LParen) {
    take();
    std::uint32_t opener = at_;
    take();
    out.node = ast::LeftUnique{expression()};
    expect_closer(opener);
  } else {
    out.node = ast::LeftExpr{expression()};
  }
  if (kind() == Tok::At)
    fail(Code::ModeNotAllowed, range(),
         "a boundary mode belongs to a read; nothing is written outside anyway");
  out.range = since(begin);
  return out;
}

}  // namespace cdsl
