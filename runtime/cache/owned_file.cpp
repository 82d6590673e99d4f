#include "runtime/cache/owned_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>

namespace cdsl::runtime {
namespace {

int open_flags(OwnedFile::Open how) {
  constexpr int kAlways = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  switch (how) {
    case OwnedFile::Open::New: return kAlways | O_CREAT | O_EXCL;
    case OwnedFile::Open::Existing: return kAlways;
    case OwnedFile::Open::Either: return kAlways | O_CREAT;
  }
  return kAlways;
}

/// Does the name still stand for the open file? Its owner may have removed or renamed it between
/// our opening it and our flock.
bool still_named(int folder, const std::string& name, int file) {
  struct stat opened, named;
  return ::fstat(file, &opened) == 0 &&
         ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

std::optional<OwnedFile> OwnedFile::take(int folder, const std::string& name, Open how,
                                         int& error) {
  FileHandle file(::openat(folder, name.c_str(), open_flags(how), 0600));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    error = errno;
    // A file system without flock: nobody could ever tell that the new file has no owner.
    if (file && error != EWOULDBLOCK && how == Open::New) ::unlinkat(folder, name.c_str(), 0);
    return std::nullopt;
  }
  if (!still_named(folder, name, file.get())) {
    error = EWOULDBLOCK;
    return std::nullopt;
  }
  return OwnedFile(folder, name, std::move(file));
}

std::optional<OwnedFile> OwnedFile::wait_for(int folder, const std::string& name,
                                             std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + patience;
  auto pause = std::chrono::milliseconds(1);
  while (true) {
    int error = 0;
    if (auto file = take(folder, name, Open::Either, error)) return file;
    if (error != EWOULDBLOCK || Clock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(16));
  }
}

// The name goes before the flock: who waits for the flock then finds that the name is gone, and
// starts over with a file of their own.
OwnedFile::~OwnedFile() {
  if (file_) ::unlinkat(folder_, name_.c_str(), 0);
}

bool OwnedFile::publish(const std::string& name) {
  if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) return false;
  file_.close();
  return true;
}

}  // namespace cdsl::runtime
