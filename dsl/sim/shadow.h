// Who touched each piece of memory last, for finding races: a word for the last writer and one for
// the last readers of each granule. Time within a cluster is a counter that ticks at barriers; an
// access is ordered after another of the same warp (block, cluster) when a warp (block, cluster)
// barrier lies between them. Beyond that, acquire and release order (order.h). An agent (the copy engine, the matrix unit)
// comes after what its thread did before it started it, and before who waited for its completion.
#pragma once

#include <cstdint>
#include <vector>

namespace cdsl::sim {

/// A past access: the block's serial number over all launches, the thread in the block, the time,
/// and how many others did the same without order among themselves.
struct Record {
  enum Crowd : uint32_t { One, OfWarp, OfBlock, OfBlocks };
  static constexpr int kThreadBits = 10, kTimeBits = 20, kBlockBits = 30;
  static constexpr uint32_t kMaxTime = (1u << kTimeBits) - 1, kMaxBlock = (1u << kBlockBits) - 1;

  uint64_t word = 0;  // 0: nobody

  static Record of(uint32_t block, uint32_t time, uint32_t thread) {
    return {uint64_t{block} << 34 | uint64_t{time} << 14 | uint64_t{thread} << 4};
  }
  uint32_t block() const { return static_cast<uint32_t>(word >> 34); }
  uint32_t time() const { return static_cast<uint32_t>(word >> 14) & kMaxTime; }
  uint32_t thread() const { return static_cast<uint32_t>(word >> 4) & ((1u << kThreadBits) - 1); }
  Crowd crowd() const { return static_cast<Crowd>(word >> 1 & 3); }
  bool is_atomic() const { return (word & 1) != 0; }
  bool is_agent() const { return (word & 8) != 0; }
  Record with_crowd(Crowd crowd) const { return {(word & ~uint64_t{6}) | uint64_t{crowd} << 1}; }
  Record as_atomic() const { return {word | 1}; }
  Record as_agent() const { return {word | 8}; }
};

/// A thread as it accesses memory now.
struct Actor {
  uint32_t block, thread, time;
  uint32_t warp_barrier, block_barrier, cluster_barrier;  // times of the last ones
  uint32_t cluster_first, cluster_size;  // serial numbers of the blocks that share the clock
  uint32_t first_block;                  // serials below belong to earlier launches
  bool is_agent = false;                 // the copy engine or matrix unit, for the thread
  uint32_t issued = 0;                   // when the thread started it
  Record record() const {
    const Record of_thread = Record::of(block, time, thread);
    return is_agent ? of_thread.as_agent() : of_thread;
  }
};

/// Asked only where barriers do not order `past` before `now`.
class Ordering {
 public:
  virtual ~Ordering() = default;
  virtual bool before(Record past, const Actor& now) const = 0;
};

class Shadow {
 public:
  enum class Use : uint8_t { Read, Write, Atomic, BlockAtomic };

  /// Covers `bytes` bytes in granules of a power of two. Forgets everything when the granule
  /// shrinks.
  void cover(int64_t bytes, int granule, bool with_readers);
  void clear();

  /// What the agent of the thread `from` wrote or read counts as done by `to` from now on: it waited for it.
  void adopt(int64_t offset, int64_t bytes, Record from, Record to);

  /// Records an access to the granules of [offset, offset + bytes); the word of a conflicting
  /// access, or none.
  Record access(int64_t offset, int64_t bytes, const Actor& who, Use use,
                const Ordering* ordering) {
    const int64_t first = offset >> shift_, last = (offset + bytes - 1) >> shift_;
    Record conflict;
    for (int64_t g = first; g <= last; ++g) {
      const Record found = touch(static_cast<std::size_t>(g), who, use, ordering);
      if (conflict.word == 0) conflict = found;
    }
    return conflict;
  }

 private:
  Record touch(std::size_t granule, const Actor& who, Use use, const Ordering* ordering);
  void note_reader(std::size_t granule, const Actor& who, const Ordering* ordering);

  int shift_ = -1;
  std::vector<Record> writers_, readers_;
};

}  // namespace cdsl::sim
