// Files of cached kernels: what comes back, and what is refused.
#include <limits>

#include "cache_fixture.h"
#include "runtime/cache/byte_codec.h"
#include "runtime/cache/digest.h"

namespace cdsl::runtime {
namespace {

CacheEntry small_entry() {
  CachedCode code{{std::byte{127}, std::byte{'E'}, std::byte{'L'}}, "ptxas info"};
  return {key_of(1), 1700000000, "saxpy, sm_90a", code};
}

std::string refusal(std::vector<std::byte> file) {
  std::string why;
  EXPECT_FALSE(read_entry(file, why));
  return why;
}

/// An entry of these fields with a good digest, as only who means harm would write it.
std::vector<std::byte> sealed(ByteWriter body) {
  ByteWriter file;
  file.raw(std::as_bytes(std::span(std::string_view("cdslkrnl"))));
  file.raw(body.bytes());
  file.raw(blake3(file.bytes()));
  return file.take();
}

TEST(CacheEntry, ComesBackAsItWas) {
  const CacheEntry entry = small_entry();
  std::string why;
  const auto read = read_entry(write_entry(entry), why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(read->key, entry.key);
  EXPECT_EQ(read->created, entry.created);
  EXPECT_EQ(read->description, entry.description);
  EXPECT_EQ(read->code, entry.code);
}

TEST(CacheEntry, NothingMayBeEmptyAndLongDescriptionsAreCut) {
  std::string why;
  const auto empty = read_entry(write_entry({key_of(1), 0, "", {}}), why);
  ASSERT_TRUE(empty) << why;
  EXPECT_EQ(empty->code, CachedCode{});
  const auto longer = read_entry(write_entry({key_of(1), 0, std::string(5000, 'x'), {}}), why);
  ASSERT_TRUE(longer) << why;
  EXPECT_EQ(longer->description, std::string(256, 'x'));
}

TEST(CacheEntry, EveryTruncationIsRefused) {
  const auto file = write_entry(small_entry());
  for (std::size_t length = 0; length < file.size(); ++length)
    EXPECT_NE(refusal({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)}), "") << length;
}

TEST(CacheEntry, EveryFlippedBitIsRefused) {
  auto file = write_entry(small_entry());
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1 << bit % 8);
    file[bit / 8] ^= mask;
    EXPECT_NE(refusal(file), "") << bit;
    file[bit / 8] ^= mask;
  }
}

TEST(CacheEntry, WhatFollowsIsRefused) {
  auto file = write_entry(small_entry());
  file.push_back(std::byte{0});
  EXPECT_EQ(refusal(file), "its digest does not match");
  EXPECT_EQ(refusal(std::vector<std::byte>(4096)), "it is no cached kernel");
}

TEST(CacheEntry, LyingLengthsAreRefusedThoughTheDigestIsRight) {
  for (const uint64_t length :
       {uint64_t{5}, uint64_t{1} << 31, uint64_t{1} << 63, std::numeric_limits<uint64_t>::max()}) {
    ByteWriter body;
    body.number(2);
    body.text(key_of(1).hex());
    body.number(0);
    body.text("");
    body.number(length);  // of a cubin that is not there
    EXPECT_EQ(refusal(sealed(std::move(body))), "its lengths do not add up") << length;
  }
}

TEST(CacheEntry, OtherVersionsAndKeysThatAreNoneAreRefused) {
  ByteWriter later;
  later.number(3);
  EXPECT_EQ(refusal(sealed(std::move(later))), "another version of cuoptc wrote it");
  ByteWriter hostile;
  hostile.number(2);
  hostile.text("../../.bashrc");
  EXPECT_EQ(refusal(sealed(std::move(hostile))), "it names no key");
}

}  // namespace
}  // namespace cdsl::runtime
