#include "api/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace cdsl {
namespace {

namespace fs = std::filesystem;

Failure failure(const char* what, const std::string& path, int error) {
  return {fmt::format("cannot {} '{}': {}", what, path, std::strerror(error))};
}

/// Writes all of it; 0, or the error.
int write_all(int file, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::optional<Failure> write_straight(const std::string& path, std::string_view contents) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return failure("write", path, errno);
  const int error = write_all(file, contents);
  if (::close(file) != 0 && error == 0) return failure("write", path, errno);
  return error == 0 ? std::nullopt : std::optional(failure("write", path, error));
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return failure("read", path, EISDIR);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) return failure("read", path, errno);
  std::string contents;
  char block[1 << 16];
  while (const std::size_t length = std::fread(block, 1, sizeof block, file.get()))
    contents.append(block, length);
  if (std::ferror(file.get()) != 0) return failure("read", path, errno);
  return contents;
}

std::optional<Failure> write_file(const std::string& path, std::string_view contents) {
  struct stat info;
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return failure("write", path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) return write_straight(path, contents);
  if (exists && ::access(path.c_str(), W_OK) != 0) return failure("write", path, errno);

  // A link is followed, so that its target is replaced and not the link.
  std::error_code ignored;
  const std::string target = exists ? fs::canonical(path, ignored).string() : path;
  std::string temporary = (target.empty() ? path : target) + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return failure("write", path, errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(file, exists ? info.st_mode & 07777 : 0666 & ~mask);
  int error = write_all(file, contents);
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), (target.empty() ? path : target).c_str()) != 0)
    error = errno;
  if (error == 0) return std::nullopt;
  ::unlink(temporary.c_str());
  return failure("write", path, error);
}

std::optional<Failure> make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Failure{fmt::format("cannot create folder '{}': {}", path, error.message())};
  if (!fs::is_directory(path, error))
    return Failure{fmt::format("cannot create folder '{}': a file of that name exists", path)};
  return std::nullopt;
}

}  // namespace cdsl
