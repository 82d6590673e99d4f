// Occupancy: the worked cases, and NVIDIA's own calculator on random configurations.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "dsl/machine/occupancy.h"

#ifdef CDSL_HAVE_CUDA_HEADERS
#include <cuda_occupancy.h>
#endif

namespace cdsl {
namespace {

const Architecture& h200() {
  return *find_architecture("sm_90a");
}

TEST(MachineTable, FindsRowsByEitherName) {
  EXPECT_EQ(find_architecture("sm_90"), find_architecture("sm_90a"));
  EXPECT_EQ(find_architecture("sm_75")->sms, 72);
  EXPECT_EQ(find_architecture("sm_61"), nullptr);
  EXPECT_FALSE(find_architecture("sm_70")->can_emit);
  EXPECT_NE(find_architecture(kDefaultArchitecture), nullptr);
}

TEST(MachineTable, RowsAreComplete) {
  ASSERT_EQ(architectures().size(), 8u);
  int before = 0;
  for (const Architecture& arch : architectures()) {
    SCOPED_TRACE(arch.name);
    EXPECT_GT(arch.major * 10 + arch.minor, before);
    before = arch.major * 10 + arch.minor;
    for (const Unit unit : {Unit::Fp32, Unit::Fp64, Unit::Half2, Unit::Int, Unit::Sfu,
                            Unit::Convert, Unit::Shuffle, Unit::LoadStore})
      EXPECT_GT(arch.rate(unit), 0);
    EXPECT_GT(arch.matrix_rate(Matrix::F16), 0);
    EXPECT_LT(arch.dram_write_gbs, arch.dram_read_gbs);
    EXPECT_LT(arch.dram_read_gbs, arch.dram_gbs);
    EXPECT_LT(arch.latency.shared, arch.latency.l1);
    EXPECT_LT(arch.latency.l1, arch.latency.l2);
    EXPECT_LT(arch.latency.l2, arch.latency.dram);
    EXPECT_EQ(arch.carveouts.back() * 1024, arch.shared_bytes);
    EXPECT_LE(arch.shared_bytes, arch.l1_bytes);
    EXPECT_EQ(arch.max_shared_block + arch.shared_reserved, arch.shared_bytes);
  }
}

TEST(MachineOccupancy, BlocksOfEverySizeFillTheWarps) {
  for (int threads : {64, 256, 512, 1024}) {
    EXPECT_EQ(occupancy(h200(), threads, 32, 0).warps, 64) << threads;
  }
  EXPECT_EQ(occupancy(h200(), 32, 32, 0).warps, 32);  // 32 blocks of one warp
}

TEST(MachineOccupancy, LanesWithoutAThread) {
  EXPECT_EQ(warps_of(100), 4);
  EXPECT_EQ(idle_lanes(100), 28);
  EXPECT_EQ(idle_lanes(128), 0);
  EXPECT_EQ(idle_lanes(1), 31);
}

TEST(MachineOccupancy, RegistersAreAllocatedInUnits) {
  // 65536 / (40 * 32) is 51 warps; 1280 registers a warp and four register files leave 48.
  EXPECT_EQ(warps_by_division(h200(), 40), 51);
  const Occupancy got = occupancy(h200(), 32 * 4, 40, 0);
  EXPECT_EQ(got.warps, 48);
  EXPECT_EQ(got.limiter, "registers");
  EXPECT_DOUBLE_EQ(got.fraction, 0.75);
  EXPECT_EQ(got.registers_block, 4 * 1280);
  EXPECT_EQ(registers_for(h200(), 128, 12), 40);
  EXPECT_EQ(registers_for(h200(), 256, 2), 128);
  EXPECT_EQ(registers_for(h200(), 1024, 3), 16);
}

TEST(MachineOccupancy, NamesTheLimiter) {
  const Architecture& arch = *find_architecture("sm_80");
  EXPECT_EQ(occupancy(arch, 32, 16, 0).limiter, "blocks");
  EXPECT_EQ(occupancy(arch, 1024, 16, 0).limiter, "warps");
  EXPECT_EQ(occupancy(arch, 128, 16, 48 * 1024).limiter, "shared memory");
  EXPECT_EQ(occupancy(arch, 1024, 128, 0).limiter, "nothing fits");
  EXPECT_EQ(occupancy(arch, 64, 16, 164 * 1024).blocks, 0);
  const BlockResources crowded = {.threads = 128, .registers = 16, .barriers = 16};
  EXPECT_EQ(occupancy(h200(), crowded).limiter, "barriers");
  EXPECT_EQ(occupancy(arch, crowded).limiter, "warps");  // counted from 9.0 on
}

TEST(MachineOccupancy, SplitsOfTheL1) {
  EXPECT_EQ(shared_split(h200(), 0), 0);
  EXPECT_EQ(shared_split(h200(), 1), 8 * 1024);
  EXPECT_EQ(shared_split(h200(), 101 * 1024), 132 * 1024);
  EXPECT_EQ(shared_split(h200(), 229 * 1024), -1);
  EXPECT_EQ(occupancy(h200(), 1024, 32, 40 * 1024).shared_split, 100 * 1024);
  const BlockResources quarter = {
      .threads = 128, .registers = 16, .shared_bytes = 15 * 1024, .carveout_percent = 25};
  EXPECT_EQ(occupancy(h200(), quarter).shared_limit, 64 / 16);
}

#ifdef CDSL_HAVE_CUDA_HEADERS
cudaOccDeviceProp properties_of(const Architecture& arch) {
  cudaOccDeviceProp p;
  p.computeMajor = arch.major;
  p.computeMinor = arch.minor;
  p.maxThreadsPerBlock = arch.max_threads_block;
  p.maxThreadsPerMultiprocessor = arch.max_warps * 32;
  p.regsPerBlock = arch.registers_block;
  p.regsPerMultiprocessor = arch.registers;
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = static_cast<size_t>(arch.shared_bytes);
  p.sharedMemPerBlockOptin = static_cast<size_t>(arch.max_shared_block);
  p.reservedSharedMemPerBlock = static_cast<size_t>(arch.shared_reserved);
  p.numSms = arch.sms;
  return p;
}

std::string_view limiter_of(const cudaOccResult& result) {
  if (result.activeBlocksPerMultiprocessor == 0) return "nothing fits";
  // The bits keep what limited before barriers were looked at.
  if (result.activeBlocksPerMultiprocessor <
      std::min({result.blockLimitWarps, result.blockLimitBlocks, result.blockLimitRegs,
                result.blockLimitSharedMem}))
    return "barriers";
  if (result.limitingFactors & OCC_LIMIT_WARPS) return "warps";
  if (result.limitingFactors & OCC_LIMIT_BLOCKS) return "blocks";
  if (result.limitingFactors & OCC_LIMIT_REGISTERS) return "registers";
  if (result.limitingFactors & OCC_LIMIT_SHARED_MEMORY) return "shared memory";
  return "barriers";
}

void compare_with_calculator(const Architecture& arch, int trials, std::mt19937& random) {
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  const cudaOccDeviceProp properties = properties_of(arch);
  for (int trial = 0; trial < trials; ++trial) {
    BlockResources block;
    block.threads = between(1, arch.max_threads_block);
    block.registers = between(0, arch.max_registers);
    block.shared_bytes = trial % 3 == 0 ? 0 : between(0, arch.max_shared_block + 512);
    block.barriers = trial % 4 == 0 ? between(1, 16) : 1;
    block.carveout_percent = trial % 5 == 0 ? between(0, 100) : -1;
    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = 1024;
    attributes.numRegs = block.registers;
    attributes.numBlockBarriers = block.barriers;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.sharedSizeBytes = static_cast<size_t>(block.shared_bytes / 3);
    attributes.maxDynamicSharedSizeBytes =
        static_cast<size_t>(block.shared_bytes) - attributes.sharedSizeBytes;
    cudaOccDeviceState state;
    state.carveoutConfig = block.carveout_percent;
    cudaOccResult expected;
    ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes, &state,
                                                      block.threads,
                                                      attributes.maxDynamicSharedSizeBytes),
              CUDA_OCC_SUCCESS);
    const Occupancy got = occupancy(arch, block);
    const auto describe = [&] {
      return std::string(arch.name) + ": " + std::to_string(block.threads) + " threads, " +
             std::to_string(block.registers) + " registers, " + std::to_string(block.shared_bytes) +
             " bytes, " + std::to_string(block.barriers) + " barriers, split " +
             std::to_string(block.carveout_percent);
    };
    ASSERT_EQ(got.blocks, expected.activeBlocksPerMultiprocessor) << describe();
    ASSERT_EQ(got.limiter, limiter_of(expected)) << describe();
    ASSERT_EQ(got.registers_limit, expected.blockLimitRegs) << describe();
    ASSERT_EQ(got.shared_limit, expected.blockLimitSharedMem) << describe();
    ASSERT_EQ(got.barriers_limit, expected.blockLimitBarriers) << describe();
  }
}

TEST(MachineOccupancy, EqualsNvidiasCalculator) {
  std::mt19937 random(7);
  for (const Architecture& arch : architectures()) compare_with_calculator(arch, 100'000, random);
}
#else
TEST(MachineOccupancy, EqualsNvidiasCalculator) {
  GTEST_SKIP() << "cuda_occupancy.h was not found when this test was built";
}
#endif

}  // namespace
}  // namespace cdsl
