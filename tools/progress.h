// "[3/12] saxpy N=4096" on the last line of a terminal, gone when the work is done. Nothing where standard error is no terminal.
#pragma once

#include <cstddef>
#include <string>

namespace cdsl::tools {

class Progress {
 public:
  /// Shown where there are several parts.
  explicit Progress(std::size_t total);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The next part begins.
  void next(const std::string& what);
  /// Something else is about to be printed.
  void clear() const;

 private:
  std::size_t total_, at_ = 0;
  bool is_shown_;
};

}  // namespace cdsl::tools
