// What a folder of cached kernels holds, for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cache/cache_folder.h"

namespace cdsl::runtime {

struct CacheStatistics {
  int64_t entries = 0;
  int64_t bytes = 0;
  /// When the entries were used that were used least and most recently; nanoseconds since 1970.
  std::optional<int64_t> oldest, newest;
};

/// Looks at sizes and times alone, and opens no entry.
CacheStatistics cache_statistics(const CacheFolder& folder);

struct ListedEntry {
  StoredFile file;
  std::string damage;       // why it is not usable; empty where it is
  std::string description;  // empty where damaged
  int64_t created = 0;      // seconds since 1970; 0 where damaged
};

/// Reads and verifies every entry; the one used most recently first.
std::vector<ListedEntry> list_entries(const CacheFolder& folder);

}  // namespace cdsl::runtime
