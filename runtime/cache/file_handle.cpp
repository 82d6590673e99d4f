#include "runtime/cache/file_handle.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace cdsl::runtime {

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void FileHandle::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

std::optional<std::vector<std::byte>> read_bytes(int file, int64_t count) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<std::byte> bytes;
  std::size_t filled = 0;
  while (filled < wanted) {
    if (filled == bytes.size()) bytes.resize(std::min(wanted, filled + kStep));
    const ssize_t got = ::read(file, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

bool write_bytes(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace cdsl::runtime
