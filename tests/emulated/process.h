// Other programs, run without a shell.
#pragma once

#include <string>
#include <vector>

namespace cdsl::emulation {

struct Ended {
  int status = -1;     // -1: it could not be run, or was killed
  std::string output;  // standard output and standard error
};

/// A program under way; its output goes to a file that is gone once it is read.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command);
  Ended wait();

 private:
  int pid_ = -1, output_ = -1;
};

inline Ended run(const std::vector<std::string>& command) {
  return Process(command).wait();
}

}  // namespace cdsl::emulation
