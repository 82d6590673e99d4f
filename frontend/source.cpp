#include "frontend/source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <llvm/Support/MemoryBuffer.h>

#include "dsl/support/check.h"
#include "dsl/support/suggest.h"

namespace cdsl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBom = "\xEF\xBB\xBF";

// A pipe or a device, which has no size and may have no end.
bool is_stream(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// At most a little more than a source file may have.
std::string read_stream(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  char block[1 << 16];
  while (text.size() <= kMaxFileBytes + kBom.size() && (in.read(block, sizeof block), in.gcount() > 0))
    text.append(block, static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string canonical(const std::string& path) {
  std::error_code error;
  fs::path full = fs::weakly_canonical(path, error);
  return error ? fs::path(path).lexically_normal().string() : full.string();
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

// The names in the directory of a path that does not exist, to propose one.
std::string similar_file(const fs::path& path) {
  std::error_code error;
  std::vector<std::string> names;
  fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".cdsl") names.push_back(it->path().filename().string());
    if (names.size() == 1000) break;
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string_view> views(names.begin(), names.end());
  return did_you_mean(path.filename().string(), views);
}

}  // namespace

std::uint32_t SourceManager::add(std::string name, std::string text) {
  File file;
  if (text.starts_with(kBom)) text.erase(0, kBom.size());
  if (text.size() > kMaxFileBytes) {
    text.resize(kMaxFileBytes);
    file.too_large = true;
  }
  file.line_starts.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    file.line_starts.push_back(static_cast<std::uint32_t>(at + 1));
  std::uint32_t id = file_count();
  by_path_.emplace(canonical(name), id);
  file.name = std::move(name);
  file.text = std::move(text);
  files_.push_back(std::move(file));
  return id;
}

std::uint32_t SourceManager::load(const std::string& path, DiagnosticSink& sink, SourceRange from) {
  if (auto known = by_path_.find(canonical(path)); known != by_path_.end()) return known->second;
  std::error_code error;
  if (path.find('\0') != std::string::npos || fs::is_directory(path, error)) {
    sink.report(Code::FileNotFound, from, fmt::format("cannot read '{}': not a file", path));
    return kNoFile;
  }
  if (std::uintmax_t size = fs::file_size(path, error);
      !error && size > kMaxFileBytes + kBom.size()) {
    sink.report(Code::FileTooLarge, from,
                fmt::format("'{}' has {} bytes, the limit is {}", path, size, kMaxFileBytes));
    return kNoFile;
  }
  if (is_stream(path)) {
    std::string text = read_stream(path);
    if (text.size() <= kMaxFileBytes + kBom.size()) return add(path, std::move(text));
    sink.report(Code::FileTooLarge, from,
                fmt::format("'{}' goes on after {} bytes", path, kMaxFileBytes));
    return kNoFile;
  }
  auto buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    std::string reason = buffer.getError().message();
    sink.report(Code::FileNotFound, from,
                fmt::format("cannot read '{}': {}{}", path, reason, similar_file(path)));
    return kNoFile;
  }
  return add(path, (*buffer)->getBuffer().str());
}

std::uint32_t SourceManager::load_import(const std::string& path, SourceRange from,
                                         DiagnosticSink& sink) {
  std::vector<fs::path> places;
  if (fs::path(path).is_absolute()) {
    places.push_back(path);
  } else {
    places.push_back(fs::path(name(from.file)).parent_path() / path);
    for (const std::string& directory : import_directories_)
      places.push_back(fs::path(directory) / path);
  }
  for (const fs::path& place : places) {
    if (by_path_.contains(canonical(place.string())) || is_file(place))
      return load(place.string(), sink, from);
  }
  return load(places.front().string(), sink, from);
}

std::string_view SourceManager::text(SourceRange range) const {
  CDSL_CHECK(range.file < files_.size(), "range of no file");
  std::string_view all = files_[range.file].text;
  CDSL_CHECK(range.begin <= range.end && range.end <= all.size(), "range outside its file");
  return all.substr(range.begin, range.end - range.begin);
}

LineColumn SourceManager::line_column(std::uint32_t file, std::uint32_t offset) const {
  CDSL_CHECK(file < files_.size(), "place in no file");
  const File& source = files_[file];
  auto next = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  std::uint32_t start = *(next - 1);
  auto line = static_cast<std::uint32_t>(next - source.line_starts.begin());
  return {line, std::min(offset, static_cast<std::uint32_t>(source.text.size())) - start + 1};
}

std::uint32_t SourceManager::line_count(std::uint32_t file) const {
  return static_cast<std::uint32_t>(files_[file].line_starts.size());
}

SourceRange SourceManager::line_range(std::uint32_t file, std::uint32_t line) const {
  const File& source = files_[file];
  CDSL_CHECK(line >= 1 && line <= source.line_starts.size(), "no such line");
  std::uint32_t begin = source.line_starts[line - 1];
  std::uint32_t end = line < source.line_starts.size()
                          ? source.line_starts[line] - 1
                          : static_cast<std::uint32_t>(source.text.size());
  if (end > begin && source.text[end - 1] == '\r') --end;
  return {file, begin, end};
}

}  // namespace cdsl
