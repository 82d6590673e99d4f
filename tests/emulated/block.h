// A block while it is resident: its threads and what they wait for, and its shared memory while another block has the place.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "fibre.h"
#include "shadow.h"
#include "shim/api.h"

namespace cdsl::emulation {

struct Block;

/// What a thread brings to the other lanes of its warp.
struct Meeting {
  enum class Kind : uint8_t { Sync, Shuffle, Vote, Match } kind = Kind::Sync;
  unsigned site = 0, mask = 0;
  ::emulated::Shuffle shuffle = {};
  ::emulated::Vote vote = {};
  bool all = false;
  uint64_t bits = 0;
  int operand = 0, width = 32;
  const void* pc = nullptr;
};

struct PendingCopy {
  void* to;
  const void* from;  // null: zeros
  int bytes;
  const void* pc;
};

struct Thread {
  enum class State : uint8_t { Ready, AtBlock, AtCluster, AtSome, AtWarp, Done, Given };  // Given up: a fault ended it
  Block* block = nullptr;
  unsigned number = 0;  // in the block
  ::emulated::Index3 index = {};
  State state = State::Done;
  unsigned site = 0;  // of the barrier it waits at
  int barrier = 0;    // of sync_some
  const void* pc = nullptr;
  Meeting meeting = {};
  uint64_t result = 0;  // of the meeting
  std::vector<PendingCopy> open = {};
  std::deque<std::vector<PendingCopy>> copies = {};
  Fibre fibre = {};

  unsigned warp() const { return number / 32; }
  unsigned lane() const { return number % 32; }
};

/// bar.sync and bar.arrive of some warps.
struct SomeBarrier {
  int arrived = 0, threads = 0;
};

struct Block {
  uint32_t serial = 0;  // in the launch
  std::vector<std::unique_ptr<Thread>> threads;
  unsigned count = 0;            // of threads that this launch has
  std::vector<unsigned> ready;   // in no order
  unsigned first_at_block = 0;   // that waits now
  unsigned at_block = 0, at_cluster = 0, done = 0;
  std::vector<uint32_t> warp_sync;
  uint32_t since = 0, block_sync = 0;
  SomeBarrier some[16] = {};
  std::vector<unsigned char> static_image, dynamic_image;  // while another block is mapped
  Cells static_cells, dynamic_cells;
};

}  // namespace cdsl::emulation
