// Boxes of tensor maps: which bytes of global and of shared memory they are.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "dsl/loop/matrix_fragment.h"
#include "dsl/loop/program.h"
#include "dsl/sim/access.h"
#include "dsl/sim/agents.h"
#include "dsl/sim/copy.h"
#include "dsl/sim/traffic.h"

namespace cdsl::sim {
namespace {

constexpr int64_t kBoxAlignment = 128, kChunk = 16;

/// One copy of a box by one thread.
class Box {
 public:
  Box(Warp& warp, const CopyUse& use, int lane)
      : warp_(warp),
        use_(use),
        lane_(lane),
        map_(warp.launch->session.program.maps[warp.code->kernel->maps[use.map]]),
        view_(warp.launch->maps[use.map]),
        place_(warp.code->places[use.is_store ? use.from : use.to]),
        buffer_(warp.code->buffers[place_.buffer]),
        size_(size_of(map_.type)) {
    bytes_ = size_;
    for (const int extent : map_.box) bytes_ *= extent;
    for (const Slot& slot : use.at) first_.push_back(get_lane(warp.registers, slot, lane).i);
  }

  void start_copy() {
    if (!find_start()) return;
    std::vector<BlockState*> blocks = targets();
    Transfer transfer = start(warp_, use_, lane_, bytes_);
    if (use_.is_store) check_fenced(warp_, use_, lane_, buffer_.offset + start_, bytes_);
    for_each_row([&](int64_t at, int64_t global, int64_t skipped, int64_t inside) {
      if (use_.is_store) {
        add_shared(at, *warp_.block, transfer, true);
        if (inside > 0)
          transfer.writes.push_back(
              {global_end(global + skipped * size_), at + skipped * size_, inside * size_});
      } else {
        if (inside > 0)
          transfer.reads.push_back(
              {global_end(global + skipped * size_), at + skipped * size_, inside * size_});
        for (BlockState* block : blocks) add_shared(at, *block, transfer, false);
      }
      count_row(global + skipped * size_, inside * size_);
    });
    if (!use_.is_store) {
      for (BlockState* block : blocks) add_arrival(transfer, use_, *block, bytes_);
    }
    AccessCounters& counters = warp_.launch->accesses[place_.counters];
    ++counters.requests;
    ++counters.lanes;
    const auto lines =
        static_cast<uint64_t>((bytes_ + kBanks * kBankBytes - 1) / (kBanks * kBankBytes));
    counters.wavefronts += lines;
    counters.ideal_wavefronts += lines;
    issue(std::move(transfer));
  }

 private:
  bool find_start() {
    const Region region = region_of(warp_, buffer_);
    Located where;
    locate(warp_, place_, region, where);
    if ((where.lanes >> lane_ & 1) == 0) return false;
    start_ = where.offset[lane_];
    if (start_ + bytes_ > buffer_.count * buffer_.element_size) {
      out_of_bounds(warp_, place_, lane_, where.index[lane_] + (bytes_ - 1) / buffer_.element_size,
                    buffer_.count);
      return false;
    }
    if ((buffer_.offset + start_) % kBoxAlignment != 0) {
      fault(warp_, Fault::Kind::Misaligned, &place_, place_.where, lane_,
            fmt::format("a box in {} at an address that is no multiple of {}", buffer_.name,
                        kBoxAlignment));
      return false;
    }
    return true;
  }

  std::vector<BlockState*> targets() {
    if (use_.is_store || !use_.has_multicast) return {warp_.block};
    const auto mask = static_cast<uint64_t>(get_lane(warp_.registers, use_.multicast, lane_).i);
    const auto& blocks = warp_.block->cluster->blocks;
    std::vector<BlockState*> out;
    for (std::size_t rank = 0; rank < 64; ++rank) {
      if ((mask >> rank & 1) == 0) continue;
      if (rank < blocks.size() && blocks[rank]->live > 0)
        out.push_back(blocks[rank]);
      else
        fault(warp_, Fault::Kind::OutOfBounds, &place_, place_.where, lane_,
              fmt::format("a multicast to block {} of the cluster, which {}", rank,
                          rank < blocks.size() ? "has ended" : "does not exist"));
    }
    return out;
  }

  End global_end(int64_t offset) const {
    const GlobalBuffer& memory = view_.memory;
    return {memory.bytes + offset, memory.written != nullptr ? memory.written + offset : nullptr,
            memory.shadow, memory.base + offset, false};
  }

  /// A row of the box in shared memory, in the 16-byte chunks that the swizzle moves.
  void add_shared(int64_t at, BlockState& block, Transfer& transfer, bool is_read) {
    warp_.peer = &block;
    const Region region = region_of(warp_, buffer_);
    warp_.peer = nullptr;
    const int64_t row = map_.box[0] * int64_t{size_}, piece = map_.swizzle == 0 ? row : kChunk;
    for (int64_t within = 0; within < row; within += piece) {
      const int64_t offset =
          loop::swizzled(buffer_.offset + start_ + at + within, map_.swizzle) - buffer_.offset;
      const End end = end_of(region, true, offset);
      if (is_read)
        transfer.reads.push_back({end, at + within, piece});
      else
        transfer.writes.push_back({end, at + within, piece});
    }
  }

  /// visit(offset in the box, global byte offset of the row's start, elements outside at its start,
  /// elements inside)
  template <class Visit>
  void for_each_row(Visit&& visit) {
    const std::size_t rank = map_.box.size();
    std::vector<int> place(rank, 0);
    const int64_t row = map_.box[0] * int64_t{size_};
    for (int64_t at = 0; at < bytes_; at += row) {
      int64_t global = first_[0] * size_;
      bool inside = true;
      for (std::size_t k = 1; k < rank; ++k) {
        const int64_t x = first_[k] + place[k];
        inside = inside && x >= 0 && x < view_.extents[k];
        global += x * view_.strides[k];
      }
      const int64_t skipped = std::max<int64_t>(0, -first_[0]);
      const int64_t end = std::min<int64_t>(map_.box[0], view_.extents[0] - first_[0]);
      visit(at, global, skipped, inside ? std::max<int64_t>(0, end - skipped) : 0);
      for (std::size_t k = 1; k < rank && ++place[k] == map_.box[k]; ++k) place[k] = 0;
    }
  }

  void count_row(int64_t offset, int64_t bytes) {
    if (bytes <= 0) return;
    AccessCounters& counters = warp_.launch->accesses[place_.counters];
    const int64_t first = view_.memory.base + offset;
    counters.sectors +=
        static_cast<uint64_t>((first + bytes - 1) / kSectorBytes - first / kSectorBytes + 1);
    counters.ideal_sectors += static_cast<uint64_t>((bytes + kSectorBytes - 1) / kSectorBytes);
  }

  Warp& warp_;
  const CopyUse& use_;
  int lane_;
  const loop::TensorMap& map_;
  const MapView& view_;
  const Place& place_;
  const BufferUse& buffer_;
  int size_;
  int64_t bytes_ = 0, start_ = 0;
  std::vector<int64_t> first_;
};

}  // namespace

const Instruction* copy_tensor(Warp& warp, const Instruction& i) {
  const CopyUse& use = warp.code->copies[i.info];
  for (uint32_t left = warp.mask; left != 0; left &= left - 1)
    Box(warp, use, std::countr_zero(left)).start_copy();
  tick(*warp.block->cluster, *warp.launch);
  return &i + 1;
}

}  // namespace cdsl::sim
