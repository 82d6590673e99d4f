// Keys of cached kernels: each part counts, and nothing else does.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "runtime/cache/cache_key.h"
#include "runtime/cache/digest.h"

namespace cdsl::runtime {
namespace {

const KeyParts kParts = {"text",   "k.cu",   {"--std=c++17", "-v"}, "13.0", "0.1.0",
                         "sm_90a", "default"};

TEST(CacheKey, EqualPartsGiveOneKey) {
  const KeyParts copy = kParts;
  EXPECT_EQ(CacheKey(kParts), CacheKey(copy));
  EXPECT_EQ(CacheKey(kParts).hex().size(), 64u);
}

TEST(CacheKey, EachPartFlipsTheKey) {
  const std::vector<std::function<void(KeyParts&)>> changes = {
      [](KeyParts& p) { p.text += " "; },
      [](KeyParts& p) { p.name = "l.cu"; },
      [](KeyParts& p) { p.options.push_back("--use_fast_math"); },
      [](KeyParts& p) { p.options.pop_back(); },
      [](KeyParts& p) { std::swap(p.options[0], p.options[1]); },
      [](KeyParts& p) { p.nvrtc_version = "13.1"; },
      [](KeyParts& p) { p.emitter_version = "0.1.1"; },
      [](KeyParts& p) { p.architecture = "sm_90"; },
      [](KeyParts& p) { p.numeric_mode = "strict"; },
      [](KeyParts& p) { p.numeric_mode = "fast-math"; }};
  std::set<CacheKey> keys = {CacheKey(kParts)};
  for (const auto& change : changes) {
    KeyParts parts = kParts;
    change(parts);
    EXPECT_TRUE(keys.insert(CacheKey(parts)).second);
  }
}

// A part that ends earlier and the next that begins earlier are other parts, whatever the bytes.
TEST(CacheKey, BytesDoNotMoveBetweenParts) {
  const std::vector<KeyParts> alike = {{"ab", "", {}, "", "", "", ""},
                                       {"a", "b", {}, "", "", "", ""},
                                       {"a", "", {"b"}, "", "", "", ""},
                                       {"", "a", {"b"}, "", "", "", ""},
                                       {"", "", {"ab"}, "", "", "", ""},
                                       {"", "", {"a", "b"}, "", "", "", ""},
                                       {"", "", {"b", "a"}, "", "", "", ""},
                                       {"", "", {"ab", ""}, "", "", "", ""},
                                       {"", "", {"", "ab"}, "", "", "", ""},
                                       {"", "", {"a"}, "b", "", "", ""},
                                       {"", "", {}, "ab", "", "", ""},
                                       {"", "", {}, "a", "b", "", ""},
                                       {"", "", {}, "", "a", "b", ""},
                                       {"", "", {}, "", "", "a", "b"},
                                       {"", "", {}, "", "", "", "ab"},
                                       {std::string("ab\0", 3), "", {}, "", "", "", ""},
                                       {std::string("a\0b", 3), "", {}, "", "", "", ""}};
  std::set<CacheKey> keys;
  for (const KeyParts& parts : alike) EXPECT_TRUE(keys.insert(CacheKey(parts)).second);
}

// A length written into a text does not pass for the length before the next part.
TEST(CacheKey, LengthsInTextsDoNotPassForLengths) {
  const std::string length("\1\0\0\0\0\0\0\0", 8);
  EXPECT_NE(CacheKey({"a" + length + "b", "", {}, "", "", "", ""}),
            CacheKey({"a", "b", {}, "", "", "", ""}));
}

TEST(CacheKey, ReadsWhatItPrints) {
  const CacheKey key(kParts);
  EXPECT_EQ(CacheKey::parse(key.hex()), key);
  const std::string digits = key.hex();
  for (const std::string& text :
       {std::string(), digits.substr(1), digits + "0", "G" + digits.substr(1),
        "A" + digits.substr(1), "../" + digits.substr(3), std::string(64, '\0')})
    EXPECT_FALSE(CacheKey::parse(text)) << text;
}

// The digest of "abc" in the published implementation: 6437b3ac 38465133 ... d5bd9d85.
TEST(CacheKey, DigestIsBlake3) {
  const std::string text = "abc";
  const Digest digest = blake3(std::as_bytes(std::span(text)));
  EXPECT_EQ(digest[0], std::byte{0x64});
  EXPECT_EQ(digest[1], std::byte{0x37});
  EXPECT_EQ(digest[31], std::byte{0x85});
}

}  // namespace
}  // namespace cdsl::runtime
