#include "dsl/sim/launch.h"

#include <algorithm>

#include <fmt/format.h>

#include "dsl/sim/agents.h"
#include "dsl/support/check.h"

namespace cdsl::sim {
namespace {

/// A turn of a warp, in instructions: long enough to stay in the cache, short and odd enough to
/// mix.
constexpr uint64_t kShortestTurn = 16, kLongestTurn = 1024;

class Scheduler {
 public:
  Scheduler(Launch& launch, std::span<const Argument> arguments)
      : launch_(launch), code_(launch.code) {
    make_preset(arguments);
    const int* cluster = code_.kernel->cluster;
    cluster_size_ = int64_t{cluster[0]} * cluster[1] * cluster[2];
    clusters_left_ = launch.blocks_in_grid / cluster_size_;
  }

  void run() {
    const int64_t resident =
        std::max<int64_t>(1, launch_.session.options.resident_blocks / cluster_size_);
    for (int64_t k = 0; k < resident && clusters_left_ > 0; ++k) start_cluster(make_cluster());
    while (!launch_.stop) {
      // Agents act between the turns of warps, and where none can run.
      if (!launch_.busy.empty() && (launch_.ready.empty() || launch_.random.below(2) == 0))
        agents_act(launch_);
      wake_stalled();
      if (launch_.ready.empty()) {
        if (!launch_.busy.empty()) continue;
        if (live_warps_ > 0) report_deadlock();
        break;
      }
      const std::size_t pick = launch_.random.below(launch_.ready.size());
      Warp& warp = *launch_.ready[pick];
      take_turn(warp);
      if (warp.state == Warp::State::Ready) continue;
      launch_.ready[pick] = launch_.ready.back();
      launch_.ready.pop_back();
      settle(warp);
    }
  }

 private:
  void make_preset(std::span<const Argument> arguments) {
    preset_.resize(code_.preset_bytes);
    for (const auto& [slot, value] : code_.constants) set_lane(preset_.data(), slot, 0, value);
    const std::size_t buffers =
        arguments.size() - code_.scalars.size() - code_.kernel->maps.size();
    for (std::size_t k = 0; k < code_.scalars.size(); ++k) {
      set_lane(preset_.data(), code_.scalars[k], 0, arguments[buffers + k].value);
    }
  }

  ClusterState& make_cluster() {
    launch_.clusters.push_back(std::make_unique<ClusterState>());
    ClusterState& cluster = *launch_.clusters.back();
    for (int64_t k = 0; k < cluster_size_; ++k) {
      launch_.blocks.push_back(std::make_unique<BlockState>());
      cluster.blocks.push_back(launch_.blocks.back().get());
      cluster.blocks.back()->cluster = &cluster;
    }
    return cluster;
  }

  // Blocks start in nearly ascending order, as on hardware, which promises none: one of the next
  // few is drawn.
  int64_t draw_cluster() {
    constexpr std::size_t kWindow = 8;
    while (window_.size() < kWindow && next_cluster_ < launch_.blocks_in_grid / cluster_size_)
      window_.push_back(next_cluster_++);
    const std::size_t pick = launch_.random.below(window_.size());
    const int64_t drawn = window_[pick];
    window_.erase(window_.begin() + static_cast<std::ptrdiff_t>(pick));
    return drawn;
  }

  void start_cluster(ClusterState& cluster) {
    const int64_t number = draw_cluster();
    --clusters_left_;
    cluster.waiting = cluster.live = 0;
    cluster.first_block = launch_.session.next_block;
    cluster.time = cluster.last_barrier = 1;
    for (int64_t k = 0; k < cluster_size_; ++k) {
      BlockState& block = *cluster.blocks[static_cast<std::size_t>(k)];
      start_block(launch_, block, preset_, number * cluster_size_ + k);
      cluster.live += block.live;
      live_warps_ += block.live;
      for (Warp& warp : block.warps) launch_.ready.push_back(&warp);
    }
  }

  void take_turn(Warp& warp) {
    const uint64_t turn = kShortestTurn + launch_.random.below(kLongestTurn - kShortestTurn);
    uint64_t steps = 0, lane_steps = 0;
    const Instruction* next = warp.next;
    warp.running = true;
    while (warp.running && steps < turn) {
      ++steps;
      lane_steps += static_cast<uint64_t>(warp.active);
      next = next->run(warp, *next);
    }
    warp.next = next;
    launch_.counters.warp_instructions += steps;
    launch_.counters.lane_instructions += lane_steps;
    launch_.lane_steps += lane_steps;
    if (launch_.lane_steps <= launch_.session.options.step_limit || launch_.stop) return;
    fault(warp, Fault::Kind::StepLimit, code_.kernel, where(warp), 0,
          fmt::format("more than {} operations", launch_.session.options.step_limit));
    launch_.stop = true;
  }

  SourceRange where(const Warp& warp) const {
    return code_.where[static_cast<std::size_t>(warp.next - code_.instructions.data())];
  }

  // After a turn that left the warp waiting or done.
  void settle(Warp& warp) {
    BlockState& block = *warp.block;
    if (warp.state == Warp::State::Stalled) {
      stalled_.push_back(&warp);
      return;
    }
    if (warp.state == Warp::State::Done) {
      --live_warps_;
      --block.live;
      --block.cluster->live;
      if (block.live == 0) end_block(block);
    }
    release_barriers(block);
  }

