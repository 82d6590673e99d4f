#include "tests/random/isolate.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace cdsl::random {
namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(to, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

Isolated run_isolated(const std::function<void(const std::function<void(std::string_view)>&)>& body, int seconds, uint64_t most_bytes) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
#if !defined(__SANITIZE_ADDRESS__)
    const rlimit memory{most_bytes, most_bytes};
    if (most_bytes > 0) setrlimit(RLIMIT_AS, &memory);
#endif
    const rlimit core{0, 0};
    setrlimit(RLIMIT_CORE, &core);
    body([&](std::string_view text) { write_all(ends[1], text); });
    _exit(0);  // no destructors of what the parent owns
  }
  close(ends[1]);
  Isolated result;
  double deadline = now() + seconds;
  char buffer[65536];
  while (true) {
    pollfd waiting{ends[0], POLLIN, 0};
    const double left = deadline - now();
    if (left <= 0) {
      result.end = Isolated::End::Hung;
      kill(child, SIGKILL);
      break;
    }
    if (poll(&waiting, 1, static_cast<int>(left * 1000) + 1) <= 0) continue;
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    deadline = now() + seconds;
    result.text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (result.end == Isolated::End::Hung) return result;
  if (WIFSIGNALED(status)) {
    result.end = Isolated::End::Crashed;
    result.signal = WTERMSIG(status);
  } else if (WEXITSTATUS(status) != 0) {
    result.end = Isolated::End::Crashed;
  }
  return result;
}

}  // namespace cdsl::random
