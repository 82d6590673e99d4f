#include "runtime/cache/folder_trust.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

bool right_owner(uid_t owner, Trust trust) {
  return owner == ::geteuid() || (trust == Trust::ReadOnly && owner == 0);
}

/// What is wrong with what the path names; empty where nothing is.
std::string fault_of(const struct stat& info, Trust trust) {
  if (S_ISLNK(info.st_mode)) return "it is a link; name the folder itself";
  if (!S_ISDIR(info.st_mode)) return "it is no folder";
  if (!right_owner(info.st_uid, trust))
    return fmt::format("it belongs to user {}, not to user {}", info.st_uid, ::geteuid());
  if ((info.st_mode & kOthersWrite) != 0) {
    return fmt::format("other users may write to it (mode {:04o}); chmod go-w makes it private",
                       info.st_mode & 07777);
  }
  return {};
}

}  // namespace

bool is_private(const struct stat& info, Trust trust) {
  return right_owner(info.st_uid, trust) && (info.st_mode & kOthersWrite) == 0;
}

std::optional<FileHandle> open_trusted(const fs::path& path, Trust trust, std::string& why) {
  // The first look tells links from files for the message; the one that counts is at what was
  // opened.
  struct stat info;
  std::string fault;
  FileHandle folder;
  if (::lstat(path.c_str(), &info) != 0) {
    fault = std::strerror(errno);
  } else if (fault = fault_of(info, trust); fault.empty()) {
    folder = FileHandle(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    fault = folder && ::fstat(folder.get(), &info) == 0 ? fault_of(info, trust)
                                                        : std::string(std::strerror(errno));
  }
  if (fault.empty()) return folder;
  why = fmt::format("'{}' is not used for cached kernels: {}", path.string(), fault);
  return std::nullopt;
}

int make_private_folders(const fs::path& path) {
  fs::path so_far;
  for (const fs::path& part : path) {
    so_far /= part;
    if (::mkdir(so_far.c_str(), 0700) == 0) continue;
    const int error = errno;
    struct stat info;
    // Where it exists, the error may be any: EEXIST, or EROFS, or EACCES of the folder above it.
    if (::stat(so_far.c_str(), &info) != 0) return error;
  }
  return 0;
}

}  // namespace cdsl::runtime
