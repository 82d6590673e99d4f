// Places in source text: a file number and byte offsets, nothing more.
//
// Lines, columns and text are looked up by the owner of the files (frontend/source.h), so that
// every level of the compiler can carry places around for 12 bytes and with no dependency.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cdsl {

inline constexpr std::uint32_t kNoFile = 0xFFFFFFFFu;

// The bytes [begin, end) of one file; begin == end is a place between two bytes.
struct SourceRange {
  std::uint32_t file = kNoFile;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  constexpr bool valid() const { return file != kNoFile; }
  // The empty places at both ends, where a fix-it inserts.
  constexpr SourceRange start() const { return {file, begin, begin}; }
  constexpr SourceRange finish() const { return {file, end, end}; }
  friend constexpr bool operator==(const SourceRange&, const SourceRange&) = default;
};

// The smallest range that holds both; an invalid one, or one of another file, is ignored.
constexpr SourceRange cover(SourceRange a, SourceRange b) {
  if (!a.valid()) return b;
  if (!b.valid() || a.file != b.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace cdsl
