#include "api/byte_size.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace cdsl {

std::optional<int64_t> parse_byte_size(std::string_view text) {
  int shift = 0;
  for (const auto& [suffix, bits] : {std::pair{'K', 10}, std::pair{'M', 20}, std::pair{'G', 30}}) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(1);
    shift = bits;
    break;
  }
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 0) return std::nullopt;
  if (count > std::numeric_limits<int64_t>::max() >> shift) return std::nullopt;
  return count << shift;
}

std::string byte_size_text(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

}  // namespace cdsl
