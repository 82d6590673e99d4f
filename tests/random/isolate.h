// Runs a function in a child process, so that a crash or a hang of the compiler is a result and not the end of the run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace cdsl::random {

struct Isolated {
  enum class End { Returned, Crashed, Hung };
  End end = End::Returned;
  int signal = 0;
  std::string text;  // what the body wrote before its end
};

/// `body` is given a function that writes. `seconds`: of wall time without a word, after which the child is killed. `most_bytes`: of
/// its address space; 0: no limit.
Isolated run_isolated(const std::function<void(const std::function<void(std::string_view)>&)>& body, int seconds, uint64_t most_bytes);

}  // namespace cdsl::random
