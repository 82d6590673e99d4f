#include "frontend/lexer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "frontend/utf8.h"

namespace cdsl {
namespace {

struct Spelling {
  std::string_view text;
  Tok kind;
};

// Longer spellings before their prefixes.
constexpr Spelling kPunctuation[] = {
    {"..=", Tok::DotDotEq}, {"<<=", Tok::ShlEq},   {">>=", Tok::ShrEq},    {"..", Tok::DotDot},
    {"->", Tok::Arrow},     {"==", Tok::EqEq},     {"!=", Tok::NotEq},     {"<=", Tok::Le},
    {">=", Tok::Ge},        {"<<", Tok::Shl},      {">>", Tok::Shr},       {"&&", Tok::AmpAmp},
    {"||", Tok::PipePipe},  {"+=", Tok::PlusEq},   {"-=", Tok::MinusEq},   {"**", Tok::StarStar},
    {"*=", Tok::StarEq},    {"/=", Tok::SlashEq},  {"%=", Tok::PercentEq}, {"&=", Tok::AmpEq},
    {"|=", Tok::PipeEq},    {"^=", Tok::CaretEq},  {"(", Tok::LParen},     {")", Tok::RParen},
    {"[", Tok::LBracket},   {"]", Tok::RBracket},  {"{", Tok::LBrace},     {"}", Tok::RBrace},
    {",", Tok::Comma},      {";", Tok::Semicolon}, {":", Tok::Colon},      {".", Tok::Dot},
    {"@", Tok::At},         {"=", Tok::Assign},    {"<", Tok::Lt},         {">", Tok::Gt},
    {"+", Tok::Plus},       {"-", Tok::Minus},     {"*", Tok::Star},       {"/", Tok::Slash},
    {"%", Tok::Percent},    {"&", Tok::Amp},       {"|", Tok::Pipe},       {"^", Tok::Caret},
    {"~", Tok::Tilde},      {"!", Tok::Bang},      {"?", Tok::Question},
};

constexpr std::pair<std::string_view, Tok> kKeywords[] = {
    {"fn", Tok::KwFn}, {"let", Tok::KwLet},   {"if", Tok::KwIf},       {"else", Tok::KwElse},
    {"in", Tok::KwIn}, {"true", Tok::KwTrue}, {"false", Tok::KwFalse},
};

// Typographic characters that are typed or pasted for an operator.
constexpr std::pair<char32_t, std::string_view> kLookalikes[] = {
    {U'\u00D7', "*"},  {U'\u00B7', "*"},  {U'\u22C5', "*"},  {U'\u2212', "-"},  {U'\u2013', "-"},
    {U'\u00F7', "/"},  {U'\u2264', "<="}, {U'\u2265', ">="}, {U'\u2260', "!="}, {U'\u2192', "->"},
    {U'\u201C', "\""}, {U'\u201D', "\""}, {U'\u00A0', " "},  {U'\u2026', ".."},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Digits with single `_` between them; false where there are none or a `_` is misplaced.
template <class IsDigit>
bool well_formed_digits(std::string_view text, IsDigit is_one) {
  if (text.empty() || text.front() == '_' || text.back() == '_') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_' ? text[i - 1] == '_' : !is_one(text[i])) return false;
  }
  return true;
}

class Lexer {
 public:
  Lexer(std::string_view text, std::uint32_t file, DiagnosticSink& sink)
      : text_(text), file_(file), sink_(sink) {
    out_.file = file;
    out_.tokens.reserve(text.size() / 3 + 1);
  }

