// A folder of cached kernels: whose it must be, and whole entries in and out of it.
//
//   KEY.kernel        an entry (cache_entry.h), written once, replaced as a whole
//   KEY.lock          owned by who compiles that key (owned_file.h)
//   KEY.N.tmp         an entry that its owner is writing
//   swept             touched by each sweep (cache_sweep.h)
//
// Everything goes through the folder as it was when it was opened and judged: what anybody puts at
// its path later is never looked at. Safe to use from several threads.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cache/cache_key.h"
#include "runtime/cache/file_handle.h"

namespace cdsl::runtime {

/// An entry as the folder lists it; it may be damaged.
struct StoredFile {
  CacheKey key;
  int64_t bytes = 0;
  int64_t last_used = 0;  // nanoseconds since 1970
};

class CacheFolder {
 public:
  /// The user's own, made with those above it (mode 0700) where it is missing. Nothing, and a
  /// sentence in `why`, where it is somebody else's, a link, no folder, or open to others' writing.
  static std::optional<CacheFolder> open_own(const std::filesystem::path& path, std::string& why);
  /// One that is only read: the user's or root's, and nobody else may write there.
  static std::optional<CacheFolder> open_read_only(const std::filesystem::path& path,
                                                   std::string& why);

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return folder_.get(); }
  bool writable() const { return writable_; }

  /// The file of an entry, unverified. A file of others, or one that others may write, does not
  /// count.
  std::optional<std::vector<std::byte>> read(const CacheKey& key) const;
  /// Writes down that the entry is in use, at most once a minute; nothing in a folder that is only
  /// read.
  void mark_used(const CacheKey& key) const;
  /// Readers see all of it or nothing. False, and a sentence in `why`, where it cannot be written.
  bool publish(const CacheKey& key, std::span<const std::byte> file, std::string& why) const;
  bool remove(const CacheKey& key) const;
  /// All entries, in no order.
  std::vector<StoredFile> entries() const;
  /// Of all files in it, in no order.
  std::vector<std::string> names() const;

  static std::string entry_name(const CacheKey& key) { return key.hex() + ".kernel"; }
  static std::string lock_name(const CacheKey& key) { return key.hex() + ".lock"; }

 private:
  CacheFolder(std::filesystem::path path, FileHandle folder, bool writable)
      : path_(std::move(path)), folder_(std::move(folder)), writable_(writable) {}

  std::filesystem::path path_;
  FileHandle folder_;
  bool writable_;
};

}  // namespace cdsl::runtime
