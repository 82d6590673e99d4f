// Many processes on few kernels, killed at any moment: no wrong byte, no lock that stays.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <new>
#include <random>
#include <thread>

#include "cache_fixture.h"
#include "runtime/cache/cache_report.h"
#include "runtime/cache/cache_sweep.h"

namespace cdsl::runtime {
namespace {

using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

constexpr int kProcesses = 32, kRounds = 200, kKernels = 6;

/// What all processes count together.
struct Counters {
  std::atomic<int> rounds = 0, compiled = 0, wrong = 0;
};

class CacheAccidents : public CacheTest {
 protected:
  CacheAccidents()
      : memory_(::mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
        counters(*new (memory_) Counters) {}
  ~CacheAccidents() override { ::munmap(memory_, sizeof(Counters)); }

  CachedCode get(DiskCache& cache, int number, microseconds takes) {
    return cache.get(key_of(number), "", [&] {
      ++counters.compiled;
      std::this_thread::sleep_for(takes);
      return code_of(number);
    });
  }

  /// Until all rounds are done, or the process is killed.
  void work(unsigned seed) {
    CacheOptions options = this->options();
    options.size_bound = 80'000;  // all but the largest fit: there is pruning, too
    DiskCache cache(options);
    std::mt19937 random(seed);
    while (counters.rounds++ < kProcesses * kRounds) {
      const int number = static_cast<int>(random() % kKernels);
      if (random() % 8 == 0) cache.folder()->remove(key_of(number));
      if (random() % 64 == 0) sweep(*cache.folder(), options.size_bound);
      if (get(cache, number, microseconds(random() % 500)) != code_of(number)) ++counters.wrong;
    }
  }

  pid_t start(unsigned seed) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    work(seed);
    ::_exit(0);
  }

 private:
  void* memory_;

 protected:
  Counters& counters;
};

TEST_F(CacheAccidents, ProcessesThatStartTogetherCompileOnce) {
  for (int k = 0; k < kProcesses; ++k) {
    if (::fork() == 0) {
      DiskCache cache(options());
      if (get(cache, 1, microseconds(50'000)) != code_of(1)) ++counters.wrong;
      ::_exit(0);
    }
  }
  while (::wait(nullptr) > 0) {
  }
  EXPECT_EQ(counters.compiled, 1);
  EXPECT_EQ(counters.wrong, 0);
  EXPECT_EQ(list_entries(*DiskCache(options()).folder()).size(), 1u);
}

TEST_F(CacheAccidents, KilledProcessesHarmNobody) {
  std::vector<pid_t> running;
  unsigned started = 0;
  while (started < kProcesses) running.push_back(start(started++));
  std::mt19937 random(1);
  int killed = 0;
  while (counters.rounds < kProcesses * kRounds) {
    std::this_thread::sleep_for(microseconds(500 + random() % 3000));
    pid_t& victim = running[random() % running.size()];
    int status = 0;
    ::kill(victim, SIGKILL);
    ::waitpid(victim, &status, 0);
    killed += WIFSIGNALED(status) ? 1 : 0;
    victim = start(started++);
  }
  for (const pid_t child : running) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(counters.wrong, 0);
  EXPECT_GT(killed, 10);
  EXPECT_GT(counters.compiled, 100);

  DiskCache cache(options());
  const CacheFolder& folder = *cache.folder();
  for (const ListedEntry& entry : list_entries(folder))
    EXPECT_EQ(entry.damage, "") << entry.file.key.hex();
  for (int number = 0; number < kKernels; ++number) {
    folder.remove(key_of(number));
    const auto start = Clock::now();
    EXPECT_EQ(get(cache, number, microseconds(0)), code_of(number));
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));  // a lock that stays would take 60
  }
  remove_leftovers(folder);
  for (const std::string& name : folder.names())
    EXPECT_FALSE(name.ends_with(".lock") || name.ends_with(".tmp")) << name;
}

}  // namespace
}  // namespace cdsl::runtime
