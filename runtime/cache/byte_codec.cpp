#include "runtime/cache/byte_codec.h"

namespace cdsl::runtime {

void ByteWriter::number(uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes_.push_back(static_cast<std::byte>(value >> shift));
}

void ByteWriter::text(std::string_view text) {
  this->text(std::as_bytes(std::span(text)));
}

void ByteWriter::text(std::span<const std::byte> bytes) {
  number(bytes.size());
  raw(bytes);
}

void ByteWriter::raw(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

uint64_t ByteReader::number() {
  uint64_t value = 0;
  int shift = 0;
  for (const std::byte byte : raw(8)) {
    value |= std::to_integer<uint64_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

std::span<const std::byte> ByteReader::bytes() {
  return raw(number());
}

std::string_view ByteReader::text() {
  const auto found = bytes();
  return {reinterpret_cast<const char*>(found.data()), found.size()};
}

std::span<const std::byte> ByteReader::raw(uint64_t count) {
  ok_ = ok_ && count <= rest_.size();
  if (!ok_) return {};
  const auto found = rest_.first(static_cast<std::size_t>(count));
  rest_ = rest_.subspan(found.size());
  return found;
}

}  // namespace cdsl::runtime
