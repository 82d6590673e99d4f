// Parser: the cursor over tokens, what is expected next, and where to go on after a mistake.
#include <algorithm>

#include <fmt/format.h>

#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

constexpr std::size_t kLongestShown = 40;

constexpr std::string_view kItemWords[] = {"struct", "def",      "reducer",
                                           "const",  "schedule", "expect"};

}  // namespace

Parser::Parser(const SourceManager& sources, const TokenList& list, ast::ExprArena& exprs,
               DiagnosticSink& sink, std::uint32_t max_expressions)
    : sources_(sources),
      list_(list),
      exprs_(exprs),
      sink_(sink),
      max_expressions_(max_expressions),
      text_(sources.text(list.file)) {}

Token Parser::token(std::size_t ahead) const {
  return list_.tokens[std::min<std::size_t>(at_ + ahead, list_.tokens.size() - 1)];
}

Tok Parser::kind(std::size_t ahead) const {
  return token(ahead).kind;
}

std::string_view Parser::word(std::size_t ahead) const {
  Token t = token(ahead);
  return t.kind == Tok::Name ? text_.substr(t.begin, t.end - t.begin) : std::string_view();
}

bool Parser::is_word(std::string_view text, std::size_t ahead) const {
  return word(ahead) == text;
}

SourceRange Parser::range(std::size_t ahead) const {
  Token t = token(ahead);
  return {list_.file, t.begin, t.end};
}

SourceRange Parser::last_range() const {
  Token t = at_ == 0 ? list_.tokens[0] : list_.tokens[at_ - 1];
  return {list_.file, t.begin, t.end};
}

SourceRange Parser::since(std::uint32_t begin) const {
  return {list_.file, begin, std::max(begin, last_range().end)};
}

std::string Parser::found() const {
  Token t = token();
  if (t.kind == Tok::End) return "end of file";
  std::string_view shown = text_.substr(t.begin, t.end - t.begin);
  if (t.kind == Tok::String) return "a string";
  if (shown.size() > kLongestShown) return fmt::format("'{}...'", shown.substr(0, kLongestShown));
  return fmt::format("'{}'", shown);
}

std::uint32_t Parser::partner() const {
  return list_.match[at_];
}

Token Parser::take() {
  Token t = token();
  if (t.kind != Tok::End) ++at_;
  return t;
}

bool Parser::accept(Tok wanted) {
  if (kind() != wanted) return false;
  take();
  return true;
}

bool Parser::accept_word(std::string_view text) {
  if (!is_word(text)) return false;
  take();
  return true;
}

void Parser::expect(Tok wanted, std::string_view where) {
  if (accept(wanted)) return;
  fail_expected(fmt::format("{} {}", describe(wanted), where));
}

void Parser::expect_closer(std::uint32_t opener) {
  Token open = list_.tokens[opener];
  Tok closer = closer_of(open.kind);
  if (accept(closer)) return;
  bool unbalanced = list_.match[opener] == kNoToken;
  SourceRange open_range{list_.file, open.begin, open.end};
  error(unbalanced ? Code::UnbalancedBracket : Code::Expected, range(),
        fmt::format("expected {}, found {}", describe(closer), found()))
      .note(open_range, fmt::format("to close this {}", describe(open.kind)));
  throw SyntaxError{};
}

void Parser::expect_semicolon(std::string_view after) {
  if (accept(Tok::Semicolon)) return;
  if (kind() == Tok::RParen || kind() == Tok::RBracket)
    fail(Code::UnbalancedBracket, range(), fmt::format("{} closes nothing", found()));
  SourceRange here = last_range().finish();
  std::string_view between = text_.substr(here.end, token().begin - here.end);
  bool new_line = between.find('\n') != std::string_view::npos;
  bool starts_statement =
      kind() == Tok::Name || kind() == Tok::KwLet || kind() == Tok::KwFn || kind() == Tok::LParen;
  bool at_end = kind() == Tok::RBrace || kind() == Tok::End;
  if (!at_end && !(new_line && starts_statement))
    fail_expected(fmt::format("an operator or ';' after {}", after));
  error(Code::MissingSemicolon, here, fmt::format("missing ';' after {}", after)).fix(here, ";");
}

ast::Name Parser::take_name() {
  SourceRange where = range();
  take();
  return {std::string(sources_.text(where)), where};
}

ast::Name Parser::expect_name(std::string_view what) {
  if (kind() == Tok::Name) return take_name();
  if (is_keyword(kind())) {
    error(Code::ReservedWord, range(),
          fmt::format("{} is reserved and cannot name {}", found(), what));
    return take_name();
  }
  fail_expected(what);
}

Diagnostic& Parser::error(Code code, SourceRange where, std::string message) {
  return sink_.report(code, where, std::move(message));
}

void Parser::fail(Code code, SourceRange where, std::string message) {
  error(code, where, std::move(message));
  throw SyntaxError{};
}

void Parser::fail_expected(std::string_view what) {
  fail(Code::Expected, range(), fmt::format("expected {}, found {}", what, found()));
}

void Parser::enter() {
  if (++depth_ <= kMaxNesting) return;
  --depth_;
  fail(Code::NestedTooDeeply, range(),
       fmt::format("nested too deeply: more than {} levels", kMaxNesting));
}

bool Parser::starts_item(std::uint32_t at) const {
  const Token& t = list_.tokens[at];
  if (t.kind == Tok::KwFn) return true;
  if (t.kind != Tok::Name) return false;
  std::string_view text = text_.substr(t.begin, t.end - t.begin);
  Tok next = list_.tokens[at + 1].kind;
  if (text == "import") return next == Tok::String;
  return next == Tok::Name && std::ranges::find(kItemWords, text) != std::end(kItemWords);
}

void Parser::skip_statement(std::uint32_t start, std::uint32_t block_end) {
  std::uint32_t i = start;
  while (i < block_end) {
    Tok here = list_.tokens[i].kind;
    if (is_opener(here) && list_.match[i] != kNoToken) {
      i = list_.match[i] + 1;
      Tok next = list_.tokens[i].kind;
      bool ends = next == Tok::Name || next == Tok::KwLet || next == Tok::KwFn;
      if (here == Tok::LBrace && i > at_ && ends) break;
      continue;
    }
    if (here == Tok::Semicolon && i >= at_) {
      ++i;
      break;
    }
    if (here == Tok::KwFn && i > start) break;
    ++i;
  }
  at_ = std::max(std::min(i, block_end), at_);
}

void Parser::skip_item(std::uint32_t start) {
  auto end = static_cast<std::uint32_t>(list_.tokens.size() - 1);
  std::uint32_t i = start;
  while (i < end) {
    if (i > start && i >= at_ && starts_item(i)) break;
    Tok here = list_.tokens[i].kind;
    if (is_opener(here) && list_.match[i] != kNoToken) {
      i = list_.match[i] + 1;
      if (here == Tok::LBrace && i > at_) break;
      continue;
    }
    ++i;
    if (here == Tok::Semicolon && i > at_) break;
  }
  at_ = std::max(i, at_);
}

}  // namespace cdsl
