#include "runtime/cuda/red_zones.h"

#include <algorithm>

#include <fmt/format.h>

namespace cdsl::runtime {
namespace {

bool is_whole(std::byte b) { return b == kRedZone; }

/// "5 bytes", "1 byte"
std::string bytes_in_words(int64_t count) { return fmt::format("{} byte{}", count, count == 1 ? "" : "s"); }

std::string damage(const std::string& name, std::string_view side, int64_t written, int64_t offset) {
  return fmt::format("{} of the red zone {} '{}' {} overwritten, the first at byte {} of the buffer", bytes_in_words(written), side, name,
                     written == 1 ? "was" : "were", offset);
}

}  // namespace

std::optional<std::string> red_zone_damage(const std::string& name, int64_t bytes, std::span<const std::byte> before,
                                           std::span<const std::byte> after) {
  std::string text;
  const auto look = [&](std::span<const std::byte> zone, std::string_view side, int64_t start) {
    const auto first = std::find_if_not(zone.begin(), zone.end(), is_whole);
    if (first == zone.end()) return;
    const auto written = std::count_if(first, zone.end(), [](std::byte b) { return !is_whole(b); });
    text += (text.empty() ? "" : "; ") + damage(name, side, written, start + (first - zone.begin()));
  };
  look(before, "before", -static_cast<int64_t>(before.size()));
  look(after, "after", bytes);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace cdsl::runtime
