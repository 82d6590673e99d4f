#include "runtime/cache/cache_archive.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "runtime/cache/byte_codec.h"
#include "runtime/cache/cache_entry.h"

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "cdslpack";
constexpr uint64_t kVersion = 1;

std::vector<std::byte> heading() {
  ByteWriter writer;
  writer.raw(std::as_bytes(std::span(kMagic)));
  writer.number(kVersion);
  return writer.take();
}

std::vector<std::byte> number(uint64_t value) {
  ByteWriter writer;
  writer.number(value);
  return writer.take();
}

/// The file's bytes where it is a whole entry under its own key.
std::optional<std::vector<std::byte>> whole_entry(const CacheFolder& folder, const CacheKey& key) {
  auto file = folder.read(key);
  std::string why;
  const auto entry = file ? read_entry(*file, why) : std::nullopt;
  if (!entry || entry->key != key) return std::nullopt;
  return file;
}

/// False, with errno, where writing fails.
bool write_entries(const CacheFolder& folder, int archive, ArchiveOutcome& outcome) {
  std::vector<StoredFile> files = folder.entries();
  std::sort(files.begin(), files.end(),
            [](const StoredFile& a, const StoredFile& b) { return a.key < b.key; });
  if (!write_bytes(archive, heading())) return false;
  for (const StoredFile& file : files) {
    const auto entry = whole_entry(folder, file.key);
    if (!entry) {
      ++outcome.damaged;
      continue;
    }
    if (!write_bytes(archive, number(entry->size())) || !write_bytes(archive, *entry)) return false;
    ++outcome.taken;
  }
  return write_bytes(archive, number(0));
}

/// The sentence that says why the rest cannot be read; empty at the archive's end.
std::string read_entries(const CacheFolder& folder, int archive, ArchiveOutcome& outcome) {
  const std::vector<std::byte> wanted = heading();
  const auto start = read_bytes(archive, static_cast<int64_t>(wanted.size()));
  if (!start) return std::strerror(errno);
  if (*start != wanted) return "it is no archive that this version of cuoptc reads";
  while (true) {
    const auto prefix = read_bytes(archive, 8);
    if (!prefix) return std::strerror(errno);
    if (prefix->size() < 8) return "it is cut short";
    const uint64_t length = ByteReader(*prefix).number();
    if (length == 0) return {};
    if (length > static_cast<uint64_t>(kLongestEntry)) return "a length in it is absurd";
    const auto file = read_bytes(archive, static_cast<int64_t>(length));
    if (!file) return std::strerror(errno);
    if (file->size() < length) return "it is cut short";
    std::string why;
    const auto entry = read_entry(*file, why);
    if (!entry)
      ++outcome.damaged;
    else if (whole_entry(folder, entry->key))
      ++outcome.present;
    else if (!folder.publish(entry->key, *file, why))
      return why;
    else
      ++outcome.taken;
  }
}

}  // namespace

ArchiveOutcome export_entries(const CacheFolder& folder, const fs::path& path) {
  ArchiveOutcome outcome;
  std::string temporary = path.string() + ".XXXXXX";
  FileHandle archive(::mkostemp(temporary.data(), O_CLOEXEC));
  const bool written = archive && write_entries(folder, archive.get(), outcome) &&
                       std::rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) {
    outcome.problem = fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno));
    if (archive) ::unlink(temporary.c_str());
  }
  return outcome;
}

ArchiveOutcome import_entries(const CacheFolder& folder, const fs::path& path) {
  ArchiveOutcome outcome;
  const FileHandle archive(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::string why =
      archive ? read_entries(folder, archive.get(), outcome) : std::strerror(errno);
  if (!why.empty()) outcome.problem = fmt::format("'{}': {}", path.string(), why);
  return outcome;
}

}  // namespace cdsl::runtime
