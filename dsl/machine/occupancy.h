// How many blocks of a kernel are resident on one multiprocessor, and what stops the next one.
//
// Guarantees: `blocks` equals cudaOccMaxActiveBlocksPerMultiprocessor of cuda_occupancy.h
// (CUDA 13.0) for every row of the table; a unit test compares 100,000 configurations.
#pragma once

#include <cstdint>
#include <string_view>

#include "dsl/machine/architectures.h"

namespace cdsl {

/// What a block asks for.
struct BlockResources {
  int threads = 0;
  int registers = 0;          // per thread
  int64_t shared_bytes = 0;   // static and dynamic
  int barriers = 1;           // named barriers, __syncthreads included
  int carveout_percent = -1;  // of shared memory preferred over L1; -1: the driver's choice
};

struct Occupancy {
  int blocks = 0;  // resident per SM
  int warps = 0;
  double fraction = 0;  // warps / max_warps
  std::string_view
      limiter;  // "warps", "blocks", "registers", "shared memory", "barriers", "nothing fits"

  // Blocks that each resource alone would admit; INT_MAX where it is not used.
  int warps_limit = 0, blocks_limit = 0, registers_limit = 0, shared_limit = 0, barriers_limit = 0;
  int64_t registers_block = 0, shared_block = 0;  // as allocated
  int shared_split = 0;  // bytes of the L1 that the resident blocks need as shared memory
};

/// Requires: threads >= 1.
Occupancy occupancy(const Architecture& arch, const BlockResources& block);
Occupancy occupancy(const Architecture& arch, int block_threads, int registers_per_thread,
                    int64_t shared_bytes);

constexpr int warps_of(int64_t threads) {
  return static_cast<int>((threads + kWarpLanes - 1) / kWarpLanes);
}
/// Lanes of a block's last warp that no thread fills: 28 of a block of 100.
constexpr int idle_lanes(int64_t threads) {
  return static_cast<int>(warps_of(threads) * kWarpLanes - threads);
}
/// Warps by registers / registers of a warp, without granularity: what hand calculation gives,
/// never less than what is resident.
constexpr int warps_by_division(const Architecture& arch, int registers_per_thread) {
  return arch.registers / (registers_per_thread * kWarpLanes);
}

/// The smallest split of L1 that offers `bytes` of shared memory, or -1.
int shared_split(const Architecture& arch, int64_t bytes);

/// The most registers a thread at which `blocks` blocks of `threads` stay resident, a multiple of
/// 8; 0 where no count does.
int registers_for(const Architecture& arch, int threads, int blocks);

}  // namespace cdsl
