// Programs out of bytes: the grammar of docs/language.md with every choice taken by the next byte, so that a mutation of a byte
// is a mutation of the program and most programs get past the parser. Names come from a small set, so that they meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cdsl::fuzz {

/// Ends once the bytes do; the same text for the same bytes.
std::string token_program(const uint8_t* data, std::size_t size);

}  // namespace cdsl::fuzz
