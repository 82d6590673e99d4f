// Waves: how a grid falls on the multiprocessors, what the last wave wastes, and whether blocks
// that stay and take one tile after another would waste less.
#pragma once

#include <cstdint>

#include "dsl/machine/architectures.h"

namespace cdsl {

struct Waves {
  int64_t slots = 0;           // blocks resident on the whole part
  double waves = 0;            // blocks / slots
  int64_t rounds = 0;          // waves rounded up
  double tail_efficiency = 0;  // blocks / (rounds * slots); 110 blocks on 108 slots: 0.51
  double balance =
      0;  // the same with one slot a multiprocessor: what a unit that one block can fill sees
};

/// Requires: blocks >= 0, resident_blocks >= 0 (of one multiprocessor). No blocks: efficiencies 1;
/// nothing resident: slots 0 and efficiencies 0.
Waves waves(const Architecture& arch, int64_t blocks, int resident_blocks);

struct GridChoice {
  bool persistent = false;
  int64_t blocks = 0;  // to launch
  double one_shot_us = 0, persistent_us = 0;
};

/// A block a tile, or resident blocks that loop over tiles. `tile_us` is what one tile takes a
/// block, `setup_us` what a block does once before its first tile.
GridChoice choose_grid(const Architecture& arch, int64_t tiles, int resident_blocks, double tile_us,
                       double setup_us);

/// Clusters of `size` blocks resident on the whole part: each lies inside one graphics cluster, so
/// that multiprocessors are lost (H200: 15 of size 8, 7 of size 16 with a block an SM).
int64_t resident_clusters(const Architecture& arch, int size, int resident_blocks);

}  // namespace cdsl
