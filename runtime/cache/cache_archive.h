// Cached kernels as one file, to be taken to another machine.
//
//   magic "cdslpack", version, then for each entry its length and its file, and a length of 0
//
// There are no names in it: an entry's key stands inside its digest, and the folder's file is named
// by that. An archive tells what a machine will run, so take it only from whom you trust: the
// digests find damage, not malice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/cache/cache_folder.h"

namespace cdsl::runtime {

struct ArchiveOutcome {
  int64_t taken = 0;    // entries written to the archive, or to the folder
  int64_t present = 0;  // import: the folder has them already
  int64_t damaged = 0;  // left out
  std::string problem;  // a sentence where it could not be finished; empty where it was
};

/// Writes all entries that are whole to `path`; a file that exists is replaced as a whole or not at
/// all.
ArchiveOutcome export_entries(const CacheFolder& folder, const std::filesystem::path& path);

/// Takes in every entry that is whole, and none of which a byte is wrong. Whatever the archive
/// holds, no more memory is taken than the longest entry needs.
ArchiveOutcome import_entries(const CacheFolder& folder, const std::filesystem::path& path);

}  // namespace cdsl::runtime
