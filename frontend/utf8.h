// Reading UTF-8 one character at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cdsl {

struct Utf8Char {
  char32_t value = 0;
  std::uint32_t bytes = 0;  // 0 where the bytes at this place are no well-formed character
};

// The character that starts at `at` (which must be inside). Overlong forms, surrogates and values
// above U+10FFFF are not well-formed (Unicode 15, table 3-7).
Utf8Char decode_utf8(std::string_view text, std::size_t at);

}  // namespace cdsl
