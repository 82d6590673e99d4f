// Numbers and texts as bytes and back, the same on every machine: numbers take 8 bytes, lowest
// first, and a text follows its length. Fields that are written one after the other therefore never
// run into each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cdsl::runtime {

class ByteWriter {
 public:
  void number(uint64_t value);
  void text(std::string_view text);
  void text(std::span<const std::byte> bytes);
  /// As they are, without a length.
  void raw(std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads bytes that anybody may have written. What does not fit into them reads as 0 or empty, and
/// so does everything after it; ok() is false from then on.
class ByteReader {
 public:
  /// Keeps a reference.
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  uint64_t number();
  std::span<const std::byte> bytes();  // that follow their length
  std::string_view text();
  std::span<const std::byte> raw(uint64_t count);

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace cdsl::runtime
