#include "dsl/sim/arrival.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "dsl/sim/access.h"

namespace cdsl::sim {
namespace {

constexpr int64_t kMostArrivals = (1 << 20) - 1;  // also of pending bytes, either way

/// Ends the phase once nothing is missing.
void advance(ArrivalBarrier& barrier, Launch& launch) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  ++launch.memory_version;
}

/// One lane at the barrier that a place names.
struct AtBarrier {
  BlockState* block;
  int64_t offset;           // into the block's shared memory
  ArrivalBarrier* barrier;  // null where it was not initialised
  const std::byte* address() const { return block->shared.data() + offset; }
};

class Lanes {
 public:
  Lanes(Warp& warp, const ArrivalUse& use)
      : warp_(warp), place_(warp.code->places[use.place]), use_(use) {
    region_ = region_of(warp, buffer());
    locate(warp, place_, region_, where_);
  }

  const Place& place() const { return place_; }
  uint32_t lanes() const { return where_.lanes; }
  const Region& region() const { return region_; }
  const Located& where() const { return where_; }
  int64_t operand(int lane) const { return get_lane(warp_.registers, use_.operand, lane).i; }

  AtBarrier at(int lane) {
    BlockState& block = warp_.peer != nullptr ? *warp_.peer : *warp_.block;
    const int64_t offset = buffer().offset + where_.offset[lane];
    const auto found = block.arrival_barriers.find(offset);
    return {&block, offset, found == block.arrival_barriers.end() ? nullptr : &found->second};
  }

  void fail(int lane, const std::string& what) {
    fault(warp_, Fault::Kind::BadBarrier, &place_, place_.where, lane,
          fmt::format("{}[{}]: {}", buffer().name, where_.index[lane], what));
  }

 private:
  const BufferUse& buffer() const { return warp_.code->buffers[place_.buffer]; }

  Warp& warp_;
  const Place& place_;
  const ArrivalUse& use_;
  Region region_;
  Located where_;
};

void arrive(Warp& warp, Lanes& lanes, const ArrivalUse& use, int lane) {
  const AtBarrier at = lanes.at(lane);
  if (at.barrier == nullptr)
    return lanes.fail(lane, "an arrival at a barrier that is not initialised");
  if (use.has_operand) at.barrier->bytes += lanes.operand(lane);
  if (at.barrier->bytes > kMostArrivals)
    return lanes.fail(
        lane, fmt::format("{} bytes are expected, at most {}", at.barrier->bytes, kMostArrivals));
  if (at.barrier->pending == 0)
    return lanes.fail(lane, fmt::format("more arrivals than its count of {}", at.barrier->count));
  --at.barrier->pending;
  if (Order* order = warp.launch->order.get()) {
    order->release(actor(warp, lane), at.address(), true);
    tick(*warp.block->cluster, *warp.launch);
  }
  advance(*at.barrier, *warp.launch);
}

}  // namespace

void complete_bytes(Warp& issuer, int lane, const Actor& agent, const SourceRange& where,
                    BlockState& block, int64_t offset, int64_t bytes) {
  const auto found = block.arrival_barriers.find(offset);
  if (found == block.arrival_barriers.end()) {
    return fault(issuer, Fault::Kind::BadBarrier, &where, where, lane,
                 "a copy completes at a barrier that is not initialised");
  }
  if (Order* order = issuer.launch->order.get())
    order->complete(agent, block.shared.data() + offset);
  found->second.bytes -= bytes;
  advance(found->second, *issuer.launch);
}

const Instruction* barrier_init(Warp& warp, const Instruction& i) {
  const ArrivalUse& use = warp.code->arrivals[i.info];
  Lanes lanes(warp, use);
  if (lanes.lanes() == 0) return &i + 1;
  if (lanes.region().written != nullptr) mark_written(lanes.place(), lanes.region(), lanes.where());
  look_for_races(warp, lanes.place(), lanes.region(), lanes.where(), Shadow::Use::Write);
  for (uint32_t left = lanes.lanes(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const int64_t count = lanes.operand(lane);
    if (count < 1 || count > kMostArrivals) {
      lanes.fail(lane, fmt::format("a count of {}", count));
      continue;
    }
    const AtBarrier at = lanes.at(lane);
    at.block->arrival_barriers[at.offset] = {count, count, 0, 0};
  }
  return &i + 1;
}

const Instruction* barrier_arrive(Warp& warp, const Instruction& i) {
  const ArrivalUse& use = warp.code->arrivals[i.info];
  const Place& place = warp.code->places[use.place];
  if (place.has_rank && warp.peer == nullptr) return by_rank(warp, i, place, barrier_arrive);
  Lanes lanes(warp, use);
  if (lanes.lanes() == 0) return &i + 1;
  look_for_races(warp, place, lanes.region(), lanes.where(), Shadow::Use::Atomic);
  for (uint32_t left = lanes.lanes(); left != 0; left &= left - 1)
    arrive(warp, lanes, use, std::countr_zero(left));
  return &i + 1;
}

const Instruction* barrier_wait(Warp& warp, const Instruction& i) {
  const ArrivalUse& use = warp.code->arrivals[i.info];
  Lanes lanes(warp, use);
  bool over = true;
  for (uint32_t left = lanes.lanes(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const AtBarrier at = lanes.at(lane);
    if (at.barrier == nullptr)
      lanes.fail(lane, "a wait at a barrier that is not initialised");
    else
      over &= (at.barrier->phase & 1) != (static_cast<uint64_t>(lanes.operand(lane)) & 1);
  }
  if (!over) {
    warp.state = Warp::State::Stalled;
    warp.stalled_at = warp.launch->memory_version;
    warp.waits_for = "waits at an arrival barrier";
    warp.running = false;
    return &i;
  }
  look_for_races(warp, lanes.place(), lanes.region(), lanes.where(), Shadow::Use::Atomic);
  Order* order = warp.launch->order.get();
  if (order == nullptr) return &i + 1;
  const int first = std::countr_zero(warp.mask);
  const bool together = warp.mask == warp.live && lanes.where().pattern == Located::Pattern::Same;
  if (together && lanes.lanes() != 0) {
    order->acquire_warp(actor(warp, first), lanes.at(first).address());
    return &i + 1;
  }
  for (uint32_t left = lanes.lanes(); left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    order->acquire(actor(warp, lane), lanes.at(lane).address(), true);
  }
  return &i + 1;
}

}  // namespace cdsl::sim