  TokenList run() {
    while (at_ < text_.size()) next();
    push(Tok::End, at_);
    pair_brackets();
    return std::move(out_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  SourceRange range(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  void push(Tok kind, std::size_t begin) {
    out_.tokens.push_back(
        {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }

  void next() {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && peek(1) == '*') {
      block_comment();
    } else if (is_name_start(c)) {
      std::size_t begin = at_;
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
      push(keyword(text_.substr(begin, at_ - begin)), begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)) && !after_value())) {
      number();
    } else if (c == '"') {
      string();
    } else {
      punctuation();
    }
  }

  // True after a token that ends a value: there `.5` is `.` and a number, as in `a.0`.
  bool after_value() const {
    if (out_.tokens.empty() || out_.tokens.back().end != at_) return false;
    Tok last = out_.tokens.back().kind;
    return last == Tok::Name || last == Tok::Int || last == Tok::RParen || last == Tok::RBracket;
  }
  bool after_dot() const {
    return !out_.tokens.empty() && out_.tokens.back().kind == Tok::Dot &&
           out_.tokens.back().end == at_;
  }

  void block_comment() {
    std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) {
      sink_.report(Code::UnterminatedComment, range(at_, at_ + 2), "comment is never closed");
      at_ = text_.size();
    } else {
      at_ = end + 2;
    }
  }

  void string() {
    std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
    }
    if (peek() == '"') {
      ++at_;
    } else {
      sink_.report(Code::UnterminatedString, range(begin, begin + 1), "string is never closed");
    }
    push(Tok::String, begin);
  }

  void number() {
    std::size_t begin = at_;
    if (after_dot()) {  // a part of a tuple: in a.0.1 the digits are no float
      while (is_digit(peek())) ++at_;
      push(Tok::Int, begin);
      return;
    }
    bool is_float = false;
    bool based =
        peek() == '0' && (peek(1) == 'x' || peek(1) == 'X' || peek(1) == 'b' || peek(1) == 'B');
    while (is_name_part(peek())) ++at_;
    if (!based) {
      if (peek() == '.' && peek(1) != '.') {
        is_float = true;
        ++at_;
        while (is_name_part(peek())) ++at_;
      }
      char last = text_[at_ - 1];
      if ((last == 'e' || last == 'E') && (peek() == '+' || peek() == '-')) {
        ++at_;
        while (is_name_part(peek())) ++at_;
      }
    }
    std::string_view text = text_.substr(begin, at_ - begin);
    std::string fault = based ? based_fault(text) : decimal_fault(text, is_float);
    if (!fault.empty()) sink_.report(Code::BadNumber, range(begin, at_), fault);
    push(is_float ? Tok::Float : Tok::Int, begin);
  }

  static std::string based_fault(std::string_view text) {
    bool hex = text[1] == 'x' || text[1] == 'X';
    auto binary = [](char c) { return c == '0' || c == '1'; };
    std::string_view digits = text.substr(2);
    if (hex ? well_formed_digits(digits, is_hex) : well_formed_digits(digits, binary)) return {};
    return fmt::format("'{}' is not a {} number", text.substr(0, 40),
                       hex ? "hexadecimal" : "binary");
  }

  // Sets is_float where there is an exponent.
  static std::string decimal_fault(std::string_view text, bool& is_float) {
    std::string_view shown = text.substr(0, 40);
    std::string_view mantissa = text;
    if (std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
      std::string_view exponent = text.substr(e + 1);
      if (!exponent.empty() && (exponent[0] == '+' || exponent[0] == '-'))
        exponent.remove_prefix(1);
      is_float = true;
      mantissa = text.substr(0, e);
      if (!well_formed_digits(exponent, is_digit))
        return fmt::format("'{}' is not a number: its exponent has no digits", shown);
    }
    std::size_t point = mantissa.find('.');
    std::string_view whole = mantissa.substr(0, point);
    if (point != std::string_view::npos) {
      std::string_view fraction = mantissa.substr(point + 1);
      if (whole.empty()) return fmt::format("write 0{} with a digit before the point", shown);
      if (fraction.empty()) return fmt::format("'{}' needs a digit after the point", shown);
      if (!well_formed_digits(fraction, is_digit)) return suffix_fault(shown);
    }
    if (!well_formed_digits(whole, is_digit)) return suffix_fault(shown);
    if (whole.size() > 1 && whole[0] == '0' && !is_float)
      return fmt::format("'{}' begins with 0, which would be octal in C; write it without", shown);
    return {};
  }
  static std::string suffix_fault(std::string_view shown) {
    return fmt::format("'{}' is not a number; literals have no suffix, a cast is f32(...)", shown);
  }

