#include "process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace cdsl::emulation {

Process::Process(const std::vector<std::string>& command) {
  output_ = memfd_create("output", MFD_CLOEXEC);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output_, 1);
  posix_spawn_file_actions_adddup2(&actions, output_, 2);
  if (posix_spawnp(&pid_, words[0], &actions, nullptr, words.data(), environ) != 0) pid_ = -1;
  posix_spawn_file_actions_destroy(&actions);
}

Ended Process::wait() {
  Ended ended;
  int status = 0;
  if (pid_ > 0 && waitpid(pid_, &status, 0) == pid_ && WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  pid_ = -1;
  char buffer[4096];
  lseek(output_, 0, SEEK_SET);
  for (ssize_t got; (got = read(output_, buffer, sizeof buffer)) > 0;) ended.output.append(buffer, static_cast<std::size_t>(got));
  close(output_);
  return ended;
}

}  // namespace cdsl::emulation
