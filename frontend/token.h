// Tokens, and the few words that are reserved.
//
// Reserved are only   fn let if else in true false   so that tensors may bear almost any name. All
// other words of the language (repeat, scatter, where, clamp, sum, f32, ...) are names that mean
// something in their place; the parser knows those places.
#pragma once

#include <cstdint>
#include <string_view>

namespace cdsl {

enum class Tok : std::uint8_t {
  End,
  Name,
  Int,
  Float,
  String,
  KwFn,
  KwLet,
  KwIf,
  KwElse,
  KwIn,
  KwTrue,
  KwFalse,
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Semicolon,
  Colon,
  Dot,
  DotDot,
  DotDotEq,
  Arrow,
  At,
  Assign,
  EqEq,
  NotEq,
  Lt,
  Le,
  Gt,
  Ge,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Amp,
  Pipe,
  Caret,
  Tilde,
  Bang,
  AmpAmp,
  PipePipe,
  Shl,
  Shr,
  PlusEq,
  MinusEq,
  StarEq,
  SlashEq,
  PercentEq,
  AmpEq,
  PipeEq,
  CaretEq,
  ShlEq,
  ShrEq,
  StarStar,
  Question,  // no operators of the language, known for better messages
};

struct Token {
  Tok kind = Tok::End;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// "'<='", "a name", "end of file"
std::string_view describe(Tok kind);
// The keyword that a word is, or Tok::Name.
Tok keyword(std::string_view word);
inline bool is_keyword(Tok kind) {
  return kind >= Tok::KwFn && kind <= Tok::KwFalse;
}
inline bool is_opener(Tok kind) {
  return kind == Tok::LParen || kind == Tok::LBracket || kind == Tok::LBrace;
}
inline bool is_closer(Tok kind) {
  return kind == Tok::RParen || kind == Tok::RBracket || kind == Tok::RBrace;
}
inline Tok closer_of(Tok opener) {
  return static_cast<Tok>(static_cast<int>(opener) + 1);
}
inline Tok opener_of(Tok closer) {
  return static_cast<Tok>(static_cast<int>(closer) - 1);
}

}  // namespace cdsl
