#include <cctype>

#include <fmt/format.h>

#include "tests/random/check.h"

namespace cdsl::random {

std::string Finding::signature() const {
  std::string text = kind;
  // Whether the value is wrong by a little or by all says little; other messages name the place in the compiler.
  if (kind == "wrong value" || kind.starts_with("crash") || kind == "hang") return text;
  text += ": ";
  bool in_word = false;
  for (char c : message.substr(0, 160)) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (is_digit && !in_word) text += '#';
    if (!is_digit) text += c;
    in_word = is_digit;
  }
  // "exact data, variant general: f.cdsl:2: out of bounds in kernel f_y0": what happens, not where.
  if (kind == "report" || kind == "fault") {
    const std::size_t place = text.find("f.cdsl:#: ");
    return kind + ": " + (place == std::string::npos ? text.substr(0, 40) : text.substr(place + 10, text.find(" in kernel", place) - place - 10).substr(0, 40));
  }
  if (kind.starts_with("refused")) return kind;
  return text;
}

std::string Finding::command(const std::string& path) const {
  std::string text = fmt::format("cuoptc verify {} --device=sim --seed={}", path, seed % 1000);
  if (!data.empty() && data != "usual") text += " --data=" + data;
  for (const auto& [name, value] : setup.sizes) text += fmt::format(" -D{}={}", name, value);
  for (const std::string& flag : setup.flags) text += flag.find_first_of("*()") == std::string::npos ? " " + flag : " '" + flag + "'";
  return text;
}

}  // namespace cdsl::random
