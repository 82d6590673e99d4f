#include "machine.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>

namespace cdsl::emulation {
namespace {

constexpr std::size_t kDynamicBytes = 256 * 1024, kSharedAlignment = 1024;
constexpr unsigned char kStale = 0xCB;  // what shared memory holds before anything is written
constexpr unsigned kTurnsOfABlock = 24;  // on average, before another one gets its turn

}  // namespace

Machine::Machine(Options options) : options_(options), random_(options.seed * 2 + 1) {
  dynamic_ = std::make_unique<unsigned char[]>(kDynamicBytes + kSharedAlignment);
  const auto start = reinterpret_cast<uintptr_t>(dynamic_.get());
  dynamic_shared_ = dynamic_.get() + (kSharedAlignment - start % kSharedAlignment) % kSharedAlignment;
}

Machine::~Machine() = default;

/// Marsaglia's xorshift64*: a turn is too short for a better one.
uint32_t Machine::below(std::size_t count) {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return static_cast<uint32_t>(((random_ * 0x2545F4914F6CDD1Dull >> 32) * count) >> 32);
}

void Machine::start_block(Block& block, uint32_t serial) {
  const ::emulated::Index3 shape = launch_->block;
  block.serial = serial;
  block.count = shape.x * shape.y * shape.z;
  block.at_block = block.at_cluster = block.done = 0;
  block.warp_sync.assign((block.count + 31) / 32, 0);
  block.block_sync = 0;
  block.since = ++now_;
  std::fill(std::begin(block.some), std::end(block.some), SomeBarrier{});
  block.static_image.assign(launch_->static_shared.size(), kStale);
  block.dynamic_image.assign(launch_->shared_bytes, kStale);
  if (block.static_cells.size() < block.static_image.size()) block.static_cells = Cells(block.static_image.size());
  if (block.dynamic_cells.size() < block.dynamic_image.size()) block.dynamic_cells = Cells(block.dynamic_image.size());
  block.ready.clear();
  for (unsigned k = 0; k < block.count; ++k) {
    if (k == block.threads.size()) block.threads.push_back(std::make_unique<Thread>());
    Thread& thread = *block.threads[k];
    thread.block = &block;
    thread.number = k;
    thread.index = {k % shape.x, k / shape.x % shape.y, k / shape.x / shape.y};
    thread.state = Thread::State::Ready;
    thread.open.clear();
    thread.copies.clear();
    thread.fibre.start([this] { launch_->code->run(launch_->arguments.data()); });
    block.ready.push_back(k);
  }
}

void Machine::map_in(Block& block) {
  if (mapped_ == &block) return;
  const std::span<unsigned char> shared = launch_->static_shared;
  const auto move = [](unsigned char* to, const unsigned char* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  };
  if (mapped_ != nullptr) {
    move(mapped_->static_image.data(), shared.data(), shared.size());
    move(mapped_->dynamic_image.data(), dynamic_shared_, launch_->shared_bytes);
  }
  move(shared.data(), block.static_image.data(), shared.size());
  move(dynamic_shared_, block.dynamic_image.data(), launch_->shared_bytes);
  mapped_ = &block;
}

void Machine::show(const Thread& thread) {
  shown_[0] = thread.index;
  shown_[1] = {thread.block->serial, 0, 0};
  shown_[2] = launch_->block;
  shown_[3] = {static_cast<unsigned>(launch_->blocks), 1, 1};
}

/// One turn of one thread that is ready.
void Machine::turn(Block& block) {
  if (++turns_ > options_.step_limit / 100) {
    fault("step limit", "the launch does not end", nullptr);
    throw Stop{};
  }
  const std::size_t at = below(block.ready.size());
  const unsigned number = block.ready[at];
  block.ready[at] = block.ready.back();
  block.ready.pop_back();
  Thread& thread = *block.threads[number];
  map_in(block);
  show(thread);
  current_ = &thread;
  const bool ended = thread.fibre.resume();
  current_ = nullptr;
  if (stopping_) throw Stop{};
  if (ended) {
    thread.state = Thread::State::Done;
    ++block.done;
  } else if (thread.state == Thread::State::Ready) {
    block.ready.push_back(number);
  }
}

/// The current thread waits, or lets others go first.
void Machine::leave(Thread::State state) {
  thread().state = state;
  thread().fibre.suspend();
}

void Machine::pause() {
  if (draw(2)) leave(Thread::State::Ready);
}

Block& Machine::choose_block(Block* last) {
  const auto can_run = [](const Block* block) { return !block->ready.empty(); };
  if (last != nullptr && can_run(last) && !draw(kTurnsOfABlock)) return *last;
  std::vector<Block*> able;
  std::copy_if(active_.begin(), active_.end(), std::back_inserter(able), can_run);
  if (able.empty()) stuck();
  return *able[below(able.size())];
}

void Machine::run(const Launch& launch) {
  launch_ = &launch;
  running_ = this;
  stopping_ = false;
  mapped_ = nullptr;
  turns_ = 0;
  steps_left_ = options_.step_limit;
  launch_start_ = ++now_;
  all_sync_ = 0;
  published_.clear();
  uint32_t next = 0;
  const auto resident = static_cast<std::size_t>(std::max<int64_t>(launch.resident, launch.cluster) / launch.cluster * launch.cluster);
  std::vector<Block*> idle;
  for (std::size_t k = 0; k < std::min<std::size_t>(resident, static_cast<std::size_t>(launch.blocks)); ++k) {
    if (k == blocks_.size()) blocks_.push_back(std::make_unique<Block>());
    idle.push_back(blocks_[k].get());
  }
  active_.clear();
  try {
    for (Block* last = nullptr; next < launch.blocks || !active_.empty();) {
      while (next < launch.blocks && idle.size() >= launch.cluster) {
        for (unsigned k = 0; k < launch.cluster; ++k) {
          start_block(*idle.back(), next++);
          active_.push_back(idle.back());
          idle.pop_back();
        }
      }
      last = &choose_block(last);
      turn(*last);
      if (last->done < last->count) continue;
      active_.erase(std::find(active_.begin(), active_.end(), last));
      idle.push_back(last);
      if (mapped_ == last) mapped_ = nullptr;
      last = nullptr;
    }
  } catch (const Stop&) {
  }
  launch_ = nullptr;
}

}  // namespace cdsl::emulation
