#include "runtime/cache/cache_key.h"

#include <algorithm>

#include "runtime/cache/byte_codec.h"

namespace cdsl::runtime {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// Every field follows its length, and the list its count, so that no two sets of parts are written
// alike. The first field is this encoding's name: another encoding can never give an old key.
Digest digest_of(const KeyParts& parts) {
  ByteWriter writer;
  writer.text("cdsl kernel key 2");
  writer.text(parts.text);
  writer.text(parts.name);
  writer.number(parts.options.size());
  for (const std::string& option : parts.options) writer.text(option);
  writer.text(parts.nvrtc_version);
  writer.text(parts.emitter_version);
  writer.text(parts.architecture);
  writer.text(parts.numeric_mode);
  return blake3(writer.bytes());
}

std::string hex_of(const Digest& digest) {
  std::string hex;
  for (const std::byte byte : digest) {
    hex += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    hex += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return hex;
}

}  // namespace

CacheKey::CacheKey(const KeyParts& parts) : hex_(hex_of(digest_of(parts))) {}

std::optional<CacheKey> CacheKey::parse(std::string_view hex) {
  const bool fits =
      hex.size() == 2 * sizeof(Digest) && std::all_of(hex.begin(), hex.end(), [](char digit) {
        return kDigits.find(digit) != std::string_view::npos;
      });
  return fits ? std::optional(CacheKey(std::string(hex))) : std::nullopt;
}

}  // namespace cdsl::runtime
