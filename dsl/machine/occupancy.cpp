#include "dsl/machine/occupancy.h"

#include <algorithm>
#include <array>
#include <climits>

namespace cdsl {
namespace {

constexpr int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

int limit_by_warps(const Architecture& arch, int threads) {
  return threads > arch.max_threads_block ? 0 : arch.max_warps / warps_of(threads);
}

// Registers are allocated to warps in units, in each sub-partition apart; the launch check rounds
// the warps of a block up to all sub-partitions.
int limit_by_registers(const Architecture& arch, int warps, int registers) {
  if (registers > arch.max_registers) return 0;
  const int64_t per_warp = round_up(int64_t{registers} * kWarpLanes, arch.register_unit);
  if (per_warp == 0) return INT_MAX;
  if (per_warp * round_up(warps, arch.warp_unit) > arch.registers_block) return 0;
  const int64_t per_partition = arch.registers / arch.sub_partitions / per_warp;
  return static_cast<int>(per_partition * arch.sub_partitions / warps);
}

// A preferred split holds as long as one block fits; else the smallest split that takes one does.
int limit_by_shared(const Architecture& arch, int64_t allocated, int carveout_percent) {
  if (allocated > arch.max_shared_block + arch.shared_reserved) return 0;
  if (allocated == 0) return INT_MAX;
  int64_t available = arch.shared_bytes;
  if (carveout_percent >= 0) {
    available = shared_split(arch, int64_t{arch.shared_bytes} * carveout_percent / 100);
    if (available < allocated) available = shared_split(arch, allocated);
  }
  return static_cast<int>(available / allocated);
}

}  // namespace

int shared_split(const Architecture& arch, int64_t bytes) {
  for (const int kib : arch.carveouts)
    if (bytes <= int64_t{kib} * 1024) return kib * 1024;
  return -1;
}

Occupancy occupancy(const Architecture& arch, const BlockResources& block) {
  const int threads = std::max(block.threads, 1), warps = warps_of(threads);
  Occupancy result;
  result.registers_block =
      round_up(int64_t{block.registers} * kWarpLanes, arch.register_unit) * warps;
  result.shared_block = round_up(block.shared_bytes + arch.shared_reserved, arch.shared_unit);
  result.warps_limit = limit_by_warps(arch, threads);
  result.blocks_limit = arch.max_blocks;
  result.registers_limit = limit_by_registers(arch, warps, block.registers);
  result.shared_limit = limit_by_shared(arch, result.shared_block, block.carveout_percent);
  result.barriers_limit =
      block.barriers == 0 || arch.barriers == 0 ? INT_MAX : arch.barriers / block.barriers;

  const std::array<std::pair<int, std::string_view>, 5> limits = {{
      {result.warps_limit, "warps"},
      {result.blocks_limit, "blocks"},
      {result.registers_limit, "registers"},
      {result.shared_limit, "shared memory"},
      {result.barriers_limit, "barriers"},
  }};
  const auto& least = *std::min_element(
      limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  result.blocks = least.first;
  result.warps = least.first * warps;
  result.fraction = static_cast<double>(result.warps) / arch.max_warps;
  result.limiter = least.first == 0 ? "nothing fits" : least.second;
  result.shared_split = std::max(shared_split(arch, result.shared_block * result.blocks), 0);
  return result;
}

Occupancy occupancy(const Architecture& arch, int block_threads, int registers_per_thread,
                    int64_t shared_bytes) {
  return occupancy(arch, {block_threads, registers_per_thread, shared_bytes});
}

int registers_for(const Architecture& arch, int threads, int blocks) {
  for (int registers = arch.max_registers / 8 * 8; registers > 0; registers -= 8)
    if (limit_by_registers(arch, warps_of(threads), registers) >= blocks) return registers;
  return 0;
}

}  // namespace cdsl
