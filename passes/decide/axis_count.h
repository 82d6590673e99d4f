// An axis of a group in numbers: what the price of a mapping counts with.
#pragma once

#include "passes/decide/site.h"

namespace cdsl::deciding {

inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

struct AxisCount {
  const GroupAxis* axis;
  int64_t extent = 1, tile = 1;           // points in all, of a tile
  int64_t tiles = 1;                      // of all blocks
  int64_t lanes = 1, warps = 1, vector = 1, registers = 1;
  int64_t halo = 0;                       // points beyond the tile that a stencil reads
  bool reduced = false;

  AxisCount(const Site& site, const Group& group, const GroupAxis& a);
  bool is(Binding binding) const { return axis->binding == binding; }
  int64_t held() const { return vector * registers; }
};

}  // namespace cdsl::deciding
