#include "dsl/machine/machine.h"

#include <algorithm>
#include <limits>

namespace cdsl {
namespace {

constexpr int kWarp = 32;
constexpr int kSubPartitions = 4;  // register files of an SM, cc 7.0 and later
constexpr int kKiB = 1024;
constexpr int kUnlimited = std::numeric_limits<int>::max();

constexpr int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int warps_limit(const Architecture& arch, int threads, int warps) {
  return threads > arch.max_threads_block ? 0 : arch.max_warps / warps;
}

// Registers are allocated to warps in units, in each sub-partition apart; the launch check rounds
// the warps of a block up to all sub-partitions.
int registers_limit(const Architecture& arch, int warps, int registers_per_thread) {
  if (registers_per_thread > arch.max_registers) return 0;
  const int64_t per_warp = round_up(int64_t{registers_per_thread} * kWarp, arch.register_unit);
  if (per_warp == 0) return kUnlimited;
  if (per_warp * round_up(warps, kSubPartitions) > arch.registers) return 0;
  const int64_t warps_per_partition = arch.registers / kSubPartitions / per_warp;
  return static_cast<int>(warps_per_partition * kSubPartitions / warps);
}

int shared_limit(const Architecture& arch, int64_t shared_bytes) {
  const int64_t allocated = round_up(shared_bytes + arch.shared_reserved, arch.shared_unit);
  if (allocated > arch.max_shared_block + arch.shared_reserved) return 0;
  return allocated == 0 ? kUnlimited : static_cast<int>(arch.shared_bytes / allocated);
}

}  // namespace

const std::vector<Architecture>& architectures() {
  // name, cc, emits, warps, blocks, registers (SM, unit, thread), shared (SM, block, unit,
  // reserved), threads, SMs of:
  static const std::vector<Architecture> kTable = {
      {"sm_70", 7, 0, false, 64, 32, 65536, 256, 255, 96 * kKiB, 96 * kKiB, 256, 0, 1024,
       80},  // V100
      {"sm_75", 7, 5, true, 32, 16, 65536, 256, 255, 64 * kKiB, 64 * kKiB, 256, 0, 1024,
       72},  // Titan RTX
      {"sm_80", 8, 0, true, 64, 32, 65536, 256, 255, 164 * kKiB, 163 * kKiB, 128, kKiB, 1024,
       108},  // A100
      {"sm_86", 8, 6, true, 48, 16, 65536, 256, 255, 100 * kKiB, 99 * kKiB, 128, kKiB, 1024,
       84},  // A40
      {"sm_89", 8, 9, true, 48, 24, 65536, 256, 255, 100 * kKiB, 99 * kKiB, 128, kKiB, 1024,
       142},  // L40
      {"sm_90a", 9, 0, true, 64, 32, 65536, 256, 255, 228 * kKiB, 227 * kKiB, 128, kKiB, 1024,
       132},  // H200
      {"sm_100a", 10, 0, true, 64, 32, 65536, 256, 255, 228 * kKiB, 227 * kKiB, 128, kKiB, 1024,
       148},  // B200
      {"sm_120a", 12, 0, true, 48, 24, 65536, 256, 255, 100 * kKiB, 99 * kKiB, 128, kKiB, 1024,
       188},  // RTX PRO 6000
  };
  return kTable;
}

const Architecture* find_architecture(std::string_view name) {
  for (const Architecture& arch : architectures()) {
    std::string_view plain = arch.name;
    if (plain.ends_with('a')) plain.remove_suffix(1);
    if (name == arch.name || name == plain) return &arch;
  }
  return nullptr;
}

Occupancy occupancy(const Architecture& arch, int block_threads, int registers_per_thread,
                    int64_t shared_bytes) {
  const int warps = (std::max(block_threads, 1) + kWarp - 1) / kWarp;
  const struct {
    int blocks;
    std::string_view name;
  } limits[] = {
      {warps_limit(arch, block_threads, warps), "warps"},
      {arch.max_blocks, "blocks"},
      {registers_limit(arch, warps, registers_per_thread), "registers"},
      {shared_limit(arch, shared_bytes), "shared memory"},
  };
  const auto& least =
      *std::min_element(std::begin(limits), std::end(limits),
                        [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
  Occupancy result;
  result.blocks = least.blocks;
  result.warps = least.blocks * warps;
  result.fraction = static_cast<double>(result.warps) / arch.max_warps;
  result.limiter = least.blocks == 0 ? "nothing fits" : least.name;
  return result;
}

}  // namespace cdsl
