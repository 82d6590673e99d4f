// Upkeep of a folder of cached kernels: what dead processes left, and its size.
#pragma once

#include <cstdint>

#include "runtime/cache/cache_folder.h"

namespace cdsl::runtime {

struct Removed {
  int64_t files = 0;
  int64_t bytes = 0;
};

/// Removes the entries that were used least recently until the others take at most `bound` bytes.
Removed prune(const CacheFolder& folder, int64_t bound);

/// Removes locks and half-written entries whose owner died; those in use stay.
Removed remove_leftovers(const CacheFolder& folder);

/// Removes all entries, and what dead processes left.
Removed clear(const CacheFolder& folder);

/// Removes leftovers and prunes, and remembers in the folder when it was.
void sweep(const CacheFolder& folder, int64_t bound);

/// Was the last sweep, by whichever process, more than a minute ago?
bool sweep_is_due(const CacheFolder& folder);

}  // namespace cdsl::runtime
