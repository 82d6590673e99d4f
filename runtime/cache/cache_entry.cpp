#include "runtime/cache/cache_entry.h"

#include <algorithm>
#include <span>

#include "runtime/cache/byte_codec.h"
#include "runtime/cache/digest.h"

namespace cdsl::runtime {
namespace {

constexpr std::string_view kMagic = "cdslkrnl";
constexpr uint64_t kVersion = 2;
constexpr std::size_t kLongestDescription = 256;

std::span<const std::byte> magic() {
  return std::as_bytes(std::span(kMagic));
}

}  // namespace

std::vector<std::byte> write_entry(const CacheEntry& entry) {
  ByteWriter writer;
  writer.raw(magic());
  writer.number(kVersion);
  writer.text(entry.key.hex());
  writer.number(static_cast<uint64_t>(entry.created));
  writer.text(std::string_view(entry.description).substr(0, kLongestDescription));
  writer.text(entry.code.cubin);
  writer.text(entry.code.log);
  writer.raw(blake3(writer.bytes()));
  return writer.take();
}

std::optional<CacheEntry> read_entry(std::vector<std::byte> file, std::string& why) {
  const auto refuse = [&why](const char* reason) {
    why = reason;
    return std::nullopt;
  };
  const std::span<const std::byte> bytes(file);
  if (!std::ranges::equal(bytes.first(std::min(kMagic.size(), bytes.size())), magic()))
    return refuse("it is no cached kernel");
  if (bytes.size() < kMagic.size() + sizeof(Digest)) return refuse("it is cut short");
  const auto sealed = bytes.first(bytes.size() - sizeof(Digest));
  if (!std::ranges::equal(bytes.last(sizeof(Digest)), blake3(sealed)))
    return refuse("its digest does not match");

  // From here on the bytes are as written, though not necessarily by this version of the program.
  ByteReader reader(sealed.subspan(kMagic.size()));
  if (reader.number() != kVersion) return refuse("another version of cuoptc wrote it");
  const auto key = CacheKey::parse(reader.text());
  if (!key) return refuse("it names no key");
  CacheEntry entry{*key, static_cast<int64_t>(reader.number()), std::string(reader.text()), {}};
  const auto cubin = reader.bytes();
  entry.code.log = reader.text();
  if (!reader.ok() || !reader.at_end()) return refuse("its lengths do not add up");
  std::ranges::copy(cubin, file.begin());  // towards the front, so that no byte is read after it was written
  file.resize(cubin.size());
  entry.code.cubin = std::move(file);
  return entry;
}

}  // namespace cdsl::runtime
