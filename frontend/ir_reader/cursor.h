// A place in the tokens of IR text, with what every reader of it asks for: a word, a number, a
// string, or an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsl/support/diagnostic.h"
#include "dsl/types/scalar_type.h"
#include "frontend/lexer.h"
#include "frontend/source.h"

namespace cdsl::ir_reader {

/// Thrown by Cursor::fail once the mistake is reported; never leaves this folder.
struct Malformed {};

class Cursor {
 public:
  Cursor(const SourceManager& sources, std::uint32_t file, DiagnosticSink& sink);

  // Looking
  Tok kind(std::size_t ahead = 0) const { return token(ahead).kind; }
  std::string_view text(std::size_t ahead = 0) const;
  bool at(Tok kind) const { return token(0).kind == kind; }
  bool at_word(std::string_view word, std::size_t ahead = 0) const;
  bool at_end() const { return at(Tok::End); }
  SourceRange here() const { return range(token(0)); }
  /// From a place that `here` gave to the end of the last token taken.
  SourceRange since(SourceRange begin) const;

  // Taking
  void advance() { at_ += at_end() ? 0 : 1; }
  bool accept(Tok kind);
  bool accept(std::string_view word);
  void expect(Tok kind);
  void expect(std::string_view word);
  std::string name(std::string_view what);
  /// Names joined by dots: "body.mass".
  std::string path();
  /// Decimal or hexadecimal, with a sign where `is_signed`.
  std::int64_t integer(bool is_signed = false);
  std::int64_t integer_between(std::int64_t least, std::int64_t greatest);
  std::string string();
  ScalarType scalar_type();

  [[noreturn]] void fail(std::string message) { fail(here(), std::move(message)); }
  [[noreturn]] void fail(SourceRange where, std::string message);
  [[noreturn]] void fail_expected(std::string_view what);

 private:
  const Token& token(std::size_t ahead) const;
  SourceRange range(const Token& token) const { return {list_.file, token.begin, token.end}; }

  std::string_view text_;
  DiagnosticSink& sink_;
  TokenList list_;
  std::size_t at_ = 0;
};

/// Counts nesting for as long as it lives, and fails past the limit.
class Nested {
 public:
  Nested(Cursor& cursor, int& depth, int limit) : depth_(depth) {
    if (++depth_ > limit) {
      --depth_;
      cursor.fail("too deeply nested");
    }
  }
  ~Nested() { --depth_; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;

 private:
  int& depth_;
};

}  // namespace cdsl::ir_reader
