// Moves 32 lanes between registers and memory, in the memory representation of each type.
#pragma once

#include "dsl/sim/access.h"

namespace cdsl::sim {

/// Reads all 32 offsets (all are inside the buffer) into `slot`, which is not uniform.
void read_elements(Warp& warp, const Slot& slot, const std::byte* bytes, const Located& where);
/// Writes the lanes of `where.lanes`.
void write_elements(Warp& warp, const Slot& slot, std::byte* bytes, const Located& where);
/// Would writing leave memory as it is?
bool equal_elements(Warp& warp, const Slot& slot, const std::byte* bytes, const Located& where);

}  // namespace cdsl::sim
