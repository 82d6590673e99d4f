// What runs: warps of blocks of one launch. Plain data; the handlers and the scheduler change it.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "dsl/sim/code.h"
#include "dsl/sim/faults.h"
#include "dsl/sim/order.h"
#include "dsl/sim/random.h"
#include "dsl/sim/shadow.h"
#include "dsl/sim/simulator.h"
#include "dsl/sim/transfer.h"

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
  enum class State : uint8_t { Ready, AtBarrier, AtNamedBarrier, Stalled, Done };

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

  // Agents
  BlockState* peer = nullptr;         // the block whose shared memory is addressed, where not its own
  bool busy = false;                  // it stands in Launch::busy
  const char* waits_for = nullptr;    // Stalled: in words
  std::vector<Transfer> transfers;    // under way
  std::vector<Transfer> done;         // of batches that nobody has waited for yet
  uint32_t batches[2][kLanes] = {};   // committed, by loop::CopyBatch and lane
  std::vector<MatrixJob> matrix_jobs; // oldest first
  uint32_t matrix_batches = 0;        // committed
  bool matrix_fenced = false;
  std::vector<MatrixJob> unwaited;    // done or not: their d may not be touched
  int named_barrier = 0;              // AtNamedBarrier: which
  int registers_each = 0;             // budget of a thread

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

struct ArrivalBarrier {
  int64_t count = 0, pending = 0, bytes = 0;   // bytes: expected, less those that came
  uint64_t phase = 0;
};

struct NamedBarrierState {
  int arrived = 0, expected = 0;   // threads
};

struct BlockState {
  uint32_t serial = 0;  // over all launches of the simulator
  int64_t coordinates[3] = {0, 0, 0};
  int64_t rank = 0;  // in the cluster
  uint32_t last_barrier = 1;  // time of the last barrier of the whole block
  int waiting = 0, live = 0;  // warps at the block barrier, warps not done
  ClusterState* cluster = nullptr;
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  std::vector<uint8_t> shared_written;
  std::vector<uint16_t> unfenced;  // by 4 bytes: the thread + 1 whose write agents do not see yet
  std::map<int64_t, ArrivalBarrier> arrival_barriers;  // by offset in `shared`
  NamedBarrierState named_barriers[16];
  int free_registers = 0;          // that warps gave up
  std::vector<Shadow> shadows;  // by row of Code::buffers, of shared ones
};

/// A global buffer as this launch sees it.
struct GlobalBuffer {
  std::byte* bytes = nullptr;
  uint8_t* written = nullptr;  // flags; null where every byte was written
  Shadow* shadow = nullptr;    // null where no race can be
  int64_t count = 0;           // elements
  int64_t base = 0;            // where it starts, counted from a multiple of 256 bytes
};

/// A tensor map as this launch sees it.
struct MapView {
  GlobalBuffer memory;             // count: bytes
  ScalarType type = ScalarType::F32;
  std::vector<int64_t> extents, strides;   // strides: bytes, of every axis
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
  std::vector<MapView> maps{};     // as the kernel lists them
  std::vector<Warp*> busy{};       // have copies or matrix instructions under way

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
