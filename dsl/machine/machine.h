// The machine model: one table of architectures, and the formulas over it. Decisions use it, `explain` prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cdsl {

/// One architecture. Sources: CUDA C++ Programming Guide, "Compute Capabilities"; cuda_occupancy.h of CUDA 13.0.
struct Architecture {
  std::string_view name;            // "sm_90a"
  int major, minor;
  bool can_emit;                    // NVRTC 13 compiles for it (sm_70 lives in the model only)
  int max_warps, max_blocks;        // per SM
  int registers;                    // per SM
  int register_unit;                // allocation granularity, registers a warp
  int max_registers;                // per thread
  int shared_bytes, max_shared_block, shared_unit, shared_reserved;
  int max_threads_block;
  int sms;                          // of the flagship part, the default when no device is known
};

const std::vector<Architecture>& architectures();
const Architecture* find_architecture(std::string_view name);    // "sm_90" finds sm_90a's row where there is one
inline constexpr std::string_view kDefaultArchitecture = "sm_90a";

/// Launch limits of every architecture in the table.
inline constexpr int64_t kMaxGridX = 2147483647, kMaxGridYZ = 65535;

struct Occupancy {
  int blocks = 0;                   // resident per SM
  int warps = 0;
  double fraction = 0;              // warps / max_warps
  std::string_view limiter;         // "warps", "blocks", "registers", "shared memory", "nothing fits"
};

/// Resident blocks per SM. Source: cuda_occupancy.h.
Occupancy occupancy(const Architecture& arch, int block_threads, int registers_per_thread, int64_t shared_bytes);

}  // namespace cdsl
