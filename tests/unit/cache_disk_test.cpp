// The disk cache as its callers see it: one compilation a key, and no accident that loses more than
// the cache.
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "cache_fixture.h"
#include "runtime/cache/owned_file.h"

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

class DiskCacheTest : public CacheTest {
 protected:
  fs::path file_of(int number) const { return base / "cache" / (key_of(number).hex() + ".kernel"); }
  void keep(int number, CacheOptions options) const {
    DiskCache(options).get(key_of(number), "", [number] { return code_of(number); });
  }
};

TEST_F(DiskCacheTest, CompilesOnce) {
  keep(1, options());
  DiskCache cache(options());
  EXPECT_EQ(cache.problem(), "");
  EXPECT_EQ(cache.get(key_of(1), "", must_not_compile), code_of(1));
  EXPECT_FALSE(cache.find(key_of(2)));
}

TEST_F(DiskCacheTest, WithoutAFolderCompilesEachTime) {
  DiskCache cache(CacheOptions{});
  EXPECT_EQ(cache.problem(), "");
  for (int time = 0; time < 2; ++time)
    EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
  EXPECT_FALSE(cache.find(key_of(1)));
}

TEST_F(DiskCacheTest, KeepsNothingOfACompilationThatThrows) {
  DiskCache cache(options());
  const auto fail = []() -> CachedCode { throw std::runtime_error("rejected"); };
  EXPECT_THROW(cache.get(key_of(1), "", fail), std::runtime_error);
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
  EXPECT_TRUE(cache.find(key_of(1)));
}

TEST_F(DiskCacheTest, DamagedEntryIsCompiledAgain) {
  keep(1, options());
  std::fstream(file_of(1), std::ios::in | std::ios::out).seekp(300).put('?');
  DiskCache cache(options());
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
  EXPECT_TRUE(cache.find(key_of(1)));
}

TEST_F(DiskCacheTest, EntryOfAnotherKeyIsNoHit) {
  keep(1, options());
  fs::rename(file_of(1), file_of(2));
  EXPECT_FALSE(DiskCache(options()).find(key_of(2)));
}

TEST_F(DiskCacheTest, SixteenThreadsCompileOnce) {
  DiskCache cache(options());
  std::atomic<int> compiled = 0, right = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 16; ++k) {
    threads.emplace_back([&] {
      const CachedCode code = cache.get(key_of(1), "", [&] {
        ++compiled;
        std::this_thread::sleep_for(milliseconds(20));
        return code_of(1);
      });
      right += code == code_of(1) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(right, 16);
}

TEST_F(DiskCacheTest, ThreadsOnManyKeysWithASmallBound) {
  CacheOptions small = options();
  small.size_bound = 60'000;
  DiskCache cache(small);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k) {
    threads.emplace_back([&, k] {
      for (int round = 0; round < 50; ++round) {
        const int number = (k * 5 + round) % 12;
        const auto code = cache.get(key_of(number), "", [number] { return code_of(number); });
        wrong += code == code_of(number) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cache.loss(), "");
}

TEST_F(DiskCacheTest, WhoHasWaitedLongEnoughCompilesToo) {
  CacheOptions impatient = options();
  impatient.patience = milliseconds(50);
  DiskCache cache(impatient);
  int error = 0;
  const auto held = OwnedFile::take(cache.folder()->descriptor(), CacheFolder::lock_name(key_of(1)),
                                    OwnedFile::Open::New, error);
  ASSERT_TRUE(held);
  const auto start = Clock::now();
  EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
  EXPECT_GE(Clock::now() - start, milliseconds(50));
  EXPECT_TRUE(cache.find(key_of(1)));
}

/// Files cannot grow past some bytes, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(DiskCacheTest, FullDiskLosesOnlyTheCache) {
  DiskCache cache(options());
  for (const rlim_t bytes : {0, 1, 500}) {
    const FullDisk full(bytes);
    EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
  }
  EXPECT_NE(cache.loss().find("no kernel can be kept"), std::string::npos) << cache.loss();
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_EQ(cache.folder()->entries().size(), 0u);
  for (const std::string& name : cache.folder()->names())
    EXPECT_FALSE(name.ends_with(".tmp")) << name;
}

TEST_F(DiskCacheTest, FolderThatGoesAwayLosesOnlyTheCache) {
  DiskCache cache(options());
  fs::remove_all(base / "cache");
  EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
  EXPECT_NE(cache.loss(), "");
}

TEST_F(DiskCacheTest, KernelLargerThanTheBoundIsNotKept) {
  CacheOptions small = options();
  small.size_bound = 100;
  DiskCache cache(small);
  EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
  EXPECT_FALSE(cache.find(key_of(1)));
  EXPECT_NE(cache.loss().find("too large"), std::string::npos);
}

TEST_F(DiskCacheTest, ReadOnlyFoldersAreLookedAtAndNeverWritten) {
  keep(1, options());
  CacheOptions other;
  other.folder = base / "mine";
  other.read_only = {base / "missing", base / "cache"};
  DiskCache cache(other);
  EXPECT_NE(cache.problem().find("missing"), std::string::npos);
  EXPECT_EQ(cache.get(key_of(1), "", must_not_compile), code_of(1));
  cache.get(key_of(2), "", [] { return code_of(2); });
  EXPECT_FALSE(fs::exists(file_of(2)));
  EXPECT_TRUE(fs::exists(base / "mine" / file_of(2).filename()));
  EXPECT_FALSE(fs::exists(base / "mine" / file_of(1).filename()));

  fs::permissions(base / "cache", fs::perms::all);
  EXPECT_FALSE(DiskCache(other).find(key_of(1)));  // anybody may have written it
}

// Not a limit, which would hang on the machine: it is printed to be read, and a catastrophe fails.
TEST_F(DiskCacheTest, WarmHitOf100KilobytesIsQuick) {
  const KeyParts parts{
      std::string(64 << 10, 't'), "k.cu", {}, "13.0", "0.1.0", "sm_90a", "default"};
  CachedCode code{std::vector<std::byte>(100 << 10, std::byte{7}), "log"};
  DiskCache cache(options());
  cache.get(CacheKey(parts), "", [&] { return code; });
  std::vector<double> microseconds;
  for (int k = 0; k < 51; ++k) {
    const auto start = Clock::now();
    const CachedCode found = cache.get(CacheKey(parts), "", must_not_compile);
    microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    EXPECT_EQ(found.cubin.size(), code.cubin.size());
  }
  std::nth_element(microseconds.begin(), microseconds.begin() + 25, microseconds.end());
  std::printf("a warm hit takes %.0f us\n", microseconds[25]);
  EXPECT_LT(microseconds[25], 50'000);
}

}  // namespace
}  // namespace cdsl::runtime
