#include "dsl/machine/waves.h"

#include <algorithm>

namespace cdsl {
namespace {

// A grid-stride loop costs streams 3 % against one block a tile (368 against 359 us, saxpy on the
// H200).
constexpr double kLoopCost = 1.03;

double efficiency(int64_t blocks, int64_t slots) {
  if (blocks == 0) return 1;
  if (slots == 0) return 0;
  const int64_t rounds = (blocks + slots - 1) / slots;
  return static_cast<double>(blocks) / static_cast<double>(rounds * slots);
}

}  // namespace

Waves waves(const Architecture& arch, int64_t blocks, int resident_blocks) {
  Waves result;
  result.slots = int64_t{arch.sms} * resident_blocks;
  if (result.slots > 0) {
    result.waves = static_cast<double>(blocks) / static_cast<double>(result.slots);
    result.rounds = (blocks + result.slots - 1) / result.slots;
  }
  result.tail_efficiency = efficiency(blocks, result.slots);
  result.balance = result.slots == 0 ? result.tail_efficiency : efficiency(blocks, arch.sms);
  return result;
}

GridChoice choose_grid(const Architecture& arch, int64_t tiles, int resident_blocks, double tile_us,
                       double setup_us) {
  const Waves fit = waves(arch, tiles, resident_blocks);
  const auto rounds = static_cast<double>(fit.rounds);
  GridChoice choice;
  const double starting = static_cast<double>(tiles) * arch.block_ns * 1e-3;
  choice.one_shot_us = std::max(rounds * (tile_us + setup_us), starting);
  choice.persistent_us = setup_us + rounds * tile_us * (fit.rounds > 1 ? kLoopCost : 1);
  choice.persistent = fit.rounds > 1 && choice.persistent_us < choice.one_shot_us;
  choice.blocks = choice.persistent ? std::min(tiles, fit.slots) : tiles;
  return choice;
}

int64_t resident_clusters(const Architecture& arch, int size, int resident_blocks) {
  if (arch.gpcs.empty()) return int64_t{arch.sms} * resident_blocks / size;
  int64_t total = 0;
  for (const int sms : arch.gpcs) total += int64_t{sms} * resident_blocks / size;
  return total;
}

}  // namespace cdsl
