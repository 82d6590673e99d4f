// What one request of a warp costs the memory system: 32-byte sectors and 128-byte lines of global
// memory, wavefronts of shared memory with 32 banks of 4 bytes; for any addresses, and in closed
// form for lanes a constant stride apart.
//
// Guarantees: the closed forms equal the enumeration for every stride, offset and count of lanes;
// both equal the simulator's counters. Sources: CUDA C++ Best Practices Guide, "Coalesced Access"
// and "Shared Memory and Memory Banks"; wide shared accesses run in phases of 16 lanes (8 bytes)
// and 8 lanes (16 bytes).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dsl/machine/architectures.h"

namespace cdsl {

inline constexpr int kSectorBytes = 32, kLineBytes = 128, kBanks = 32, kBankBytes = 4;
inline constexpr uint32_t kAllLanes = ~uint32_t{0};

/// The first byte that each lane accesses.
using LaneAddresses = std::array<int64_t, kWarpLanes>;

/// Lanes a constant stride apart. `offset` is the address of lane 0 from a point aligned to 128
/// bytes.
struct LaneStride {
  int64_t stride = 0;  // bytes from lane to lane, of either sign
  int width = 4;       // bytes a lane
  int64_t offset = 0;
  int lanes = kWarpLanes;
};

/// Lanes numbered in two dimensions: lane l is (l % inner, l / inner).
struct LaneGrid {
  int inner = kWarpLanes;
  int64_t inner_stride = 0, outer_stride = 0;  // bytes
  int64_t offset = 0;
};

LaneAddresses addresses(const LaneStride& pattern);
LaneAddresses addresses(const LaneGrid& pattern);
/// Lanes 0 to lanes - 1.
constexpr uint32_t first_lanes(int lanes) {
  return lanes >= kWarpLanes ? kAllLanes : (uint32_t{1} << lanes) - 1;
}

struct GlobalRequest {
  int sectors = 0;        // distinct ones that the lanes touch
  int ideal_sectors = 0;  // distinct bytes / 32, rounded up
  int wavefronts = 0;     // distinct 128-byte lines: the L1 looks one up at a time
  int64_t bytes = 0;      // distinct ones
  int lanes = 0;          // active

  double efficiency() const {
    return sectors == 0 ? 1 : static_cast<double>(bytes) / (sectors * kSectorBytes);
  }
};

/// Requires: width >= 1. Any alignment.
GlobalRequest global_request(const LaneAddresses& address, uint32_t mask, int width);
GlobalRequest global_request(const LaneStride& pattern);

struct SharedRequest {
  int wavefronts = 0;        // sum over phases of the most distinct words of one bank
  int ideal_wavefronts = 0;  // phases with an active lane
  int degree = 0;            // the most of any phase: 1 is free of conflicts
};

/// Requires: width is 1, 2, 4, 8 or 16 and addresses are multiples of it, as the hardware does.
SharedRequest shared_request(const LaneAddresses& address, uint32_t mask, int width);
SharedRequest shared_request(const LaneStride& pattern);

/// Passes of one atomic request (AtomicRate::pass). Global: sum over sectors of the most lanes on
/// one word. Shared: the most lanes on one bank, since equal words do not broadcast. Requires:
/// width 4 or 8.
int global_atomic_passes(const LaneAddresses& address, uint32_t mask, int width);
int shared_atomic_passes(const LaneAddresses& address, uint32_t mask, int width);

/// Bytes that come from memory where `touched` bytes of loads reach the L2 for `unique` bytes of
/// data, and the lines that are used again stay within `working_set`. The L2 keeps about 0.6 of
/// itself for reuse beside what streams through (30 of 50 MB on the H200).
double dram_bytes(const Architecture& arch, double unique, double touched, double working_set);

}  // namespace cdsl
