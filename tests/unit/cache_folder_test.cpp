// Which folders are used for cached kernels, and which are refused with what words.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "cache_fixture.h"

namespace cdsl::runtime {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 12345;

class CacheFolderTest : public CacheTest {
 protected:
  /// The cache says why it is off, finds nothing, and compiles all the same.
  void expect_refused(const std::string& reason) {
    DiskCache cache(options());
    EXPECT_NE(cache.problem().find(reason), std::string::npos) << cache.problem();
    EXPECT_EQ(cache.folder(), nullptr);
    EXPECT_EQ(cache.get(key_of(1), "", [] { return code_of(1); }), code_of(1));
    EXPECT_FALSE(cache.find(key_of(1)));
  }

  fs::path folder() const { return base / "cache"; }

  /// A good folder with kernel 1 in it.
  void fill() const {
    DiskCache(options()).get(key_of(1), "", [] { return code_of(1); });
    ASSERT_TRUE(DiskCache(options()).find(key_of(1)));
  }
};

TEST_F(CacheFolderTest, IsMadeForTheUserAlone) {
  const mode_t mask = ::umask(0);
  CacheOptions deep = options();
  deep.folder = base / "a b" / "$(id); 'c'" / "cache";
  DiskCache cache(deep);
  cache.get(key_of(1), "", [] { return code_of(1); });
  ::umask(mask);
  EXPECT_EQ(cache.problem(), "");
  EXPECT_EQ(mode_of(base / "a b"), 0700u);
  EXPECT_EQ(mode_of(deep.folder), 0700u);
  for (const auto& file : fs::directory_iterator(deep.folder))
    EXPECT_EQ(mode_of(file.path()), 0600u);
}

TEST_F(CacheFolderTest, OthersMayReadItButNotWriteToIt) {
  fill();
  ::chmod(folder().c_str(), 0755);
  EXPECT_TRUE(DiskCache(options()).find(key_of(1)));
  for (const mode_t mode : {0770, 0702, 0777, 01777}) {
    ::chmod(folder().c_str(), mode);
    expect_refused("other users may write to it");
  }
}

TEST_F(CacheFolderTest, LinkIsRefused) {
  fill();
  fs::rename(folder(), base / "real");
  fs::create_directory_symlink(base / "real", folder());
  expect_refused("it is a link");
  CacheOptions slash = options();
  slash.folder /= "";  // the system would follow "cache/"
  EXPECT_NE(DiskCache(slash).problem(), "");
}

TEST_F(CacheFolderTest, FileIsRefused) {
  std::ofstream(folder()) << "no folder";
  expect_refused("it is no folder");
}

TEST_F(CacheFolderTest, FolderBelowAFileCannotBeMade) {
  std::ofstream(base / "file") << "";
  CacheOptions below = options();
  below.folder = base / "file" / "cache";
  EXPECT_NE(DiskCache(below).problem().find("cannot be made"), std::string::npos);
}

TEST_F(CacheFolderTest, SomebodyElsesIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fill();
  ASSERT_EQ(::chown(folder().c_str(), kSomebody, kSomebody), 0);
  expect_refused("it belongs to user 12345");
}

TEST_F(CacheFolderTest, FilesOfOthersDoNotCount) {
  fill();
  const fs::path file = folder() / (key_of(1).hex() + ".kernel");
  ::chmod(file.c_str(), 0666);
  EXPECT_FALSE(DiskCache(options()).find(key_of(1)));
  ::chmod(file.c_str(), 0600);
  EXPECT_TRUE(DiskCache(options()).find(key_of(1)));
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(file.c_str(), kSomebody, kSomebody), 0);
    EXPECT_FALSE(DiskCache(options()).find(key_of(1)));
  }
}

TEST_F(CacheFolderTest, LinksAndFoldersInItDoNotCount) {
  fill();
  const fs::path file = folder() / (key_of(1).hex() + ".kernel");
  fs::rename(file, base / "elsewhere");
  fs::create_symlink(base / "elsewhere", file);
  EXPECT_FALSE(DiskCache(options()).find(key_of(1)));
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(DiskCache(options()).find(key_of(1)));
  EXPECT_EQ(DiskCache(options()).get(key_of(1), "", [] { return code_of(1); }), code_of(1));
}

/// In a process of its own, which is no root: root may write anywhere.
int as_ordinary_user(const fs::path& owned, const std::function<bool()>& holds) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool ready = true;
    if (::geteuid() == 0) {
      for (const auto& path : fs::recursive_directory_iterator(owned))
        ready = ready && ::lchown(path.path().c_str(), kSomebody, kSomebody) == 0;
      ready =
          ready && ::chown(owned.c_str(), kSomebody, kSomebody) == 0 && ::setuid(kSomebody) == 0;
    }
    ::_exit(ready && holds() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(CacheFolderTest, ThatCannotBeWrittenIsStillRead) {
  fill();
  ::chmod(folder().c_str(), 0500);
  EXPECT_EQ(
      as_ordinary_user(base,
                       [this] {
                         DiskCache cache(options());
                         return cache.problem().find("cannot be written to") != std::string::npos &&
                                cache.find(key_of(1)) == code_of(1) &&
                                cache.get(key_of(2), "", [] { return code_of(2); }) == code_of(2) &&
                                !cache.find(key_of(2));
                       }),
      0);
  ::chmod(folder().c_str(), 0700);
}

TEST_F(CacheFolderTest, ThatCannotBeMadeLosesOnlyTheCache) {
  ::chmod(base.c_str(), 0500);
  EXPECT_EQ(as_ordinary_user(base,
                             [this] {
                               DiskCache cache(options());
                               return cache.problem().find("cannot be made") != std::string::npos &&
                                      cache.get(key_of(2), "", [] { return code_of(2); }) ==
                                          code_of(2);
                             }),
            0);
  ::chmod(base.c_str(), 0700);
}

}  // namespace
}  // namespace cdsl::runtime
