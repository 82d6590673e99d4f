#include "runtime/cache/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>

#include <fmt/format.h>

#include "runtime/cache/cache_entry.h"
#include "runtime/cache/folder_trust.h"
#include "runtime/cache/owned_file.h"

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEntrySuffix = ".kernel";

/// Without "." and the last "/", through which a link would pass for the folder behind it.
fs::path plain(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// A file in which an entry can be written. Numbers are tried in turn: the file system settles who
/// has which, without clocks or chance.
std::optional<OwnedFile> new_temporary(int folder, const CacheKey& key, int& error) {
  constexpr int kMostWriters = 1000;
  for (int number = 0; number < kMostWriters; ++number) {
    const std::string name = fmt::format("{}.{}.tmp", key.hex(), number);
    auto file = OwnedFile::take(folder, name, OwnedFile::Open::New, error);
    if (file || (error != EEXIST && error != EWOULDBLOCK)) return file;
  }
  return std::nullopt;
}

}  // namespace

std::optional<CacheFolder> CacheFolder::open_own(const fs::path& given, std::string& why) {
  const fs::path path = plain(given);
  if (const int error = make_private_folders(path); error != 0) {
    why = fmt::format("'{}' cannot be made for cached kernels: {}", path.string(),
                      std::strerror(error));
    return std::nullopt;
  }
  auto folder = open_trusted(path, Trust::Own, why);
  if (!folder) return std::nullopt;
  const bool writable = ::faccessat(folder->get(), ".", W_OK | X_OK, AT_EACCESS) == 0;
  return CacheFolder(path, std::move(*folder), writable);
}

std::optional<CacheFolder> CacheFolder::open_read_only(const fs::path& given, std::string& why) {
  const fs::path path = plain(given);
  auto folder = open_trusted(path, Trust::ReadOnly, why);
  if (!folder) return std::nullopt;
  return CacheFolder(path, std::move(*folder), false);
}

std::optional<std::vector<std::byte>> CacheFolder::read(const CacheKey& key) const {
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const FileHandle file(::openat(descriptor(), entry_name(key).c_str(), kFlags));
  struct stat info;
  if (!file || ::fstat(file.get(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || !is_private(info, writable_ ? Trust::Own : Trust::ReadOnly))
    return std::nullopt;
  if (info.st_size > kLongestEntry) return std::nullopt;
  return read_bytes(file.get(), info.st_size);
}

void CacheFolder::mark_used(const CacheKey& key) const {
  constexpr time_t kMarkedAnew = 60;  // seconds
  const std::string name = entry_name(key);
  struct stat info;
  if (!writable_ || ::fstatat(descriptor(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (std::time(nullptr) - info.st_mtim.tv_sec > kMarkedAnew)
    ::utimensat(descriptor(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

// Nothing is synced to the disk: what a power failure damages, the digest finds.
bool CacheFolder::publish(const CacheKey& key, std::span<const std::byte> file,
                          std::string& why) const {
  int error = 0;
  auto temporary = new_temporary(descriptor(), key, error);
  if (temporary) {
    if (write_bytes(temporary->descriptor(), file) && temporary->publish(entry_name(key)))
      return true;
    error = errno;
  }
  why = fmt::format("no kernel can be kept in '{}': {}", path_.string(), std::strerror(error));
  return false;
}

bool CacheFolder::remove(const CacheKey& key) const {
  return ::unlinkat(descriptor(), entry_name(key).c_str(), 0) == 0;
}

std::vector<StoredFile> CacheFolder::entries() const {
  std::vector<StoredFile> files;
  for (const std::string& name : names()) {
    if (!name.ends_with(kEntrySuffix)) continue;
    const auto key =
        CacheKey::parse(std::string_view(name).substr(0, name.size() - kEntrySuffix.size()));
    struct stat info;
    if (!key || ::fstatat(descriptor(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back({*key, info.st_size, nanoseconds(info.st_mtim)});
  }
  return files;
}

std::vector<std::string> CacheFolder::names() const {
  // A descriptor of its own: reading a folder moves the position, which threads would share.
  const int folder = ::openat(descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(folder < 0 ? nullptr : ::fdopendir(folder),
                                                   &::closedir);
  std::vector<std::string> names;
  if (!stream) return names;
  while (const dirent* entry = ::readdir(stream.get())) names.emplace_back(entry->d_name);
  return names;
}

}  // namespace cdsl::runtime
