#include "dsl/machine/machine.h"

#include <gtest/gtest.h>

#include <random>

#ifdef CDSL_HAVE_CUDA_HEADERS
#include <cuda_occupancy.h>
#endif

namespace cdsl {
namespace {

TEST(Machine, FindsRowsByEitherName) {
  EXPECT_EQ(find_architecture("sm_90"), find_architecture("sm_90a"));
  EXPECT_EQ(find_architecture("sm_75")->sms, 72);
  EXPECT_EQ(find_architecture("sm_61"), nullptr);
  EXPECT_FALSE(find_architecture("sm_70")->can_emit);
}

TEST(Machine, BlocksOfEverySizeFillTheWarps) {
  const Architecture& arch = *find_architecture("sm_90a");
  for (int threads : {64, 256, 512, 1024}) {
    EXPECT_EQ(occupancy(arch, threads, 32, 0).warps, 64) << threads;
  }
}

TEST(Machine, RegistersAreAllocatedInUnits) {
  // 65536 / (40 * 32) is 51 warps; 1280 registers a warp and four register files leave 48.
  const Occupancy got = occupancy(*find_architecture("sm_90a"), 32 * 4, 40, 0);
  EXPECT_EQ(got.warps, 48);
  EXPECT_EQ(got.limiter, "registers");
  EXPECT_DOUBLE_EQ(got.fraction, 0.75);
}

TEST(Machine, NamesTheLimiter) {
  const Architecture& arch = *find_architecture("sm_80");
  EXPECT_EQ(occupancy(arch, 32, 16, 0).limiter, "blocks");
  EXPECT_EQ(occupancy(arch, 1024, 16, 0).limiter, "warps");
  EXPECT_EQ(occupancy(arch, 128, 16, 48 * 1024).limiter, "shared memory");
  EXPECT_EQ(occupancy(arch, 1024, 128, 0).limiter, "nothing fits");
  EXPECT_EQ(occupancy(arch, 64, 16, 164 * 1024).blocks, 0);
}

#ifdef CDSL_HAVE_CUDA_HEADERS
cudaOccDeviceProp properties_of(const Architecture& arch) {
  cudaOccDeviceProp p;
  p.computeMajor = arch.major;
  p.computeMinor = arch.minor;
  p.maxThreadsPerBlock = arch.max_threads_block;
  p.maxThreadsPerMultiprocessor = arch.max_warps * 32;
  p.regsPerBlock = p.regsPerMultiprocessor = arch.registers;
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = static_cast<size_t>(arch.shared_bytes);
  p.sharedMemPerBlockOptin = static_cast<size_t>(arch.max_shared_block);
  p.reservedSharedMemPerBlock = static_cast<size_t>(arch.shared_reserved);
  p.numSms = arch.sms;
  return p;
}

TEST(Machine, OccupancyEqualsNvidiasCalculator) {
  std::mt19937 random(7);
  for (const Architecture& arch : architectures()) {
    const cudaOccDeviceProp properties = properties_of(arch);
    for (int trial = 0; trial < 12500; ++trial) {
      const int threads = std::uniform_int_distribution(1, 1024)(random);
      const int registers = std::uniform_int_distribution(0, 255)(random);
      const int shared =
          trial % 3 == 0 ? 0 : std::uniform_int_distribution(0, arch.max_shared_block)(random);
      cudaOccFuncAttributes attributes;
      attributes.maxThreadsPerBlock = 1024;
      attributes.numRegs = registers;
      attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
      attributes.maxDynamicSharedSizeBytes = static_cast<size_t>(shared);
      cudaOccDeviceState state;
      cudaOccResult expected;
      ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes, &state,
                                                        threads, static_cast<size_t>(shared)),
                CUDA_OCC_SUCCESS);
      ASSERT_EQ(occupancy(arch, threads, registers, shared).blocks,
                expected.activeBlocksPerMultiprocessor)
          << arch.name << ": " << threads << " threads, " << registers << " registers, " << shared
          << " bytes";
    }
  }
}
#endif

}  // namespace
}  // namespace cdsl
