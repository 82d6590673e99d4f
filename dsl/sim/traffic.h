// What one request of a warp costs the memory system: 32-byte sectors of global memory, wavefronts
// of shared memory with 32 banks of 4 bytes. Source: CUDA C++ Best Practices Guide, "Coalesced
// Access" and "Shared Memory and Memory Banks"; wide shared accesses run in phases of 16 lanes (8
// bytes) and 8 lanes (16 bytes).
#pragma once

#include <cstdint>

namespace cdsl::sim {

inline constexpr int kSectorBytes = 32, kBanks = 32, kBankBytes = 4;

struct GlobalTraffic {
  int sectors = 0;        // distinct ones that the lanes touch
  int ideal_sectors = 0;  // distinct bytes / 32, rounded up
};

struct SharedTraffic {
  int wavefronts = 0;        // sum over phases of the most distinct words of one bank
  int ideal_wavefronts = 0;  // phases with an active lane
};

/// `address` holds the first byte of each lane in `mask`; each lane accesses `bytes` (a power of
/// two, aligned).
GlobalTraffic global_traffic(const int64_t (&address)[32], uint32_t mask, int bytes);
SharedTraffic shared_traffic(const int64_t (&address)[32], uint32_t mask, int bytes);

}  // namespace cdsl::sim
