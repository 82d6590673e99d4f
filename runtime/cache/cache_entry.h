// The file of one cached kernel: what was compiled, for which key, sealed by a digest.
//
//   magic "cdslkrnl", version, key, time of creation, description, cubin, log, BLAKE3 of all
//   before
//
// A file that was cut, or of which one bit changed, is never taken for a kernel. The seal guards
// against accidents; against other people the folder's owner and mode do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cache/cache_key.h"

namespace cdsl::runtime {

/// What the compiler made of a text.
struct CachedCode {
  std::vector<std::byte> cubin;
  std::string log;  // of the front end and of ptxas

  friend bool operator==(const CachedCode&, const CachedCode&) = default;
};

struct CacheEntry {
  CacheKey key;
  int64_t created = 0;      // seconds since 1970
  std::string description;  // for people: function, architecture, compiler; cut to 256 bytes
  CachedCode code;
};

/// No file is taken for an entry that is longer.
inline constexpr int64_t kLongestEntry = int64_t{256} << 20;

std::vector<std::byte> write_entry(const CacheEntry& entry);

/// Nothing where `file` is no whole, unchanged entry; `why` then says so in a few words. The machine code stays in the memory
/// of `file`: fresh pages for a copy of it would take longer than its digest.
std::optional<CacheEntry> read_entry(std::vector<std::byte> file, std::string& why);

}  // namespace cdsl::runtime
