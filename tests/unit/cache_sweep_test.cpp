// Upkeep of the cache's folder: least recently used entries go first, what dead processes left
// goes, what is in use stays.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "cache_fixture.h"
#include "runtime/cache/cache_report.h"
#include "runtime/cache/cache_sweep.h"
#include "runtime/cache/owned_file.h"

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;

class CacheSweepTest : public CacheTest {
 protected:
  CacheSweepTest() : cache(options()) {}

  /// Keeps kernel `number` as if it was last used so many seconds ago.
  void keep(int number, int age) {
    cache.get(key_of(number), "kernel", [number] { return code_of(number); });
    const timespec time{std::time(nullptr) - age, 0};
    const timespec times[] = {time, time};
    const std::string name = CacheFolder::entry_name(key_of(number));
    ::utimensat(folder().descriptor(), name.c_str(), times, 0);
  }
  const CacheFolder& folder() const { return *cache.folder(); }
  bool kept(int number) const { return folder().read(key_of(number)).has_value(); }
  bool exists(const std::string& name) const { return fs::exists(base / "cache" / name); }

  DiskCache cache;
};

TEST_F(CacheSweepTest, PrunesWhatWasUsedLeastRecently) {
  keep(1, 3000), keep(2, 1000), keep(3, 4000), keep(4, 2000);
  const int64_t total = cache_statistics(folder()).bytes;
  EXPECT_EQ(prune(folder(), total).files, 0);
  EXPECT_EQ(prune(folder(), total - 1).files, 1);
  EXPECT_FALSE(kept(3));
  EXPECT_TRUE(kept(1) && kept(2) && kept(4));
  cache.find(key_of(1));  // a hit makes it the newest
  prune(folder(), cache_statistics(folder()).bytes - 1);
  EXPECT_FALSE(kept(4));
  EXPECT_TRUE(kept(1) && kept(2));
  prune(folder(), 0);
  EXPECT_EQ(folder().entries().size(), 0u);
}

TEST_F(CacheSweepTest, HitsAreMarkedAtMostOnceAMinute) {
  keep(1, 30);
  const auto used = folder().entries()[0].last_used;
  cache.find(key_of(1));
  EXPECT_EQ(folder().entries()[0].last_used, used);
  keep(1, 90);
  const auto long_ago = folder().entries()[0].last_used;
  cache.find(key_of(1));
  EXPECT_GT(folder().entries()[0].last_used, long_ago);
}

TEST_F(CacheSweepTest, TheBoundHoldsAsKernelsAreKept) {
  CacheOptions small = options();
  small.size_bound = 50'000;
  DiskCache bounded(small);
  for (int number = 0; number < 40; ++number) {
    bounded.get(key_of(number), "", [number] { return code_of(number); });
    EXPECT_LE(cache_statistics(folder()).bytes, small.size_bound + small.size_bound / 32);
  }
  EXPECT_GT(folder().entries().size(), 1u);
}

TEST_F(CacheSweepTest, SweepsWhatADeadProcessLeftAndNothingElse) {
  const std::string mine = CacheFolder::lock_name(key_of(1)),
                    theirs = CacheFolder::lock_name(key_of(2));
  const std::string half = key_of(2).hex() + ".0.tmp", foreign = "notes.tmp";
  const pid_t child = ::fork();
  if (child == 0) {
    int error = 0;
    const auto lock = OwnedFile::take(folder().descriptor(), theirs, OwnedFile::Open::New, error);
    const auto file = OwnedFile::take(folder().descriptor(), half, OwnedFile::Open::New, error);
    ::_exit(lock && file ? 0 : 1);  // without destructors, as one that was killed
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(exists(theirs) && exists(half));

  int error = 0;
  const auto lock = OwnedFile::take(folder().descriptor(), mine, OwnedFile::Open::New, error);
  std::ofstream(base / "cache" / foreign) << "";
  EXPECT_EQ(remove_leftovers(folder()).files, 2);
  EXPECT_FALSE(exists(theirs) || exists(half));
  EXPECT_TRUE(exists(mine) && exists(foreign));
}

TEST_F(CacheSweepTest, LockOfADeadProcessIsFree) {
  const std::string name = CacheFolder::lock_name(key_of(1));
  std::ofstream(base / "cache" / name) << "";
  EXPECT_TRUE(OwnedFile::wait_for(folder().descriptor(), name, std::chrono::milliseconds(0)));
  EXPECT_FALSE(exists(name));
}

TEST_F(CacheSweepTest, ClearLeavesWhatIsNotItsOwn) {
  keep(1, 0), keep(2, 0);
  std::ofstream(base / "cache" / "notes.kernel") << "";
  EXPECT_EQ(clear(folder()).files, 2);
  EXPECT_EQ(folder().entries().size(), 0u);
  EXPECT_TRUE(exists("notes.kernel"));
}

TEST_F(CacheSweepTest, ListsNewestFirstAndSaysWhatIsDamaged) {
  keep(1, 300), keep(2, 200), keep(3, 100);
  fs::resize_file(base / "cache" / CacheFolder::entry_name(key_of(2)), 100);
  const auto list = list_entries(folder());
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].file.key, key_of(2));  // cut just now
  EXPECT_EQ(list[0].damage, "its digest does not match");
  EXPECT_EQ(list[1].file.key, key_of(3));
  EXPECT_EQ(list[2].file.key, key_of(1));
  EXPECT_EQ(list[2].description, "kernel");
  EXPECT_EQ(cache_statistics(folder()).entries, 3);
}

}  // namespace
}  // namespace cdsl::runtime
