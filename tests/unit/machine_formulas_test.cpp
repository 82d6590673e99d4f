// Latency, waves, divergence, atomics and tiles: the worked cases.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "dsl/machine/atomics.h"
#include "dsl/machine/divergence.h"
#include "dsl/machine/latency.h"
#include "dsl/machine/memory.h"
#include "dsl/machine/tiles.h"
#include "dsl/machine/waves.h"

namespace cdsl {
namespace {

const Architecture& h200() {
  return *find_architecture("sm_90a");
}

TEST(MachineLatency, WarpsAreLatencyOverIssueInterval) {
  EXPECT_EQ(warps_needed(20, 1), 20);
  EXPECT_EQ(warps_needed(24, 2), 12);
  EXPECT_EQ(warps_needed(4, 8), 1);
  EXPECT_DOUBLE_EQ(issue_interval(h200(), Unit::Fp32), 1);
  EXPECT_DOUBLE_EQ(issue_interval(h200(), Unit::Sfu), 8);
  EXPECT_DOUBLE_EQ(issue_interval(*find_architecture("sm_80"), Unit::Fp32), 2);
}

TEST(MachineLatency, TheRestIsLeftToInstructionLevelParallelism) {
  const Hiding full = hide_arithmetic(h200(), Unit::Fp32, 64);
  EXPECT_EQ(full.needed, 4);
  EXPECT_EQ(full.resident, 16);
  EXPECT_EQ(full.ilp, 1);
  EXPECT_DOUBLE_EQ(full.busy, 1);
  const Hiding thin = hide_arithmetic(h200(), Unit::Fp32, 4);
  EXPECT_EQ(thin.ilp, 4);
  EXPECT_DOUBLE_EQ(thin.busy, 0.25);
}

TEST(MachineLatency, LoadsInFlight) {
  EXPECT_EQ(loads_in_flight(h200(), 2048, 16), 2);
  EXPECT_EQ(loads_in_flight(h200(), 512, 16), 6);
  EXPECT_EQ(loads_in_flight(h200(), 256, 16), 12);
  EXPECT_DOUBLE_EQ(bandwidth_share(h200(), 2048 * 16, 132), 1);
  // One 4-byte word of a 12-byte record a thread: 270 to 300 us were measured where 237 are
  // possible.
  const double share = bandwidth_share(h200(), 64 * 12 * 32, 132);
  EXPECT_GT(share, 237.0 / 300);
  EXPECT_LT(share, 237.0 / 270);
}

TEST(MachineWaves, TwoBlocksTooMany) {
  const Architecture& a100 = *find_architecture("sm_80");
  const Waves got = waves(a100, 110, 1);
  EXPECT_EQ(got.slots, 108);
  EXPECT_EQ(got.rounds, 2);
  EXPECT_NEAR(got.waves, 1.0185, 1e-4);
  EXPECT_NEAR(got.tail_efficiency, 110.0 / 216, 1e-12);
  EXPECT_DOUBLE_EQ(waves(a100, 108, 1).tail_efficiency, 1);
  EXPECT_DOUBLE_EQ(waves(a100, 0, 1).tail_efficiency, 1);
  EXPECT_DOUBLE_EQ(waves(a100, 1, 0).tail_efficiency, 0);
  // Slots stand empty, yet every multiprocessor has its block.
  EXPECT_DOUBLE_EQ(waves(a100, 108, 8).balance, 1);
  EXPECT_DOUBLE_EQ(waves(a100, 108, 8).tail_efficiency, 0.125);
}

TEST(MachineWaves, PersistentWhereSetupIsDear) {
  EXPECT_FALSE(choose_grid(h200(), 32768, 2, 1.0, 0.01).persistent);
  const GridChoice dear = choose_grid(h200(), 32768, 2, 1.0, 0.5);
  EXPECT_TRUE(dear.persistent);
  EXPECT_EQ(dear.blocks, 264);
  EXPECT_FALSE(choose_grid(h200(), 200, 2, 1.0, 0.5).persistent);  // one wave: nothing to reuse
  // Tiny tiles: starting blocks costs more than the loop.
  EXPECT_TRUE(choose_grid(h200(), 1 << 20, 8, 0.1, 0.0).persistent);
}

TEST(MachineWaves, ClustersLoseMultiprocessors) {
  EXPECT_EQ(resident_clusters(h200(), 2, 1), 66);
  EXPECT_EQ(resident_clusters(h200(), 8, 1), 15);
  EXPECT_EQ(resident_clusters(h200(), 16, 1), 7);
}

TEST(MachineDivergence, SumOfThePathsTaken) {
  const std::vector<double> clocks = {10, 30, 100};
  std::vector<int> path(32, 0);
  EXPECT_EQ(warp_cost(path, clocks), 10);
  path[5] = 1;
  EXPECT_EQ(warp_cost(path, clocks), 40);
  path[6] = 2;
  EXPECT_EQ(warp_cost(path, clocks), 140);
  EXPECT_EQ(warp_cost({}, clocks), 0);
}

TEST(MachineDivergence, BranchAgainstSelect) {
  const std::vector<Path> coin = {{20, 0.5}, {30, 0.5}};
  EXPECT_NEAR(branch_cost(coin), 50, 1e-6);      // every warp splits
  EXPECT_NEAR(branch_cost(coin, 32), 25, 1e-9);  // no warp does
  EXPECT_EQ(select_cost(coin), 50);
  const std::vector<Path> rare = {{5, 1}, {1000, 0.001}};
  EXPECT_NEAR(branch_cost(rare), 5 + 1000 * (1 - std::pow(0.999, 32)), 1e-9);
  EXPECT_LT(branch_cost(rare), select_cost(rare));
}

TEST(MachineAtomics, WarpAggregation) {
  EXPECT_EQ(after_warp_aggregation(1024), 32);
  EXPECT_EQ(after_warp_aggregation(33), 2);
  EXPECT_NEAR(distinct_targets(1), 1, 1e-12);
  EXPECT_NEAR(distinct_targets(1e9), 32, 1e-4);
  // A sum of 2^20 floats into one word, a lane each or a warp each.
  AtomicWork each{.type = AtomicType::Float32,
                  .lanes = 1 << 20,
                  .requests = 1 << 15,
                  .passes = 1 << 20,
                  .hottest = 1 << 20};
  AtomicWork joined{.type = AtomicType::Float32,
                    .lanes = 1 << 15,
                    .requests = 1 << 15,
                    .passes = 1 << 15,
                    .hottest = 1 << 15};
  EXPECT_NEAR(atomics_us(h200(), each, 132) / atomics_us(h200(), joined, 132), 32, 1e-9);
}

// Updates a ns as bench/machine_constants.cu measured them on an H200.
TEST(MachineAtomics, MeasuredRates) {
  const double lanes = 132.0 * 8 * 256 * 64;
  const auto per_ns = [&](AtomicType type, int width, double targets) {
    const AtomicWork work =
        spread_atomics(AtomicPlace::Global, type, lanes, targets, width, 132 * 8);
    return lanes / atomics_us(h200(), work, 132) * 1e-3;
  };
  const double mi = 1 << 20;
  EXPECT_NEAR(per_ns(AtomicType::Int32, 4, mi), 100.3, 5);
  EXPECT_NEAR(per_ns(AtomicType::Float32, 4, mi), 100.3, 5);
  EXPECT_NEAR(per_ns(AtomicType::Float64, 8, mi), 100.5, 5);
  EXPECT_NEAR(per_ns(AtomicType::Half2, 4, mi), 76.5, 4);
  EXPECT_NEAR(per_ns(AtomicType::Float32, 4, 1), 0.564, 0.03);
  EXPECT_NEAR(per_ns(AtomicType::Int32, 4, 1), 25.9, 1.5);

  const auto per_clock = [&](AtomicType type, int width, double targets) {
    const AtomicWork work = spread_atomics(AtomicPlace::Shared, type, lanes, targets, width, 264);
    return lanes / 132 / (atomics_us(h200(), work, 132) * h200().clock_ghz * 1e3);
  };
  EXPECT_NEAR(per_clock(AtomicType::Int32, 4, 1024), 7.05, 0.7);
  EXPECT_NEAR(per_clock(AtomicType::Int32, 4, 1), 0.95, 0.1);
  EXPECT_NEAR(per_clock(AtomicType::Int64, 8, 1024), 0.99, 0.7);
}

// Of 256 counters in shared memory, so many copies of each for the lanes of a warp.
TEST(MachineAtomics, CopiesKeepLanesApart) {
  const double lanes = 1 << 20;
  const auto passes = [&](int width, int copies) {
    const AtomicWork work = spread_atomics(AtomicPlace::Shared, AtomicType::Int32, lanes, 256, width, 132, copies);
    return work.passes / work.requests;
  };
  EXPECT_EQ(passes(4, 32), 1);
  EXPECT_EQ(passes(4, 16), 2);
  EXPECT_LT(passes(4, 8), passes(4, 1));
  EXPECT_EQ(passes(8, 32), 2);               // two words of a lane, in two rounds
  const auto hottest = [&](int copies) {
    return spread_atomics(AtomicPlace::Shared, AtomicType::Int32, lanes, 256, 4, 132, copies).hottest;
  };
  EXPECT_DOUBLE_EQ(hottest(32) * 32, hottest(1));
}

TEST(MachineTiles, LoadsAndOperations) {
  const TileTraffic step = tile_step(16, 16, 16);
  EXPECT_EQ(step.loads, 512);
  EXPECT_EQ(step.flops, 8192);
  EXPECT_DOUBLE_EQ(step.flops_per_load(), 16);
  EXPECT_EQ(contraction_loads(1024, 1024, 1024, 16, 16), 64 * 64 * 32 * 1024);
  EXPECT_EQ(contraction_loads(1024, 1024, 1024, 128, 128), 8 * 8 * 256 * 1024);
}

}  // namespace
}  // namespace cdsl
