// What a tile of a contraction loads for what it computes.
#pragma once

#include <cstdint>

namespace cdsl {

struct TileTraffic {
  int64_t loads = 0;  // elements of both operands
  int64_t flops = 0;
  double flops_per_load() const { return static_cast<double>(flops) / static_cast<double>(loads); }
};

/// One step of a block that keeps m x n sums and takes k terms of each: (m + n) k loads for 2 m n k
/// operations. 16 x 16 x 16: 512 loads for 8,192.
constexpr TileTraffic tile_step(int64_t m, int64_t n, int64_t k) {
  return {(m + n) * k, 2 * m * n * k};
}

constexpr int64_t tiles_along(int64_t extent, int64_t tile) {
  return (extent + tile - 1) / tile;
}

/// Elements that all blocks of an M x N x K contraction load, tiles at the edges counted in full.
constexpr int64_t contraction_loads(int64_t M, int64_t N, int64_t K, int64_t m, int64_t n) {
  return tiles_along(M, m) * tiles_along(N, n) * (m + n) * K;
}

}  // namespace cdsl
