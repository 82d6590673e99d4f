// An open file of the operating system, closed with its handle, and whole reads and writes on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cdsl::runtime {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { close(); }

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  void close();

 private:
  int descriptor_ = -1;
};

/// The next `count` bytes, or those up to the end where it comes first; nothing, with errno, where
/// reading fails. Memory is taken as bytes arrive: a wrong count costs nothing.
std::optional<std::vector<std::byte>> read_bytes(int file, int64_t count);

/// False, with errno, where not all could be written.
bool write_bytes(int file, std::span<const std::byte> bytes);

}  // namespace cdsl::runtime
