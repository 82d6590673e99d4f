// The files of one compilation: loading, checking of bytes, lines and columns, resolving imports.
//
// Text is kept as it was read, less a leading byte order mark. Ranges are byte offsets into it;
// files hold at most 64 MiB, so that they fit 32 bits. LF and CR LF end a line.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/support/diagnostic.h"
#include "dsl/support/source.h"

namespace cdsl {

inline constexpr std::uint32_t kMaxFileBytes = 64u << 20;

// Both count from 1; the column counts bytes, a tab as one.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

class SourceManager {
 public:
  // Takes text that is already in memory. The name is shown in messages, and an import that
  // resolves to it finds this text. Longer than kMaxFileBytes is cut there; check_text reports it.
  std::uint32_t add(std::string name, std::string text);

  // Reads a file; kNoFile and a diagnostic at `from` (may be invalid) where that fails. A file that
  // was loaded before, under any spelling of its path, is not read again.
  std::uint32_t load(const std::string& path, DiagnosticSink& sink, SourceRange from = {});

  // Resolves the path of an import: relative to the importing file, then to the import directories.
  // Where there is none, the diagnostic proposes a similar name.
  std::uint32_t load_import(const std::string& path, SourceRange from, DiagnosticSink& sink);
  void add_import_directory(std::string path) { import_directories_.push_back(std::move(path)); }

  // Reports NUL, control characters, byte order marks inside and invalid UTF-8, the first few of a
  // file; true when there are none.
  bool check_text(std::uint32_t file, DiagnosticSink& sink) const;

  std::uint32_t file_count() const { return static_cast<std::uint32_t>(files_.size()); }
  std::string_view name(std::uint32_t file) const { return files_[file].name; }
  std::string_view text(std::uint32_t file) const { return files_[file].text; }
  std::string_view text(SourceRange range) const;

  // Of an offset up to and including the length of the text.
  LineColumn line_column(std::uint32_t file, std::uint32_t offset) const;
  std::uint32_t line_count(std::uint32_t file) const;
  // The range of a line without its line end.
  SourceRange line_range(std::uint32_t file, std::uint32_t line) const;

 private:
  struct File {
    std::string name;
    std::string text;
    bool too_large = false;
    std::vector<std::uint32_t> line_starts;
  };

  std::deque<File> files_;
  std::map<std::string, std::uint32_t> by_path_;  // canonical path, or the name of added text
  std::vector<std::string> import_directories_;
};

}  // namespace cdsl
