// Files that live as long as their owner: locks, and files that are still being written.
//
// The path belongs to whoever holds the flock of the file that it names. Nobody else removes or
// renames it, and the kernel gives the flock up when its holder dies, however it dies. What a dead
// process left can thus be told from what a live one uses, without process numbers or clocks.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "runtime/cache/file_handle.h"

namespace cdsl::runtime {

class OwnedFile {
 public:
  enum class Open { New, Existing, Either };

  /// Takes the file of that name, or fails at once. `error` is then EWOULDBLOCK where somebody else
  /// owns it, or the errno of the call that failed.
  static std::optional<OwnedFile> take(int folder, const std::string& name, Open how, int& error);

  /// Waits for the present owner, but no longer than `patience`. Nothing where that was not enough,
  /// or where no such file can be made.
  static std::optional<OwnedFile> wait_for(int folder, const std::string& name,
                                           std::chrono::milliseconds patience);

  OwnedFile(OwnedFile&& other) noexcept = default;
  OwnedFile& operator=(OwnedFile&&) = delete;
  /// Removes the file, unless it was published.
  ~OwnedFile();

  int descriptor() const { return file_.get(); }
  /// Gives it its final name, at once and over what has that name; it is then no longer owned.
  /// False, with errno, where that fails.
  bool publish(const std::string& name);

 private:
  OwnedFile(int folder, std::string name, FileHandle file)
      : folder_(folder), name_(std::move(name)), file_(std::move(file)) {}

  int folder_;
  std::string name_;
  FileHandle file_;  // closed: nothing is owned
};

}  // namespace cdsl::runtime
