// Order between threads that synchronise through memory: what a release publishes at an address,
// what an acquire of that address has therefore seen. Fences make the relaxed atomics around them
// release and acquire, as in C++ and PTX. Lenient where exactness would cost much: it may miss a
// race, it never invents one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "dsl/sim/shadow.h"

namespace cdsl::sim {

class Order : public Ordering {
 public:
  /// An atomic of `who` read `address` (with `strong`: acquire order).
  void acquire(const Actor& who, const std::byte* address, bool strong);
  /// An atomic of `who` wrote `address` (with `strong`: release order). True if something was
  /// published: the caller lets the block's time tick, so that later accesses are told apart.
  bool release(const Actor& who, const std::byte* address, bool strong);
  /// The caller lets the block's time tick.
  void fence(const Actor& who);

  /// The agent `who` is done, and says so at `address`. The caller lets the time tick.
  void complete(const Actor& who, const std::byte* address);
  /// All lanes of the warp of `who` have seen what stands at `address`.
  void acquire_warp(const Actor& who, const std::byte* address);
  /// After `block_barrier` of each: what one block has seen, all have.
  void cluster_barrier(std::span<const uint32_t> blocks);

  void block_barrier(uint32_t block);
  void warp_barrier(uint32_t block, uint32_t warp);
  void block_ends(uint32_t block, const std::byte* shared, std::size_t shared_bytes);

  bool before(Record past, const Actor& now) const override;

 private:
  struct Location;
  /// What stood at a location when its version was `version`.
  struct Seen {
    Location* location;
    uint32_t version;
  };
  struct Entry {
    uint32_t time, since;
  };  // `since`: the version that first held it
  struct Location {
    uint32_t version = 0;
    std::unordered_map<uint64_t, Entry> entries;  // by whom: everything of theirs before `time`
    std::vector<std::pair<Seen, uint32_t>>
        sources;  // and all that they had seen, from that version on
  };
  struct Pending {
    uint32_t thread;
    Seen seen;
    bool strong, warp_wide;
  };
  struct Snapshot {
    uint32_t block_barrier, warp_barrier, time;
  };
  struct BlockState {
    std::vector<Seen> seen;                         // by all its threads
    std::array<std::vector<Pending>, 32> pending;   // by warp: since the last barrier, by one thread
    std::unordered_map<uint32_t, Snapshot> fences;  // by thread
  };

  static void add(std::vector<Seen>& list, Seen seen);
  Location& location_at(const std::byte* address);
  void pend(const Actor& who, const std::byte* address, bool strong, bool warp_wide);
  void publish(Location& location, const Actor& who, const Snapshot& what);
  bool is_before(Record past, const Actor& now) const;
  bool visible(const Pending& pending, const Actor& who) const;

  std::deque<Location> pool_;
  std::unordered_map<const std::byte*, Location*> locations_;
  std::unordered_map<uint32_t, BlockState> blocks_;

  // Answers of `before`, until something changes: neighbouring pieces of memory ask the same.
  struct Answer {
    uint64_t past = 0, now = 0, changes = 0;
    bool before = false;
  };
  uint64_t changes_ = 1;
  mutable std::vector<Answer> answers_ = std::vector<Answer>(4096);
};

}  // namespace cdsl::sim
