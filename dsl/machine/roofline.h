// The roofs of one launch: how long each resource alone would need for a kernel's work. The slowest
// bounds.
#pragma once

#include <array>
#include <string_view>

#include "dsl/machine/occupancy.h"
#include "dsl/machine/waves.h"
#include "dsl/machine/work.h"

namespace cdsl {

/// What a kernel can be bound by. Launch stands for the fixed cost of starting it.
enum class Bound : uint8_t {
  Launch,
  Dram,
  L2,
  L1,
  Shared,
  Fp32,
  Fp64,
  Half2,
  Int,
  Sfu,
  Convert,
  Shuffle,
  LoadStore,
  Matrix,
  Issue,
  Atomics,
  Latency,
  Blocks
};
inline constexpr std::size_t kBounds = 18;
/// "launch", "dram", "l2", ...
std::string_view name_of(Bound bound);

/// Microseconds by Bound, of one launch; Bound::Launch holds the fixed cost.
using Roofs = std::array<double, kBounds>;

/// Requires: `resident.blocks` >= 1 and `fit` describes `work.grid` blocks of it.
Roofs roofline(const Architecture& arch, const KernelWork& work, const Occupancy& resident,
               const Waves& fit);
/// The slowest, Bound::Launch apart unless it exceeds all others.
Bound bound_of(const Roofs& roofs);

}  // namespace cdsl
