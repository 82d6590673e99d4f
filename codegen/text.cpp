#include "codegen/text.h"

#include <fmt/format.h>
#include <algorithm>

namespace cdsl::cuda {
namespace {

constexpr int kColumns = 100;
constexpr int kIndent = 2;
constexpr int kContinuation = 4;
constexpr char kBreaks[] = {kBreak, kOuterBreak, 0};
constexpr std::size_t kShortestPiece =
    30;  // a break leaves at least this much on its line, if another will do

// Length of the valid UTF-8 sequence at the start of `text` and its code point; 0 where there is
// none.
std::size_t decode(std::string_view text, char32_t& point) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80       ? 1
                             : first >> 5 == 6  ? 2
                             : first >> 4 == 14 ? 3
                             : first >> 3 == 30 ? 4
                                                : 0;
  if (length == 0 || length > text.size()) return 0;
  constexpr unsigned char kPayload[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  point = first & kPayload[length];
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 2) return 0;
    point = point << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return point < kLeast[length] || point > 0x10ffff || surrogate ? 0 : length;
}

// Controls, line separators, and marks that change the direction of text.
bool is_invisible(char32_t point) {
  return (point < 0x20 && point != '\t') || (point >= 0x7f && point < 0xa0) ||
         (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2060 && point <= 0x206f) || point == 0xfeff || point == 0x61c;
}

// Where to break text[begin, end): the last mark of the lowest level, which is that of the
// parentheses, outer breaks first. npos: nowhere.
std::size_t break_in(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t best = std::string_view::npos;
  int depth = 0, best_level = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text[i];
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (c != kBreak && c != kOuterBreak) continue;
    const int level = 2 * depth + (c == kBreak);
    const bool early = best != std::string_view::npos && best - begin < kShortestPiece;
    if (best == std::string_view::npos || early || level <= best_level) {
      best = i;
      best_level = level;
    }
  }
  return best;
}

void append_piece(std::string& out, std::string_view piece) {
  const std::size_t start = out.size();
  out += piece;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
      [](char c) { return c == kBreak || c == kOuterBreak; }, ' ');
}

}  // namespace

std::string with_own_lines(std::string_view text, std::string_view name) {
  std::string out;
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    if (row == kOwnLine) {
      out += fmt::format("#line {} {}", number + 1, string_literal(name));
    } else {
      out += row;
    }
    out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string comment_safe(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size();) {
    char32_t point = 0;
    const std::size_t length = decode(line.substr(i), point);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(line[i++]));
      continue;
    }
    if (is_invisible(point)) {
      out += fmt::format("\\u{{{:x}}}", static_cast<uint32_t>(point));
    } else if (point == '?' && !out.empty() && out.back() == '?') {
      out += " ?";
    } else if (point == '\t') {
      out += "  ";
    } else {
      out += line.substr(i, length);
    }
    i += length;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  if (!out.empty() && out.back() == '\\') out += '.';
  return out;
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '?') {
      out += "\\?";
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string fold_line(std::string_view text, int indent) {
  std::string out(static_cast<std::size_t>(indent), ' ');
  std::size_t begin = 0;
  int column = indent;
  while (text.size() - begin > static_cast<std::size_t>(std::max(kColumns - column, 20))) {
    const std::size_t limit = begin + static_cast<std::size_t>(std::max(kColumns - column, 20)) + 1;
    std::size_t at = break_in(text, begin, std::min(limit, text.size()));
    if (at == std::string_view::npos) at = text.find_first_of(kBreaks, limit);
    if (at == std::string_view::npos) break;
    append_piece(out, text.substr(begin, at - begin));
    column = indent + kContinuation;
    out += '\n' + std::string(static_cast<std::size_t>(column), ' ');
    begin = at + 1;
  }
  append_piece(out, text.substr(begin));
  return out;
}

void Writer::line(std::string_view text) {
  text_ += fold_line(text, depth_ * kIndent);
  text_ += '\n';
}

void Writer::blank() {
  text_ += '\n';
}

void Writer::block(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view row = text.substr(0, end);
    if (!row.empty() && row[0] != '#')
      text_.append(static_cast<std::size_t>(depth_ * kIndent), ' ');
    text_ += row;
    text_ += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void Writer::comment(std::string_view text) {
  const std::size_t width = static_cast<std::size_t>(std::max(kColumns - depth_ * kIndent - 3, 30));
  std::string words = comment_safe(text);
  while (!words.empty()) {
    std::size_t end = words.size() <= width ? words.size() : words.rfind(' ', width);
    if (end == std::string::npos || end == 0) end = std::min(words.find(' ', width), words.size());
    quote(std::string_view(words).substr(0, end));
    words.erase(0, std::min(words.find_first_not_of(' ', end), words.size()));
  }
}

void Writer::quote(std::string_view text) {
  while (true) {
    const std::size_t end = text.find_first_of("\n\r");
    const std::string row = comment_safe(text.substr(0, end));
    text_.append(static_cast<std::size_t>(depth_ * kIndent), ' ');
    text_ += row.empty() ? "//\n" : "// " + row + "\n";
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + (text.substr(end, 2) == "\r\n" ? 2 : 1));
  }
}

void Writer::directive(std::string_view text) {
  text_ += text;
  text_ += '\n';
}

void Writer::guarded(const std::string& condition, const std::string& statement) {
  const std::string whole = fmt::format("if ({}) {}", condition, statement);
  if (whole.size() + static_cast<std::size_t>(depth_ * kIndent) <= kColumns) return line(whole);
  open(fmt::format("if ({})", condition));
  line(statement);
  close();
}

void Writer::open(std::string_view head) {
  line(std::string(head) + " {");
  indent();
}

void Writer::close(std::string_view tail) {
  dedent();
  line(tail);
}

}  // namespace cdsl::cuda
