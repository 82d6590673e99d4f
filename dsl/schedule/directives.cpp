#include "dsl/schedule/directives.h"

namespace cdsl {

const std::vector<DirectiveInfo>& known_directives() {
  static const std::vector<DirectiveInfo> kDirectives = {
      {"map", "how points are shared out: general, flat, lanes.J, tile.I.J, warp.J, block.J, stream.J, product", true},
      {"shares", "blocks that divide one reduction between them", true},
      {"tile", "block tile by index", true},
      {"warp_tile", "tile of a warp by index", true},
      {"thread_tile", "tile of a thread (registers) by index", true},
      {"order", "loop order, outermost first", true},
      {"bind", "what an index runs over: grid, cluster, thread, warp, lane, vector, serial", true},
      {"vector", "elements of one memory access", true},
      {"start", "where the tiles of a row begin: at its first element (row), or at the vector in which that lies (vector)", true},
      {"unroll", "unroll factor by index", true},
      {"threads", "threads of a block", true},
      {"registers", "register limit of a thread", true},
      {"min_blocks", "least resident blocks of a multiprocessor", true},
      {"stages", "depth of the copy pipeline", true},
      {"cluster", "cluster shape by index", true},
      {"transport", "how an operand moves: plain, cp_async, bulk, tensor_map, multicast", true},
      {"roles", "warps by role", true},
      {"persistent", "one resident block takes many tiles", true},
      {"policy", "what loads of tensors that are read once ask of the L2", true},
      {"raster", "width of a group of tiles, for L2", true},
      {"bands", "tiles of the last axis that are taken before those beside them", true},
      {"split_k", "parts of the contracted axis", true},
      {"stream_k", "even shares of the contracted axis", true},
      {"reduce", "levels of a reduction, innermost first", true},
      {"place", "where an intermediate lives: registers, shared, global", true},
      {"stage", "which operands are staged, and where", true},
      {"pad", "padding of the staged tile, in elements", true},
      {"skew", "on: rows of the tile begin at sectors of the rows that are stored", true},
      {"swizzle", "xor bits of the staged tile", true},
      {"layout", "layout of a temporary or of a layout(auto) parameter", true},
      {"guard", "edges of the tiles: select (all blocks test), or split into interior and edge", true},
      {"branch", "choices of the source: select (both arms computed) or branch", true},
      {"scan", "running sums: whole (each element adds up all before it), or in blocks", true},
      {"online", "sums of exponentials below a row's maximum: carried in the walk that finds it (on), or in one of their own (off)", true},
      {"atomics", "how scatters are privatised: direct, block, lane", true},
      {"copies", "copies of each private bin of a scatter, for the lanes of a warp", true},
      {"prefetch", "vectors of a scatter's points that are on their way before they are needed", true},
      {"fuse", "statements that share a kernel", false},
      {"separate", "statements that do not share a kernel", false},
      {"loop", "form of a repeat or along: launches, thread, block", false},
      {"sizes", "typical values of a size", false},
  };
  return kDirectives;
}

const std::vector<DirectiveInfo>& known_metrics() {
  static const std::vector<DirectiveInfo> kMetrics = {
      {"spills", "bytes of spilled registers, worst kernel", false},
      {"registers", "registers a thread, worst kernel", false},
      {"stack", "bytes of local stack a thread, worst kernel", false},
      {"shared_bytes", "bytes of shared memory a block, worst kernel", false},
      {"occupancy", "resident warps over the limit, worst kernel", false},
      {"bank_degree", "worst shared-memory bank conflict, of one tensor if named", false},
      {"sectors", "32-byte sectors a request on a tensor", true},
      {"excess_bytes", "transferred over requested bytes of a tensor", true},
      {"width", "bytes of one access to a tensor", true},
      {"active_lanes", "mean over memory requests", false},
      {"kernels", "launches, a repeat's body once", false},
      {"waves", "waves of blocks, worst kernel", false},
      {"tail_efficiency", "0 to 1, worst kernel", false},
      {"bytes", "bytes moved by one call", false},
      {"flops", "floating-point operations of one call", false},
      {"roofline_us", "lower bound of one call in microseconds", false},
  };
  return kMetrics;
}

}  // namespace cdsl
