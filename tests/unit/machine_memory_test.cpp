// Sectors, wavefronts and banks: the worked cases, and plain enumeration on random patterns.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "dsl/machine/memory.h"

namespace cdsl {
namespace {

int sectors(int64_t stride, int width, int64_t offset = 0) {
  return global_request(LaneStride{stride, width, offset}).sectors;
}

TEST(MachineMemory, SectorsOfWorkedCases) {
  EXPECT_EQ(sectors(4, 4), 4);  // one 128-byte line
  EXPECT_EQ(global_request(LaneStride{4, 4}).wavefronts, 1);
  EXPECT_EQ(sectors(12, 4), 12);
  EXPECT_EQ(global_request(LaneStride{12, 4}).ideal_sectors, 4);
  EXPECT_EQ(sectors(128, 4), 32);
  EXPECT_EQ(sectors(4096, 4), 32);
  EXPECT_EQ(sectors(4, 4, 4), 5);
  EXPECT_EQ(sectors(16, 16), 16);
  EXPECT_EQ(sectors(16, 16, 16), 17);
  EXPECT_EQ(sectors(0, 4), 1);
  EXPECT_EQ(sectors(-4, 4), 5);  // lane 0 at byte 0, lane 31 at byte -124
  EXPECT_EQ(sectors(-4, 4, 124), 4);
  EXPECT_DOUBLE_EQ(global_request(LaneStride{12, 4}).efficiency(), 1.0 / 3);
}

TEST(MachineMemory, BanksOfWorkedCases) {
  const auto degree = [](int64_t stride, int width = 4) {
    return shared_request(LaneStride{stride * width, width}).degree;
  };
  EXPECT_EQ(degree(32), 32);  // shared[lane * 32]: a column of a 32x32 tile
  EXPECT_EQ(degree(33), 1);   // of a 32x33 tile
  EXPECT_EQ(degree(0), 1);    // the same word
  EXPECT_EQ(degree(1), 1);
  EXPECT_EQ(degree(2), 2);
  EXPECT_EQ(degree(12), 4);
  EXPECT_EQ(degree(1, 8), 1);
  EXPECT_EQ(degree(16, 8), 16);
  EXPECT_EQ(degree(1, 16), 1);
  EXPECT_EQ(degree(2, 16), 2);
  EXPECT_EQ(degree(3, 16), 1);  // 16-byte vectors want an odd stride in vectors
  EXPECT_EQ(degree(8, 16), 8);
  EXPECT_EQ(degree(1, 1), 1);
  EXPECT_EQ(shared_request(LaneStride{16, 16}).wavefronts, 4);  // four phases of eight lanes
  EXPECT_EQ(shared_request(LaneStride{8, 8}).ideal_wavefronts, 2);
}

TEST(MachineMemory, LanesInTwoDimensions) {
  // A 16x16 block reads a row-major matrix of 4-byte values: two rows of 16 a warp.
  const LaneAddresses rows = addresses(LaneGrid{16, 4, 4096});
  EXPECT_EQ(global_request(rows, kAllLanes, 4).sectors, 4);
  const LaneAddresses columns = addresses(LaneGrid{16, 4096, 4});
  EXPECT_EQ(global_request(columns, kAllLanes, 4).sectors, 16);
}

TEST(MachineMemory, AtomicPasses) {
  const LaneAddresses one = addresses(LaneStride{0, 4}), row = addresses(LaneStride{4, 4});
  EXPECT_EQ(global_atomic_passes(one, kAllLanes, 4), 32);
  EXPECT_EQ(global_atomic_passes(row, kAllLanes, 4), 4);
  EXPECT_EQ(global_atomic_passes(addresses(LaneStride{128, 4}), kAllLanes, 4), 32);
  EXPECT_EQ(shared_atomic_passes(one, kAllLanes, 4), 32);
  EXPECT_EQ(shared_atomic_passes(row, kAllLanes, 4), 1);
  EXPECT_EQ(shared_atomic_passes(addresses(LaneStride{8, 8}), kAllLanes, 8), 2);
}

TEST(MachineMemory, ReuseInTheL2) {
  const Architecture& arch = *find_architecture("sm_90a");
  EXPECT_EQ(dram_bytes(arch, 1e9, 5e9, 20e6), 1e9);
  EXPECT_GT(dram_bytes(arch, 1e9, 5e9, 500e6), 4.5e9);
}

struct Counts {
  int sectors, ideal, lines, bytes;
};

int64_t floor_to(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Counts distinct values; a stamp a value saves clearing 100,000 times.
class Distinct {
 public:
  void restart() {
    ++round_;
    count_ = 0;
  }
  bool add(int64_t value) {
    uint32_t& stamp = stamps_.at(static_cast<size_t>(value + kBias));
    if (stamp == round_) return false;
    stamp = round_;
    ++count_;
    return true;
  }
  int count() const { return count_; }

 private:
  static constexpr int64_t kBias = 1 << 19;
  std::vector<uint32_t> stamps_ = std::vector<uint32_t>(2 * kBias);
  uint32_t round_ = 0;
  int count_ = 0;
};

Counts enumerate_global(const LaneAddresses& address, uint32_t mask, int width) {
  static Distinct sectors, lines, bytes;
  for (Distinct* set : {&sectors, &lines, &bytes}) set->restart();
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    const int64_t first = address[static_cast<size_t>(lane)];
    for (int64_t a = first; a < first + width; ++a) {
      if (!bytes.add(a)) continue;
      sectors.add(floor_to(a, 32));
      lines.add(floor_to(a, 128));
    }
  }
  return {sectors.count(), (bytes.count() + 31) / 32, lines.count(), bytes.count()};
}

SharedRequest enumerate_shared(const LaneAddresses& address, uint32_t mask, int width) {
  static Distinct words;
  const int group = width <= 4 ? 32 : 128 / width;
  SharedRequest result;
  for (int first = 0; first < 32; first += group) {
    words.restart();
    int of_bank[32] = {}, most = 0;
    for (int lane = first; lane < first + group; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const int64_t begin = address[static_cast<size_t>(lane)];
      for (int64_t a = begin; a < begin + width; ++a) {
        const int64_t word = floor_to(a, 4);
        if (words.add(word)) most = std::max(most, ++of_bank[(word % 32 + 32) % 32]);
      }
    }
    result.wavefronts += most;
    result.ideal_wavefronts += most > 0 ? 1 : 0;
    result.degree = std::max(result.degree, most);
  }
  return result;
}

void expect_global(const GlobalRequest& got, const Counts& want) {
  ASSERT_EQ(got.sectors, want.sectors);
  ASSERT_EQ(got.ideal_sectors, want.ideal);
  ASSERT_EQ(got.wavefronts, want.lines);
  ASSERT_EQ(got.bytes, want.bytes);
}

void expect_shared(const SharedRequest& got, const SharedRequest& want) {
  ASSERT_EQ(got.wavefronts, want.wavefronts);
  ASSERT_EQ(got.ideal_wavefronts, want.ideal_wavefronts);
  ASSERT_EQ(got.degree, want.degree);
}

TEST(MachineMemory, AnyAddressesEqualEnumeration) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 100'000; ++trial) {
    const int width = 1 << random() % 5;
    const int64_t span = int64_t{1} << (2 + random() % 10);
    const uint32_t mask = trial % 3 == 0 ? kAllLanes : static_cast<uint32_t>(random());
    const bool ascending = trial % 2 == 0;
    LaneAddresses address{};
    for (int lane = 0; lane < 32; ++lane)
      address[static_cast<size_t>(lane)] =
          (static_cast<int64_t>(random()) % span + (ascending ? lane * span / 8 : -span / 2)) *
          width;
    expect_global(global_request(address, mask, width), enumerate_global(address, mask, width));
    expect_shared(shared_request(address, mask, width), enumerate_shared(address, mask, width));
    if (HasFatalFailure()) FAIL() << "trial " << trial;
  }
}

TEST(MachineMemory, StridesEqualEnumeration) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 100'000; ++trial) {
    LaneStride p;
    p.width = 1 << random() % 5;
    p.lanes = trial % 3 == 0 ? 32 : 1 + static_cast<int>(random() % 32);
    const int64_t span = int64_t{1} << random() % 10;
    p.stride = static_cast<int64_t>(random() % static_cast<unsigned>(2 * span + 1)) - span;
    p.offset = static_cast<int64_t>(random() % 512) - 256;
    // Global accesses of whole records need no alignment; shared ones are aligned.
    expect_global(global_request(p), enumerate_global(addresses(p), first_lanes(p.lanes), p.width));
    p.stride *= p.width;
    p.offset *= p.width;
    expect_shared(shared_request(p), enumerate_shared(addresses(p), first_lanes(p.lanes), p.width));
    if (HasFatalFailure()) {
      FAIL() << "stride " << p.stride << ", width " << p.width << ", offset " << p.offset << ", "
             << p.lanes << " lanes";
    }
  }
}

}  // namespace
}  // namespace cdsl
