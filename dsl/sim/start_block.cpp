#include <algorithm>

#include "dsl/sim/launch.h"
#include "dsl/sim/roles.h"

namespace cdsl::sim {
namespace {

int64_t special_value(loop::Special special, const Launch& launch, const BlockState& block,
                      int64_t thread) {
  const int* shape = launch.code.kernel->block;
  switch (special) {
    case loop::Special::ThreadX: return thread % shape[0];
    case loop::Special::ThreadY: return thread / shape[0] % shape[1];
    case loop::Special::ThreadZ: return thread / (int64_t{shape[0]} * shape[1]);
    case loop::Special::BlockX: return block.coordinates[0];
    case loop::Special::BlockY: return block.coordinates[1];
    case loop::Special::BlockZ: return block.coordinates[2];
    case loop::Special::BlockDimX: return shape[0];
    case loop::Special::BlockDimY: return shape[1];
    case loop::Special::BlockDimZ: return shape[2];
    case loop::Special::GridDimX: return launch.grid[0];
    case loop::Special::GridDimY: return launch.grid[1];
    case loop::Special::GridDimZ: return launch.grid[2];
    case loop::Special::Lane: return thread % kLanes;
    case loop::Special::Rank: return block.rank;
    case loop::Special::Warp: break;
  }
  return thread / kLanes;
}

// Blocks are numbered cluster by cluster, and within a cluster x first.
void place_block(const Launch& launch, BlockState& block, int64_t linear) {
  const int* cluster = launch.code.kernel->cluster;
  const int64_t size = int64_t{cluster[0]} * cluster[1] * cluster[2];
  int64_t rank = linear % size, number = linear / size;
  block.rank = rank;
  for (int k = 0; k < 3; ++k) {
    const int64_t clusters = launch.grid[k] / cluster[k];
    block.coordinates[k] = number % clusters * cluster[k] + rank % cluster[k];
    number /= clusters;
    rank /= cluster[k];
  }
}

void start_warp(Launch& launch, BlockState& block, Warp& warp, std::span<const std::byte> preset) {
  const Code& code = launch.code;
  const int* shape = code.kernel->block;
  const int64_t threads = int64_t{shape[0]} * shape[1] * shape[2];
  const int64_t first = int64_t{warp.index} * kLanes;
  const int64_t lanes = std::min<int64_t>(kLanes, threads - first);
  warp.registers = warp.register_file.data();
  warp.code = &code;
  warp.launch = &launch;
  warp.block = &block;
  warp.live = lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
  warp.set_mask(warp.live);
  warp.state = Warp::State::Ready;
  warp.next = code.instructions.data();
  warp.last_barrier = block.last_barrier;
  warp.depth = 0;
  std::copy(preset.begin(), preset.end(), warp.registers);
  for (const auto& [special, slot] : code.specials) {
    for (int l = 0; l < (slot.uniform ? 1 : kLanes); ++l) {
      set_lane(warp.registers, slot, l,
               Value::of_int(special_value(special, launch, block, first + l)));
    }
  }
  std::fill(warp.thread_written.begin(), warp.thread_written.end(), uint8_t{0});
  warp.transfers.clear();
  warp.done.clear();
  warp.matrix_jobs.clear();
  warp.unwaited.clear();
  for (auto& of_kind : warp.batches) std::fill(std::begin(of_kind), std::end(of_kind), 0u);
  warp.matrix_batches = 0;
  warp.matrix_fenced = false;
  warp.registers_each = entry_registers(threads);
}

void make_warps(const Launch& launch, BlockState& block) {
  const Code& code = launch.code;
  const int* shape = code.kernel->block;
  const int64_t threads = int64_t{shape[0]} * shape[1] * shape[2];
  block.warps.resize(static_cast<std::size_t>((threads + kLanes - 1) / kLanes));
  for (std::size_t w = 0; w < block.warps.size(); ++w) {
    Warp& warp = block.warps[w];
    warp.index = static_cast<uint32_t>(w);
    warp.register_file.resize(code.register_bytes);
    warp.thread_memory.resize(static_cast<std::size_t>(code.thread_bytes * kLanes));
    warp.thread_written.resize(launch.session.options.check ? warp.thread_memory.size() : 0);
    warp.frames.resize(code.frames);
  }
  block.shared.resize(static_cast<std::size_t>(code.shared_bytes));
  block.shared_written.resize(block.shared.size());
  block.unfenced.resize(code.proxies ? block.shared.size() / 4 + 1 : 0);
  block.shadows.resize(code.buffers.size());
  for (std::size_t row = 0; row < code.buffers.size(); ++row) {
    const BufferUse& use = code.buffers[row];
    if (use.space == loop::Space::Shared)
      block.shadows[row].cover(use.count * use.element_size, use.granule, true);
  }
}

}  // namespace

void start_block(Launch& launch, BlockState& block, std::span<const std::byte> preset,
                 int64_t linear) {
  if (block.warps.empty()) make_warps(launch, block);
  place_block(launch, block, linear);
  block.serial = launch.session.next_block++;
  block.last_barrier = block.cluster->time;
  block.waiting = 0;
  block.live = static_cast<int>(block.warps.size());
  std::fill(block.shared_written.begin(), block.shared_written.end(), uint8_t{0});
  std::fill(block.unfenced.begin(), block.unfenced.end(), uint16_t{0});
  block.arrival_barriers.clear();
  std::fill(std::begin(block.named_barriers), std::end(block.named_barriers), NamedBarrierState{});
  block.free_registers = 0;
  for (Warp& warp : block.warps) start_warp(launch, block, warp, preset);
  ++launch.counters.blocks;
  launch.counters.warps += block.warps.size();
}

}  // namespace cdsl::sim
