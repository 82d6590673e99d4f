// The main of a fuzz target where there is no libFuzzer: replays a corpus and runs seeded mutations of it for a while.
//
// usage: fuzz_TARGET [--seconds=5] [--seed=1] [--print] FILE-OR-FOLDER...
//
// An input that crashes, or takes 2 s of processor time or 512 MiB, is written to finding-TARGET in the working folder, and the
// process ends with a status other than 0. --print shows what each file took and makes no mutations.
#include <sys/resource.h>
#include <sys/time.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.h"

namespace {

namespace fs = std::filesystem;

constexpr double kSecondsOfOne = 2;
constexpr long kMostKilobytes = 512 << 10;

const std::string* current = nullptr;    // the input that runs, for the handler of signals

double time_factor() {
  const char* factor = std::getenv("CDSL_TIME_FACTOR");    // sanitizers make everything several times as slow
  return factor == nullptr ? 1 : std::max(1.0, std::atof(factor));
}

void keep_input() {
  if (current == nullptr) return;
  const int file = open("finding-" CDSL_FUZZ_TARGET, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return;
  if (write(file, current->data(), current->size()) >= 0) close(file);
}

void say(const char* text) {
  if (write(2, text, std::strlen(text)) < 0) std::_Exit(70);
}

extern "C" void on_signal(int number) {
  keep_input();
  say(number == SIGPROF ? CDSL_FUZZ_TARGET ": an input took too long" : CDSL_FUZZ_TARGET ": an input crashed");
  say("; it is in finding-" CDSL_FUZZ_TARGET "\n");
  std::_Exit(1);
}

/// SIGPROF once the process has used so many seconds more; 0 turns it off.
void set_timer(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void run(const std::string& input) {
  current = &input;
  set_timer(kSecondsOfOne * time_factor());
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  set_timer(0);
#if !defined(__SANITIZE_ADDRESS__)    // its shadow and its quarantine count too
  if (peak_kilobytes() > kMostKilobytes) {
    keep_input();
    say(CDSL_FUZZ_TARGET ": an input took more than 512 MiB; it is in finding-" CDSL_FUZZ_TARGET "\n");
    std::_Exit(1);
  }
#endif
  current = nullptr;
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One of the usual small changes: a bit, a byte, a piece left out, said twice, or taken from another input.
void mutate(std::string& text, const std::vector<std::string>& others, std::mt19937_64& random) {
  const auto below = [&random](std::size_t bound) { return static_cast<std::size_t>(random() % std::max<std::size_t>(bound, 1)); };
  const std::size_t at = below(text.size() + 1);
  const std::size_t count = std::min(below(below(2) == 0 ? 4 : 64) + 1, text.size() - at);
  switch (below(6)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << below(8));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(below(256));
      break;
    case 2: text.erase(at, count); break;
    case 3: text.insert(below(text.size() + 1), text.substr(at, count)); break;
    case 4: text.insert(at, 1, static_cast<char>(below(256))); break;
    default: {
      const std::string& other = others[below(others.size())];
      const std::size_t from = below(other.size() + 1);
      text.insert(at, other.substr(from, below(64) + 1));
    }
  }
  if (text.size() > cdsl::fuzz::kMostBytes) text.resize(cdsl::fuzz::kMostBytes);
}

std::vector<fs::path> files_of(const std::vector<std::string>& places) {
  std::vector<fs::path> files;
  for (const std::string& place : places) {
    if (fs::is_directory(place)) {
      for (const auto& entry : fs::recursive_directory_iterator(place))
        if (entry.is_regular_file()) files.push_back(entry.path());
    } else {
      files.emplace_back(place);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 5;
  uint64_t seed = 1;
  bool print = false;
  std::vector<std::string> places;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    if (argument.starts_with("--seconds="))
      seconds = std::atof(argument.c_str() + 10);
    else if (argument.starts_with("--seed="))
      seed = std::strtoull(argument.c_str() + 7, nullptr, 10);
    else if (argument == "--print")
      print = true;
    else
      places.push_back(argument);
  }
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGPROF}) std::signal(number, on_signal);

  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::vector<std::string> corpus;
  for (const fs::path& file : files_of(places)) {
    corpus.push_back(contents(file));
    const auto start = Clock::now();
    run(corpus.back());
    if (print) std::printf("%8.3f s %8ld KiB  %s\n", since(start), peak_kilobytes(), file.c_str());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no corpus\n", CDSL_FUZZ_TARGET);
    return 2;
  }
  std::mt19937_64 random(seed);
  const auto start = Clock::now();
  long runs = 0;
  for (; !print && since(start) < seconds; ++runs) {
    std::string input = corpus[random() % corpus.size()];
    for (std::size_t changes = random() % 8 + 1; changes > 0; --changes) mutate(input, corpus, random);
    run(input);
  }
  std::printf("%s: %zu inputs replayed, %ld mutations, seed %llu\n", CDSL_FUZZ_TARGET, corpus.size(), runs,
              static_cast<unsigned long long>(seed));
  return 0;
}
