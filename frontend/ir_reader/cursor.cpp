#include "frontend/ir_reader/cursor.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cdsl::ir_reader {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

Cursor::Cursor(const SourceManager& sources, std::uint32_t file, DiagnosticSink& sink)
    : text_(sources.text(file)), sink_(sink) {
  const std::size_t errors = sink.error_count();
  if (!sources.check_text(file, sink)) throw Malformed();
  list_ = lex(sources, file, sink);
  if (sink.error_count() != errors) throw Malformed();
}

const Token& Cursor::token(std::size_t ahead) const {
  return list_.tokens[std::min(at_ + ahead, list_.tokens.size() - 1)];
}

std::string_view Cursor::text(std::size_t ahead) const {
  const Token& t = token(ahead);
  return text_.substr(t.begin, t.end - t.begin);
}

bool Cursor::at_word(std::string_view word, std::size_t ahead) const {
  return kind(ahead) != Tok::String && text(ahead) == word;
}

SourceRange Cursor::since(SourceRange begin) const {
  return at_ == 0 ? begin : cover(begin, range(list_.tokens[at_ - 1]));
}

bool Cursor::accept(Tok kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool Cursor::accept(std::string_view word) {
  if (!at_word(word)) return false;
  advance();
  return true;
}

void Cursor::expect(Tok kind) {
  if (!accept(kind)) fail_expected(describe(kind));
}

void Cursor::expect(std::string_view word) {
  if (!accept(word)) fail_expected(fmt::format("'{}'", word));
}

std::string Cursor::name(std::string_view what) {
  if (!at(Tok::Name)) fail_expected(what);
  std::string found(text());
  advance();
  return found;
}

std::string Cursor::path() {
  std::string found = name("a field");
  while (accept(Tok::Dot)) found += "." + name("a field");
  return found;
}

std::int64_t Cursor::integer(bool is_signed) {
  const SourceRange begin = here();
  const bool negative = is_signed && accept(Tok::Minus);
  if (!at(Tok::Int)) fail_expected("an integer");
  std::string_view digits = text();
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  const std::string signed_digits = (negative ? "-" : "") + std::string(digits);
  std::int64_t value = 0;
  const char* end = signed_digits.data() + signed_digits.size();
  const auto read = std::from_chars(signed_digits.data(), end, value, hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end) fail(begin, "this integer does not fit");
  advance();
  return value;
}

std::int64_t Cursor::integer_between(std::int64_t least, std::int64_t greatest) {
  const SourceRange begin = here();
  const std::int64_t value = integer(least < 0);
  if (value < least || value > greatest)
    fail(begin, fmt::format("{} is not between {} and {}", value, least, greatest));
  return value;
}

std::string Cursor::string() {
  if (!at(Tok::String)) fail_expected("a string in quotes");
  const std::string_view quoted = text();
  std::string value;
  for (std::size_t k = 1; k + 1 < quoted.size(); ++k) {
    if (quoted[k] != '\\') {
      value += quoted[k];
      continue;
    }
    const char escape = quoted[++k];
    if (escape == 'x' && k + 3 < quoted.size() && hex_digit(quoted[k + 1]) >= 0 &&
        hex_digit(quoted[k + 2]) >= 0) {
      value += static_cast<char>(hex_digit(quoted[k + 1]) * 16 + hex_digit(quoted[k + 2]));
      k += 2;
    } else {
      value += escape == 'n' ? '\n' : escape == 't' ? '\t' : escape;
    }
  }
  advance();
  return value;
}

ScalarType Cursor::scalar_type() {
  const auto type = at(Tok::Name) ? scalar_type_named(text()) : std::nullopt;
  if (!type) fail_expected("a scalar type");
  advance();
  return *type;
}

void Cursor::fail(SourceRange where, std::string message) {
  sink_.report(Code::IrSyntax, where, std::move(message));
  throw Malformed();
}

void Cursor::fail_expected(std::string_view what) {
  std::string found(at_end() ? describe(Tok::End) : text());
  if (found.size() > 40) found = found.substr(0, 40) + "...";
  fail(fmt::format("expected {}, found {}", what, at_end() ? found : "'" + found + "'"));
}

}  // namespace cdsl::ir_reader
