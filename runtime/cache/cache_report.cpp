#include "runtime/cache/cache_report.h"

#include <algorithm>
#include <tuple>

#include "runtime/cache/cache_entry.h"

namespace cdsl::runtime {
namespace {

ListedEntry inspect(const CacheFolder& folder, const StoredFile& file) {
  ListedEntry listed{file, {}, {}, 0};
  auto bytes = folder.read(file.key);
  if (!bytes) {
    listed.damage = "it cannot be read, or others may write to it";
    return listed;
  }
  const auto entry = read_entry(std::move(*bytes), listed.damage);
  if (!entry) return listed;
  if (entry->key != file.key) {
    listed.damage = "it is the entry of another key";
    return listed;
  }
  listed.description = entry->description;
  listed.created = entry->created;
  return listed;
}

}  // namespace

CacheStatistics cache_statistics(const CacheFolder& folder) {
  CacheStatistics statistics;
  for (const StoredFile& file : folder.entries()) {
    ++statistics.entries;
    statistics.bytes += file.bytes;
    statistics.oldest = std::min(statistics.oldest.value_or(file.last_used), file.last_used);
    statistics.newest = std::max(statistics.newest.value_or(file.last_used), file.last_used);
  }
  return statistics;
}

std::vector<ListedEntry> list_entries(const CacheFolder& folder) {
  std::vector<StoredFile> files = folder.entries();
  std::sort(files.begin(), files.end(), [](const StoredFile& a, const StoredFile& b) {
    return std::tie(b.last_used, a.key) < std::tie(a.last_used, b.key);
  });
  std::vector<ListedEntry> entries;
  for (const StoredFile& file : files) entries.push_back(inspect(folder, file));
  return entries;
}

}  // namespace cdsl::runtime