  void punctuation() {
    std::string_view rest = text_.substr(at_);
    for (const Spelling& spelling : kPunctuation) {
      if (!rest.starts_with(spelling.text)) continue;
      std::size_t begin = at_;
      at_ += spelling.text.size();
      push(spelling.kind, begin);
      return;
    }
    unknown_character();
  }

  // One report for a run of characters that mean nothing.
  void unknown_character() {
    std::size_t begin = at_;
    Utf8Char first = decode_utf8(text_, at_);
    at_ += std::max(1u, first.bytes);
    for (auto [looks, stands_for] : kLookalikes) {
      if (looks != first.value || first.bytes == 0) continue;
      sink_
          .report(Code::UnexpectedCharacter, range(begin, at_),
                  fmt::format("'{}' has no meaning here; write '{}'",
                              text_.substr(begin, at_ - begin), stands_for))
          .fix(range(begin, at_), std::string(stands_for));
      return;
    }
    while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80) ++at_;
    std::string shown =
        first.bytes != 0 && first.value >= 0x20
            ? fmt::format("'{}'", text_.substr(begin, first.bytes))
            : fmt::format("byte 0x{:02X}", static_cast<unsigned char>(text_[begin]));
    sink_.report(Code::UnexpectedCharacter, range(begin, at_), shown + " has no meaning here");
  }

  // Per open `{`, how many `(` and `[` are open inside it, so that a closer without a partner is
  // known at once and the whole stays linear.
  struct Level {
    std::uint32_t parens = 0;
    std::uint32_t brackets = 0;
    std::uint32_t& of(Tok opener) { return opener == Tok::LParen ? parens : brackets; }
  };

  void pair_brackets() {
    const std::vector<Token>& tokens = out_.tokens;
    out_.match.assign(tokens.size(), kNoToken);
    std::vector<std::uint32_t> open;
    std::vector<Level> levels(1);
    for (std::uint32_t i = 0; i < tokens.size(); ++i) {
      Tok kind = tokens[i].kind;
      if (is_opener(kind)) {
        open.push_back(i);
        if (kind == Tok::LBrace)
          levels.emplace_back();
        else
          ++levels.back().of(kind);
      }
      if (!is_closer(kind)) continue;
      Tok opener = opener_of(kind);
      bool has_partner = opener == Tok::LBrace ? levels.size() > 1 : levels.back().of(opener) > 0;
      if (!has_partner) continue;
      while (tokens[open.back()].kind != opener) {
        if (opener != Tok::LBrace) --levels.back().of(tokens[open.back()].kind);
        open.pop_back();
      }
      out_.match[open.back()] = i;
      out_.match[i] = open.back();
      open.pop_back();
      if (opener == Tok::LBrace)
        levels.pop_back();
      else
        --levels.back().of(opener);
    }
  }

  std::string_view text_;
  std::uint32_t file_;
  DiagnosticSink& sink_;
  std::size_t at_ = 0;
  TokenList out_;
};

}  // namespace

Tok keyword(std::string_view word) {
  for (auto [text, kind] : kKeywords)
    if (text == word) return kind;
  return Tok::Name;
}

std::string_view describe(Tok kind) {
  switch (kind) {
    case Tok::End: return "end of file";
    case Tok::Name: return "a name";
    case Tok::Int: return "an integer";
    case Tok::Float: return "a number";
    case Tok::String: return "a string";
    default: break;
  }
  // The tables hold plain spellings; messages quote them.
  static const std::array<std::string, 64> quoted = [] {
    std::array<std::string, 64> all;
    for (auto [text, word] : kKeywords)
      all[static_cast<std::size_t>(word)] = fmt::format("'{}'", text);
    for (const Spelling& s : kPunctuation)
      all[static_cast<std::size_t>(s.kind)] = fmt::format("'{}'", s.text);
    return all;
  }();
  return quoted[static_cast<std::size_t>(kind)];
}

TokenList lex(const SourceManager& sources, std::uint32_t file, DiagnosticSink& sink) {
  return Lexer(sources.text(file), file, sink).run();
}

}  // namespace cdsl
