#include "runtime/cache/cache_sweep.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <tuple>

#include "runtime/cache/owned_file.h"

namespace cdsl::runtime {
namespace {

constexpr const char* kMark = "swept";
constexpr std::size_t kKeyDigits = 64;

bool is_leftover_name(const std::string& name) {
  return CacheKey::parse(std::string_view(name).substr(0, kKeyDigits)) &&
         (name.ends_with(".lock") || name.ends_with(".tmp"));
}

}  // namespace

Removed prune(const CacheFolder& folder, int64_t bound) {
  std::vector<StoredFile> files = folder.entries();
  std::sort(files.begin(), files.end(), [](const StoredFile& a, const StoredFile& b) {
    return std::tie(a.last_used, a.key) < std::tie(b.last_used, b.key);
  });
  int64_t total = 0;
  for (const StoredFile& file : files) total += file.bytes;
  Removed removed;
  for (const StoredFile& file : files) {
    if (total <= bound) break;
    total -= file.bytes;
    if (!folder.remove(file.key)) continue;
    ++removed.files;
    removed.bytes += file.bytes;
  }
  return removed;
}

Removed remove_leftovers(const CacheFolder& folder) {
  Removed removed;
  for (const std::string& name : folder.names()) {
    if (!is_leftover_name(name)) continue;
    int error = 0;
    const auto left = OwnedFile::take(folder.descriptor(), name, OwnedFile::Open::Existing, error);
    struct stat info;
    if (!left || ::fstat(left->descriptor(), &info) != 0) continue;
    ++removed.files;  // as `left` goes out of scope
    removed.bytes += info.st_size;
  }
  return removed;
}

Removed clear(const CacheFolder& folder) {
  Removed removed = remove_leftovers(folder);
  for (const StoredFile& file : folder.entries()) {
    if (!folder.remove(file.key)) continue;
    ++removed.files;
    removed.bytes += file.bytes;
  }
  return removed;
}

void sweep(const CacheFolder& folder, int64_t bound) {
  const FileHandle mark(
      ::openat(folder.descriptor(), kMark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (mark) ::futimens(mark.get(), nullptr);
  remove_leftovers(folder);
  prune(folder, bound);
}

bool sweep_is_due(const CacheFolder& folder) {
  constexpr time_t kEvery = 60;  // seconds
  struct stat info;
  return ::fstatat(folder.descriptor(), kMark, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
         std::time(nullptr) - info.st_mtim.tv_sec > kEvery;
}

}  // namespace cdsl::runtime
