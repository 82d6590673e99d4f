#include "runtime/cache/disk_cache.h"

#include <ctime>

#include <fmt/format.h>

#include "runtime/cache/cache_sweep.h"
#include "runtime/cache/owned_file.h"

namespace cdsl::runtime {
namespace {

void add_sentence(std::string& text, const std::string& sentence) {
  text += (text.empty() ? "" : "; ") + sentence;
}

/// An entry counts only under its own key: a file that was renamed is no hit.
std::optional<CachedCode> find_in(const CacheFolder& folder, const CacheKey& key) {
  const auto file = folder.read(key);
  if (!file) return std::nullopt;
  std::string why;
  auto entry = read_entry(std::move(*file), why);
  if (!entry || entry->key != key) return std::nullopt;
  folder.mark_used(key);
  return std::move(entry->code);
}

}  // namespace

DiskCache::DiskCache(CacheOptions options) : options_(std::move(options)) {
  std::string why;
  if (!options_.folder.empty()) {
    folder_ = CacheFolder::open_own(options_.folder, why);
    if (!folder_)
      add_sentence(problem_, why);
    else if (!folder_->writable())
      add_sentence(problem_,
                   fmt::format("'{}' cannot be written to: cached kernels are used, but no "
                               "new ones are kept",
                               folder_->path().string()));
  }
  for (const std::filesystem::path& path : options_.read_only) {
    if (auto folder = CacheFolder::open_read_only(path, why))
      read_only_.push_back(std::move(*folder));
    else
      add_sentence(problem_, why);
  }
}

std::string DiskCache::loss() const {
  const std::lock_guard lock(loss_mutex_);
  return loss_;
}

std::optional<CachedCode> DiskCache::find(const CacheKey& key) const {
  if (folder_) {
    if (auto code = find_in(*folder_, key)) return code;
  }
  for (const CacheFolder& folder : read_only_) {
    if (auto code = find_in(folder, key)) return code;
  }
  return std::nullopt;
}

CachedCode DiskCache::get(const CacheKey& key, const std::string& description,
                          const std::function<CachedCode()>& compile) {
  if (auto code = find(key)) return std::move(*code);
  if (!folder_ || !folder_->writable()) return compile();
  const auto lock =
      OwnedFile::wait_for(folder_->descriptor(), CacheFolder::lock_name(key), options_.patience);
  if (auto code = find(key)) return std::move(*code);  // who had the lock before us has kept it
  CachedCode code = compile();
  keep(key, description, code);
  return code;
}

// A sweep reads the whole folder. It is done once for many kernels: after a 32nd of the bound was
// written here, or a minute after the last one anywhere.
void DiskCache::keep(const CacheKey& key, const std::string& description, const CachedCode& code) {
  const auto file = write_entry({key, std::time(nullptr), description, code});
  const auto bytes = static_cast<int64_t>(file.size());
  std::string why;
  if (bytes > options_.size_bound || bytes > kLongestEntry) {
    why = fmt::format("a kernel of {} bytes is too large to be kept", bytes);
  } else if (folder_->publish(key, file, why)) {
    if (bytes_since_sweep_ += bytes;
        bytes_since_sweep_ > options_.size_bound / 32 || sweep_is_due(*folder_)) {
      bytes_since_sweep_ = 0;
      sweep(*folder_, options_.size_bound);
    }
    return;
  }
  const std::lock_guard lock(loss_mutex_);
  loss_ = why;
}

}  // namespace cdsl::runtime
