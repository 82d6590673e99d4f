// Who touched each byte last: for races, and for reads of what nothing wrote.
//
// Time is a counter that ticks whenever threads meet. An access is ordered after an earlier one of another thread where a barrier
// of the block, of the warp, or something that orders all threads came between. Lenient where exactness would cost much: a race may
// be missed, none is invented.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <unordered_map>

#include "shim/api.h"

namespace cdsl::emulation {

/// What fences published: whatever a thread did before its fence, and what barriers had ordered before that, is taken for seen by
/// all from then on. Whether the reader looked at the flag is not asked.
class Published {
 public:
  void clear() { when_.clear(); }
  /// A thread fences; its warp and its block met last at these times.
  void fence(uint32_t thread, uint32_t now, uint32_t warp_sync, uint32_t block_sync);
  bool has(uint32_t thread, uint32_t when) const;

 private:
  enum Of : uint64_t { Thread, Warp, Block };
  bool has(Of of, uint32_t id, uint32_t when) const {
    const auto found = when_.find(of << 32 | id);
    return found != when_.end() && when < found->second;
  }
  std::unordered_map<uint64_t, uint32_t> when_;
};

/// A thread as it accesses memory now.
struct Actor {
  static constexpr int kThreadBits = 10, kLaneBits = 5;

  uint32_t thread = 0;                                 // the block's number in the launch, and the thread in the block
  uint32_t now = 0;
  uint32_t since = 0;                                  // what happened before does not count: another block or launch
  uint32_t warp_sync = 0, block_sync = 0, all_sync = 0;  // when the last one was
  const Published* published = nullptr;

  bool is_after(uint32_t other, uint32_t when) const {
    if (other == thread || when < since || when < all_sync) return true;
    const uint32_t apart = other ^ thread;
    if ((apart >> kThreadBits) == 0 && when < block_sync) return true;
    if ((apart >> kLaneBits) == 0 && when < warp_sync) return true;
    return published != nullptr && published->has(other, when);
  }
};

inline void Published::fence(uint32_t thread, uint32_t now, uint32_t warp_sync, uint32_t block_sync) {
  when_[uint64_t{Thread} << 32 | thread] = now;
  when_[uint64_t{Warp} << 32 | thread >> Actor::kLaneBits] = warp_sync;
  when_[uint64_t{Block} << 32 | thread >> Actor::kThreadBits] = block_sync;
}

inline bool Published::has(uint32_t thread, uint32_t when) const {
  return has(Thread, thread, when) || has(Warp, thread >> Actor::kLaneBits, when) || has(Block, thread >> Actor::kThreadBits, when);
}

struct Conflict {
  bool found = false, wrote = false;  // what the other did
  uint32_t other = 0;
};

/// One byte. Of the readers three are kept: the last one, another of its warp, and one of another warp; whoever writes, at least
/// one of them is somebody else.
struct Cell {
  static constexpr uint32_t kAtomic = 1u << 31;

  uint32_t writer, written;  // time 0: nobody
  uint32_t reader[3], read[3];

  bool is_written_since(uint32_t since) const { return written != 0 && written >= since; }

  Conflict touch(const Actor& who, ::emulated::Use use) {
    using ::emulated::Use;
    Conflict conflict;
    if (use == Use::Volatile) return conflict;
    const bool both_atomic = use == Use::Atomic && (writer & kAtomic) != 0;
    if (written != 0 && !both_atomic && !who.is_after(writer & ~kAtomic, written)) conflict = {true, true, writer & ~kAtomic};
    if (use == Use::Read) {
      note_reader(who);
      return conflict;
    }
    for (int k = 0; k < 3 && !conflict.found; ++k) {
      if (read[k] != 0 && !who.is_after(reader[k], read[k])) conflict = {true, false, reader[k]};
    }
    writer = who.thread | (use == Use::Atomic ? kAtomic : 0);
    written = who.now;
    return conflict;
  }

 private:
  void note_reader(const Actor& who) {
    const uint32_t apart = reader[0] ^ who.thread;
    if (read[0] != 0 && apart != 0) {
      const int kept = (apart >> Actor::kLaneBits) == 0 ? 1 : 2;
      reader[kept] = reader[0];
      read[kept] = read[0];
    }
    reader[0] = who.thread;
    read[0] = who.now;
  }
};

/// Cells of a range of memory; those that are never touched cost nothing.
class Cells {
 public:
  Cells() = default;
  explicit Cells(std::size_t count) : cells_(static_cast<Cell*>(std::calloc(count + 1, sizeof(Cell)))), count_(count) {
    if (!cells_) throw std::bad_alloc();
  }
  Cell& operator[](std::size_t k) { return cells_.get()[k]; }
  std::size_t size() const { return count_; }

 private:
  struct Free {
    void operator()(Cell* cells) const { std::free(cells); }
  };
  std::unique_ptr<Cell, Free> cells_;
  std::size_t count_ = 0;
};

}  // namespace cdsl::emulation
