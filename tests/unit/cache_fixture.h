// What tests of the disk cache share: a folder that goes with its test, and kernels by number.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/cache/disk_cache.h"

namespace cdsl::runtime {

class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    std::string name = testing::TempDir() + "cdsl-cache-XXXXXX";
    base = ::mkdtemp(name.data());
  }
  ~CacheTest() override { std::filesystem::remove_all(base); }

  /// In a folder of the test, with nothing else set.
  CacheOptions options() const {
    CacheOptions options;
    options.folder = base / "cache";
    return options;
  }

  std::filesystem::path base;
};

inline CacheKey key_of(int number) {
  return CacheKey(
      {"kernel " + std::to_string(number), "k.cu", {}, "13.0", "0.1.0", "sm_90a", "default"});
}

/// Some thousand bytes that differ in every place from those of another number.
inline CachedCode code_of(int number) {
  CachedCode code;
  code.cubin.resize(1000 + 2500 * (static_cast<std::size_t>(number) % 8));
  for (std::size_t k = 0; k < code.cubin.size(); ++k)
    code.cubin[k] = static_cast<std::byte>(k * 7 + static_cast<std::size_t>(number));
  code.log = "log of " + std::to_string(number);
  return code;
}

inline CachedCode must_not_compile() {
  ADD_FAILURE() << "compiled, though it was kept";
  return {};
}

inline mode_t mode_of(const std::filesystem::path& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

}  // namespace cdsl::runtime
