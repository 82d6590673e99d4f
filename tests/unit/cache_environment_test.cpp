// What the environment says of the disk cache, and sizes as people write them.
#include <stdlib.h>

#include <gtest/gtest.h>

#include "api/byte_size.h"
#include "api/environment.h"

namespace cdsl {
namespace {

class CacheEnvironment : public testing::Test {
 protected:
  CacheEnvironment() {
    for (const char* name :
         {"CDSL_CACHE_DIR", "CDSL_CACHE_SIZE", "CDSL_CACHE_READ_ONLY", "XDG_CACHE_HOME"})
      ::unsetenv(name);
    set("HOME", "/home/somebody");
  }
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }
  static std::string folder() { return read_environment().cache.folder.string(); }
};

TEST_F(CacheEnvironment, NamesTheFolder) {
  EXPECT_EQ(folder(), "/home/somebody/.cache/cdsl");
  set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(folder(), "/home/somebody/.cache/cdsl");
  set("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(folder(), "/caches/cdsl");
  set("CDSL_CACHE_DIR", "here");
  EXPECT_EQ(folder(), "here");
}

TEST_F(CacheEnvironment, EmptyIsNoCacheAndNoProblem) {
  set("CDSL_CACHE_DIR", "");
  EXPECT_EQ(folder(), "");
  EXPECT_EQ(read_environment().cache_problem, "");
}

TEST_F(CacheEnvironment, WithoutAHomeThereIsNoneAndItSaysSo) {
  ::unsetenv("HOME");
  EXPECT_EQ(folder(), "");
  EXPECT_NE(read_environment().cache_problem.find("HOME"), std::string::npos);
}

TEST_F(CacheEnvironment, AsksForLineTables) {
  ::unsetenv("CDSL_LINE_TABLES");
  EXPECT_FALSE(read_environment().line_tables);
  set("CDSL_LINE_TABLES", "1");
  EXPECT_TRUE(read_environment().line_tables);
  ::unsetenv("CDSL_LINE_TABLES");
}

TEST_F(CacheEnvironment, NamesSizeAndReadOnlyFolders) {
  EXPECT_EQ(read_environment().cache.size_bound, int64_t{1} << 30);
  set("CDSL_CACHE_SIZE", "500M");
  EXPECT_EQ(read_environment().cache.size_bound, int64_t{500} << 20);
  set("CDSL_CACHE_SIZE", "much");
  EXPECT_EQ(read_environment().cache.size_bound, int64_t{1} << 30);
  EXPECT_NE(read_environment().cache_problem.find("'much'"), std::string::npos);
  set("CDSL_CACHE_READ_ONLY", "/a::/b c:");
  EXPECT_EQ(read_environment().cache.read_only, (std::vector<std::filesystem::path>{"/a", "/b c"}));
}

TEST(ByteSize, IsReadAndPrinted) {
  EXPECT_EQ(parse_byte_size("0"), 0);
  EXPECT_EQ(parse_byte_size("4096"), 4096);
  EXPECT_EQ(parse_byte_size("3K"), 3072);
  EXPECT_EQ(parse_byte_size("8589934591G"), int64_t{8589934591} << 30);
  for (const char* text :
       {"", "K", "-1", "1 K", "1KB", "1.5G", "8589934592G", "9223372036854775808", "0x10"})
    EXPECT_FALSE(parse_byte_size(text)) << text;
  EXPECT_EQ(byte_size_text(1), "1 byte");
  EXPECT_EQ(byte_size_text(1023), "1023 bytes");
  EXPECT_EQ(byte_size_text(1536), "1.5 KiB");
  EXPECT_EQ(byte_size_text(int64_t{3} << 40), "3072.0 GiB");
}

}  // namespace
}  // namespace cdsl
