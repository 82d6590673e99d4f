// Memory around buffers that nobody may touch, filled with a pattern: who writes there wrote outside a buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cdsl::runtime {

/// Bytes of each zone: a multiple of every alignment that the driver gives.
inline constexpr int64_t kRedZoneBytes = 64 * 1024;
/// Of every byte. A word of them is a huge number in each float type, so that a read from there shows in results as well.
inline constexpr std::byte kRedZone{0xFB};

/// What was written to the zones before and after the `bytes` of buffer `name`: "2 bytes of the red zone before 'x' were
/// overwritten, the first at byte -4 of the buffer". Nothing where they are whole.
std::optional<std::string> red_zone_damage(const std::string& name, int64_t bytes, std::span<const std::byte> before,
                                           std::span<const std::byte> after);

}  // namespace cdsl::runtime
