// The ways to share out the points of a candidate, each a rule on its accesses and axes:
//   flat        all accesses are at the statement's own point: the box counts as one axis
//   lanes.j     lanes along j; other axes over warps and blocks; reduced axes walked by each thread, or by warps
//   tile.i.j    read along i and stored along j: through a tile in shared memory (map_tiles.cpp)
//   warp.j, block.j, stream.j   a reduced row: in the registers of a warp or of a block, or walked by a block
//   warp.j, block.j, stream.j, lanes.j, parts.j, rounds.j   the same for running reductions, which are carried along an axis (map_scans.cpp)
//   product     sums of products: operands staged, results in registers
// Each adds its options to the space, with all widths, tiles and block sizes that are legal.
#pragma once

#include <functional>

#include "passes/decide/space.h"

namespace cdsl::deciding {

void add_flat(const Site& site, Space& space);
void add_lanes(const Site& site, Space& space);
void add_permuting_tiles(const Site& site, Space& space);
void add_rows(const Site& site, Space& space);
/// Of a statement with running reductions all options there are.
void add_scans(const Site& site, Space& space);
void add_products(const Site& site, Space& space);

/// Into how many shares a walk along `index` may be divided, where `tiles` blocks would take it whole.
std::vector<int64_t> share_counts(const Site& site, Space& space, SymbolId index, int64_t tiles);

/// Where the length of the walk is open: shares ask for a long one.
void guard_shares(const Site& site, Group& group);

/// Powers of two up to the widest access along `index`, the widest first; `ask_for` notes what a width asks of a launch.
struct Widths {
  Width widest;
  std::vector<int64_t> values;
};
Widths widths(const Site& site, Space& space, SymbolId index);
/// The tensors of some accesses must begin where vectors may.
void align(const Site& site, Group& group, const std::function<bool(const Access&)>& is_vector);
void ask_for(const Site& site, Group& group, SymbolId index, const Width& widest, int64_t elements);

}  // namespace cdsl::deciding