  void end_block(BlockState& block) {
    if (!launch_.busy.empty()) agents_of_ended(block);
    if (launch_.order != nullptr)
      launch_.order->block_ends(block.serial, block.shared.data(), block.shared.size());
    ClusterState& cluster = *block.cluster;
    if (cluster.live == 0 && clusters_left_ > 0) start_cluster(cluster);
  }

  // A barrier opens when all warps that still run are at it. One that has ended will not come: that
  // is a fault, and the others go on.
  void release_barriers(BlockState& block) {
    if (block.waiting > 0 && block.waiting == block.live) {
      check_all_came(block, loop::BarrierScope::Block,
                     block.live < static_cast<int>(block.warps.size()));
      block.waiting = 0;
      tick(*block.cluster, launch_);
      release(block, loop::BarrierScope::Block);
    }
    ClusterState& cluster = *block.cluster;
    if (cluster.waiting > 0 && cluster.waiting == cluster.live) {
      const auto all = static_cast<int>(cluster.blocks.size() * block.warps.size());
      check_all_came(block, loop::BarrierScope::Cluster, cluster.live < all);
      cluster.waiting = 0;
      tick(cluster, launch_);
      cluster.last_barrier = cluster.time;
      for (BlockState* member : cluster.blocks) release(*member, loop::BarrierScope::Cluster);
      if (launch_.order != nullptr && cluster.blocks.size() > 1) {
        std::vector<uint32_t> serials;
        for (const BlockState* member : cluster.blocks) serials.push_back(member->serial);
        launch_.order->cluster_barrier(serials);
      }
    }
  }

  void check_all_came(BlockState& block, loop::BarrierScope scope, bool some_ended) {
    const Instruction* first = nullptr;
    for (Warp& warp : block.warps) {
      if (warp.state != Warp::State::AtBarrier || warp.barrier != scope) continue;
      if (first == nullptr) first = warp.next;
      if (!some_ended && warp.next == first) continue;
      const SourceRange at =
          code_.where[static_cast<std::size_t>(warp.next - 1 - code_.instructions.data())];
      fault(warp, Fault::Kind::DivergentBarrier, warp.next, at, 0,
            some_ended ? "barrier that a warp of the block has ended without"
                       : "barrier while another warp is at a different one");
      return;
    }
  }

  void release(BlockState& block, loop::BarrierScope scope) {
    block.last_barrier = block.cluster->time;
    if (launch_.order != nullptr) launch_.order->block_barrier(block.serial);
    for (Warp& warp : block.warps) {
      warp.last_barrier = block.last_barrier;
      if (warp.state != Warp::State::AtBarrier || warp.barrier != scope) continue;
      warp.state = Warp::State::Ready;
      launch_.ready.push_back(&warp);
    }
  }

  // A warp sleeps until memory changes: running it before would repeat the same round.
  void wake_stalled() {
    if (stalled_.empty() || stalled_.front()->stalled_at == launch_.memory_version) return;
    for (Warp* warp : stalled_) {
      warp->state = Warp::State::Ready;
      launch_.ready.push_back(warp);
    }
    stalled_.clear();
  }

  void report_deadlock() {
    const auto wait_of = [](const Warp& warp) {
      if (warp.state == Warp::State::AtBarrier) return "waits at a barrier";
      if (warp.state == Warp::State::AtNamedBarrier) return "waits at a named barrier";
      return warp.waits_for != nullptr ? warp.waits_for : "waits for memory that nothing changes";
    };
    for (const auto& block : launch_.blocks) {
      for (Warp& warp : block->warps) {
        if (warp.state == Warp::State::Done || block->live == 0) continue;
        fault(warp, Fault::Kind::Deadlock, code_.kernel, where(warp), 0,
              fmt::format("no warp can go on: of {}, the first {}", live_warps_, wait_of(warp)));
        launch_.stop = true;
        return;
      }
    }
  }

  Launch& launch_;
  const Code& code_;
  std::vector<std::byte> preset_;
  int64_t cluster_size_ = 1, clusters_left_ = 0, next_cluster_ = 0;
  std::vector<int64_t> window_;  // clusters that may start next
  std::vector<Warp*> stalled_;
  int live_warps_ = 0;
};

}  // namespace

void tick(ClusterState& cluster, Launch& launch) {
  if (cluster.time < Record::kMaxTime) {
    ++cluster.time;
    return;
  }
  // Out of numbers: forget all past accesses. A race across this moment is missed, none is made up.
  for (const auto& shadow : launch.session.shadows) {
    if (shadow != nullptr) shadow->clear();
  }
  for (const auto& other : launch.blocks) {
    for (Shadow& shadow : other->shadows) shadow.clear();
    other->cluster->time = other->cluster->last_barrier = other->last_barrier = 1;
    for (Warp& warp : other->warps) warp.last_barrier = 1;
  }
}

void run(Launch& launch, std::span<const Argument> arguments) {
  Scheduler(launch, arguments).run();
}

}  // namespace cdsl::sim
