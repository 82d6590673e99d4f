// cdsl_random: random programs, evaluator against device; see README.md.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/random/coverage.h"
#include "tests/random/generator.h"
#include "tests/random/shrink.h"

namespace cdsl::random {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kUsage =
    "usage: cdsl_random [--seed N] [--count N] [--time SECONDS] [-j N] [--device sim|text|cuda] [--keep FOLDER] [--coverage FILE.tsv]\n"
    "                   [--steps N] [--timeout SECONDS] [--shrink SECONDS] [--print]\n";

struct Options {
  uint64_t seed = 1;
  int count = 1000;
  double time = 1e9;
  int processes = 1;
  std::string keep, coverage;
  double shrink_seconds = 40;
  bool print = false;  // the program of --seed, and nothing else
  CheckOptions check;
};

bool read_options(int argc, char** argv, Options& options) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--print") {
      options.print = true;
      continue;
    }
    const bool joined = word.starts_with("-j") && word.size() > 2;
    if (!joined && k + 1 >= argc) return false;
    std::istringstream value(joined ? word.substr(2) : argv[++k]);
    if (word == "--seed") value >> options.seed;
    else if (word == "--count") value >> options.count;
    else if (word == "--time") value >> options.time;
    else if (word == "-j" || joined) value >> options.processes;
    else if (word == "--device") value >> options.check.device;
    else if (word == "--keep") std::getline(value, options.keep);
    else if (word == "--coverage") std::getline(value, options.coverage);
    else if (word == "--steps") value >> options.check.most_steps;
    else if (word == "--timeout") value >> options.check.seconds;
    else if (word == "--shrink") value >> options.shrink_seconds;
    else return false;
    if (value.fail()) return false;
  }
  return true;
}

std::map<std::string, int64_t> all_sizes(const Program& program) {
  return program.size_values();
}

