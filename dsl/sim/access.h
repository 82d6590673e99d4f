// Handlers that load from and store to memory: bounds, alignment, written flags, races and traffic
// of 32 lanes at a time.
#pragma once

#include "dsl/sim/state.h"

namespace cdsl::sim {

/// A buffer as the lanes of one warp address it.
struct Region {
  std::byte* bytes = nullptr;
  uint8_t* written =
      nullptr;  // flags to set and, with Options::check, to look at; null: no need for either
  Shadow* shadow = nullptr;
  int64_t count = 0;        // elements
  int64_t base = 0;         // address of bytes[0], for sectors and banks
  int64_t lane_stride = 0;  // Register: from one lane's copy to the next
};
Region region_of(Warp& warp, const BufferUse& buffer);

/// Where the lanes of a request go: byte offsets into the region, those of inactive or faulty lanes
/// copied from a good one. `lanes`: active lanes whose access is inside the buffer and aligned; the
/// others were reported.
struct Located {
  enum class Pattern : uint8_t { General, Same, Consecutive };
  int64_t offset[kLanes];
  int64_t index[kLanes];  // in elements, for messages
  uint32_t lanes = 0;
  Pattern pattern = Pattern::General;
};
void locate(Warp& warp, const Place& place, const Region& region, Located& where);

/// Adds the request to the counters of its site. Registers cost nothing.
void count_request(Warp& warp, const Place& place, const Region& region, const Located& where);
/// Reports lanes that read bytes that nothing wrote. Requires: region.written.
void look_for_unwritten(Warp& warp, const Place& place, const Region& region, const Located& where);
/// Notes that the lanes wrote. Requires: region.written.
void mark_written(const Place& place, const Region& region, const Located& where);
/// Agents do not see what the lanes wrote to shared memory before a fence.
void mark_unfenced(Warp& warp, const Place& place, const Located& where);

/// The piece of memory at byte `offset` of a buffer, for an agent.
End end_of(const Region& region, bool is_shared, int64_t offset);

/// Runs the handler once for each block of the cluster that a place's ranks name, with Warp::peer set.
const Instruction* by_rank(Warp& warp, const Instruction& i, const Place& place, Handler handler);

/// Reports a race of each lane that has one, where races are looked for.
void look_for_races(Warp& warp, const Place& place, const Region& region, const Located& where,
                    Shadow::Use use);

const Instruction* load(Warp& warp, const Instruction& i);  // info: row of Code::places
const Instruction* store(Warp& warp, const Instruction& i);

}  // namespace cdsl::sim
