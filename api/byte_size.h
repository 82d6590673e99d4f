// Numbers of bytes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cdsl {

/// "1000", "64K", "500M", "2G": K, M and G are powers of 1024. Nothing where it is no such number,
/// or one that does not fit.
std::optional<int64_t> parse_byte_size(std::string_view text);

/// "512 bytes", "1.5 KiB", "20.0 MiB".
std::string byte_size_text(int64_t bytes);

}  // namespace cdsl
