// Compiled kernels kept on disk, for all processes of a user. Losing the cache never loses a
// compilation: where the folder is missing, refused, full or read-only, everything is compiled as
// if there were none. Safe to use from several threads.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cache/cache_entry.h"
#include "runtime/cache/cache_folder.h"
#include "runtime/cache/cache_key.h"

namespace cdsl::runtime {

struct CacheOptions {
  std::filesystem::path folder;                  // empty: no cache
  std::vector<std::filesystem::path> read_only;  // looked at after the folder, never written
  int64_t size_bound = int64_t{1} << 30;         // bytes of all entries, after each sweep
  std::chrono::milliseconds patience{60'000};    // for another process that compiles the same
};

class DiskCache {
 public:
  /// Makes the folder where it is missing.
  explicit DiskCache(CacheOptions options);

  /// Why a folder is not used, or not written to; empty where all are as they should be.
  const std::string& problem() const { return problem_; }
  /// Why the last kernel that could not be kept was not; empty where all were.
  std::string loss() const;

  /// What was kept for the key, verified.
  std::optional<CachedCode> find(const CacheKey& key) const;

  /// What was kept for the key, else the result of `compile`, which is then kept under
  /// `description`. Of all threads and processes that ask at once one compiles, and the others wait
  /// for it; who has waited longer than CacheOptions::patience compiles too. Where `compile`
  /// throws, nothing is kept, the exception passes, and the next in line compiles.
  CachedCode get(const CacheKey& key, const std::string& description,
                 const std::function<CachedCode()>& compile);

  const CacheOptions& options() const { return options_; }
  /// Null where it is off.
  const CacheFolder* folder() const { return folder_ ? &*folder_ : nullptr; }
  const std::vector<CacheFolder>& read_only() const { return read_only_; }

 private:
  void keep(const CacheKey& key, const std::string& description, const CachedCode& code);

  CacheOptions options_;
  std::optional<CacheFolder> folder_;
  std::vector<CacheFolder> read_only_;
  std::string problem_;
  std::atomic<int64_t> bytes_since_sweep_ = 0;
  mutable std::mutex loss_mutex_;
  std::string loss_;
};

}  // namespace cdsl::runtime
