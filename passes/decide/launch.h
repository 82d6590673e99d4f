// How the blocks of a group take its tiles: in which order, so that those that run together share what the L2 holds; and whether
// a block takes one tile, or blocks that all fit take several each. Neither changes what a tile is.
#pragma once

#include "passes/decide/cost.h"

namespace cdsl::deciding {

/// Requires: `taken` is the cost of `group`. Sets `raster`, `bands` and `persistent`, follows NAME.raster=ROWS, NAME.bands=TILES and
/// NAME.persistent=on|off, and leaves a remark for each that has something to say.
void decide_launch(const Site& site, const Cost& taken, Group& group);

}  // namespace cdsl::deciding