std::string cell(std::string text) {
  for (char& c : text)
    if (c == '\t' || c == '\n') c = ' ';
  return text;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// Everything about one seed, in a process of its own; what it finds goes to `out` as lines.
void run_seed(uint64_t seed, const Options& options, std::ostream& out) {
  Program program = Generator(seed).make();
  CheckOptions check_options = options.check;
  check_options.seed = seed;
  const std::string text = program.print();
  const CheckReport report = check(text, all_sizes(program), check_options);
  for (const std::string& construct : program.constructs) out << "construct\t" << construct << "\n";
  for (const auto& [decision, count] : report.decisions) out << "decision\t" << decision << "\n";
  for (const auto& [what, count] : report.counts) out << "count\t" << count << "\t" << what << "\n";
  std::set<std::string> signatures;
  for (const Finding& finding : report.findings) {
    if (!signatures.insert(finding.kind).second) continue;  // one of a kind: others are mostly the same under another schedule
    std::string name = fmt::format("{}-{}", seed, signatures.size());
    Shrunk small{program, finding, 0, 0};
    if (options.shrink_seconds > 0) small = shrink(program, finding, check_options, options.shrink_seconds);
    const std::string least = small.program.print();
    if (!options.keep.empty()) {
      const std::filesystem::path folder = options.keep;
      write_file(folder / (name + ".cdsl"), fmt::format("// seed {}: {}\n// {}\n// {}\n{}", seed, cell(small.finding.kind), cell(small.finding.message),
                                                       small.finding.command(name + ".cdsl"), least));
      write_file(folder / (name + ".original.cdsl"), fmt::format("// {}\n{}", finding.command(name + ".original.cdsl"), text));
    }
    std::string lines = least;
    for (char& c : lines)
      if (c == '\n') c = '\v';
    out << "finding\t" << cell(small.finding.signature()) << "\t" << cell(small.finding.kind) << "\t" << cell(small.finding.message) << "\t"
        << small.finding.command(name + ".cdsl") << "\t" << lines << "\n";
  }
  out.flush();
}

struct Worker {
  pid_t process = 0;
  int from = -1;
  uint64_t seed = 0;
  std::string text;
};

class Hunt {
 public:
  explicit Hunt(const Options& options) : options_(options) {}

  int run() {
    const auto start = Clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    int started = 0;
    while (true) {
      while (started < options_.count && spent() < options_.time && static_cast<int>(workers_.size()) < options_.processes)
        begin(options_.seed + static_cast<uint64_t>(started++));
      if (workers_.empty()) break;
      wait();
      if (isatty(2) != 0)
        std::cerr << fmt::format("\r{} programs, {} findings, {:.0f} s ", coverage_.programs(), findings_, spent()) << std::flush;
    }
    if (isatty(2) != 0) std::cerr << "\n";
    summary(spent());
    return findings_ > 0 ? 1 : 0;
  }

 private:
  void begin(uint64_t seed) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::cout.flush();
    const pid_t process = fork();
    if (process == 0) {
      close(ends[0]);
      std::ostringstream out;
      run_seed(seed, options_, out);
      const std::string text = out.str() + "end\n";
      for (std::size_t at = 0; at < text.size();) {
        const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
        if (written <= 0) break;
        at += static_cast<std::size_t>(written);
      }
      _exit(0);
    }
    close(ends[1]);
    workers_.push_back({process, ends[0], seed, ""});
  }

  void wait() {
    std::vector<pollfd> waiting;
    for (const Worker& worker : workers_) waiting.push_back({worker.from, POLLIN, 0});
    poll(waiting.data(), waiting.size(), 1000);
    for (std::size_t k = workers_.size(); k-- > 0;) {
      if (waiting[k].revents == 0) continue;
      char buffer[65536];
      const ssize_t got = read(workers_[k].from, buffer, sizeof buffer);
      if (got > 0) {
        workers_[k].text.append(buffer, static_cast<std::size_t>(got));
        continue;
      }
      close(workers_[k].from);
      waitpid(workers_[k].process, nullptr, 0);
      finish(workers_[k]);
      workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  void finish(const Worker& worker) {
    std::set<std::string> constructs;
    std::map<std::string, int> decisions;
    bool ended = false;
    std::istringstream lines(worker.text);
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> words(1);
      for (char c : line) {
        if (c == '\t') words.emplace_back();
        else words.back() += c;
      }
      if (words[0] == "construct") constructs.insert(words[1]);
      if (words[0] == "decision") ++decisions[words[1]];
      if (words[0] == "count") counts_[words[2]] += std::stoll(words[1]);
      if (words[0] == "finding") tell(worker.seed, words);
      ended |= words[0] == "end";
    }
    if (!ended) tell(worker.seed, {"finding", "generator ended", "generator ended", "no result", "", ""});
    coverage_.add(constructs, decisions);
  }

  void tell(uint64_t seed, const std::vector<std::string>& words) {
    ++findings_;
    if (++by_signature_[words[1]] > 3) return;  // more of the same say little
    std::string program = words[5];
    for (char& c : program)
      if (c == '\v') c = '\n';
    std::cout << fmt::format("seed {}: {}: {}\n  {}\n{}\n", seed, words[2], words[3], words[4], program) << std::flush;
  }

  void summary(double seconds) {
    std::cout << fmt::format("{} programs from seed {} in {:.0f} s: {} findings\n", coverage_.programs(), options_.seed, seconds, findings_);
    for (const auto& [what, count] : counts_) std::cout << fmt::format("  {:9} {}\n", count, what);
    for (const auto& [signature, count] : by_signature_) std::cout << fmt::format("finding, {} times: {}\n", count, signature);
    if (!options_.coverage.empty()) write_file(options_.coverage, coverage_.table());
  }

  const Options& options_;
  std::vector<Worker> workers_;
  Coverage coverage_;
  std::map<std::string, int64_t> counts_;
  std::map<std::string, int> by_signature_;
  int findings_ = 0;
};

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) {
    std::cerr << kUsage;
    return 2;
  }
  std::string problem;
  if (make_device_source(options.check.device, problem) == nullptr) {
    std::cerr << problem << "\n";
    return 2;
  }
  if (options.print) {
    const Program program = Generator(options.seed).make();
    std::cout << program.print();
    for (const auto& [name, value] : program.size_values()) std::cout << fmt::format("// {} = {}\n", name, value);
    return 0;
  }
  if (!options.keep.empty()) std::filesystem::create_directories(options.keep);
  return Hunt(options).run();
}

}  // namespace
}  // namespace cdsl::random

int main(int argc, char** argv) { return cdsl::random::main(argc, argv); }
