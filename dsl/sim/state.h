// What runs: warps of blocks of one launch. Plain data; the handlers and the scheduler change it.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "dsl/sim/code.h"
#include "dsl/sim/faults.h"
#include "dsl/sim/order.h"
#include "dsl/sim/random.h"
#include "dsl/sim/shadow.h"
#include "dsl/sim/simulator.h"

namespace cdsl::sim {

struct Launch;
struct BlockState;

/// One entry of a warp's control stack: the lanes to come back to, and those that take the other
/// way.
struct Frame {
  uint32_t saved = 0, other = 0;
  uint64_t memory_version = 0, changes = 0;  // While: at the start of the round
};

struct Warp {
  enum class State : uint8_t { Ready, AtBarrier, Stalled, Done };

  // Hot: read by every instruction.
  std::byte* registers = nullptr;
  uint32_t mask = 0;     // active lanes
  bool running = false;  // cleared to leave the loop of `execute`
  int active = 0;        // lanes in mask
  const Code* code = nullptr;

  Launch* launch = nullptr;
  BlockState* block = nullptr;
  uint32_t live = 0;   // lanes that exist
  uint32_t index = 0;  // in the block
  State state = State::Ready;
  loop::BarrierScope barrier = loop::BarrierScope::Block;  // AtBarrier: which
  const Instruction* next = nullptr;
  uint32_t last_barrier = 0;  // time of the warp's last barrier
  uint64_t changes = 0;       // of registers, for finding rounds that change nothing
  uint64_t stalled_at = 0;    // Stalled: memory version that it waits to change
  std::vector<Frame> frames;
  std::size_t depth = 0;
  std::vector<std::byte> register_file, thread_memory;
  std::vector<uint8_t> thread_written;

  void set_mask(uint32_t lanes) {
    mask = lanes;
    active = std::popcount(lanes);
  }
  Frame& push() { return frames[depth++]; }
  Frame& top() { return frames[depth - 1]; }
  void pop() { --depth; }
  template <class T>
  T* at(uint32_t offset) {
    return reinterpret_cast<T*>(registers + offset);
  }
};

/// The blocks of one cluster run together and share a clock, which ticks at barriers.
struct ClusterState {
  uint32_t first_block = 0;             // serial number
  uint32_t time = 1, last_barrier = 1;  // of the whole cluster
  int waiting = 0, live = 0;            // warps at the cluster barrier, warps not done
  std::vector<BlockState*> blocks;
};

struct BlockState {
  uint32_t serial = 0;  // over all launches of the simulator
  int64_t coordinates[3] = {0, 0, 0};
  uint32_t last_barrier = 1;  // time of the last barrier of the whole block
  int waiting = 0, live = 0;  // warps at the block barrier, warps not done
  ClusterState* cluster = nullptr;
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  std::vector<uint8_t> shared_written;
  std::vector<Shadow> shadows;  // by row of Code::buffers, of shared ones
};

/// A global buffer as this launch sees it.
struct GlobalBuffer {
  std::byte* bytes = nullptr;
  uint8_t* written = nullptr;  // flags; null where every byte was written
  Shadow* shadow = nullptr;    // null where no race can be
  int64_t count = 0;           // elements
  int64_t base = 0;            // offset in the allocation, aligned to 256 bytes
};

/// What lasts from launch to launch.
struct Session {
  const loop::Program& program;
  Memory& memory;
  Options options;
  Result result{};
  FaultLog faults{result.faults};
  std::vector<std::unique_ptr<Shadow>> shadows{};  // by allocation
  uint32_t next_block = 1;                         // serial number
};

struct Launch {
  Session& session;
  const Code& code;
  KernelCounters& counters;
  AccessCounters* accesses = nullptr;   // one for each of Code::sites
  std::vector<GlobalBuffer> globals{};  // by row of Code::buffers
  int64_t grid[3] = {1, 1, 1};
  int64_t blocks_in_grid = 1;
  uint32_t first_block = 1;        // serial numbers from here on belong to this launch
  std::unique_ptr<Order> order{};  // where the kernel orders by fences or atomics
  Random random{1};
  uint64_t memory_version = 0;  // counted where the kernel spins
  uint64_t lane_steps = 0;
  bool stop = false;

  std::vector<std::unique_ptr<BlockState>> blocks{};  // resident; kept for reuse
  std::vector<std::unique_ptr<ClusterState>> clusters{};
  std::vector<Warp*> ready{};

  const Ordering* ordering() const { return order.get(); }
};

/// The thread of `lane` as races see it.
inline Actor actor(const Warp& warp, int lane) {
  const BlockState& block = *warp.block;
  const ClusterState& cluster = *block.cluster;
  return {block.serial,
          warp.index * kLanes + static_cast<uint32_t>(lane),
          cluster.time,
          warp.last_barrier,
          block.last_barrier,
          cluster.last_barrier,
          cluster.first_block,
          static_cast<uint32_t>(cluster.blocks.size()),
          warp.launch->first_block};
}

/// Time passes in the cluster: what comes is later than what was.
void tick(ClusterState& cluster, Launch& launch);

}  // namespace cdsl::sim
