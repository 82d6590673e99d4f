#include "dsl/sim/shadow.h"

#include <algorithm>
#include <bit>

namespace cdsl::sim {
namespace {

constexpr uint32_t kWarp = 32;

bool is_stale(Record past, const Actor& who) {
  return past.word == 0 || past.block() < who.first_block;
}

// Do barriers (or program order) put `past` before what `who` does now?
bool barriers_order(Record past, const Actor& who) {
  if (past.is_agent()) return false;
  if (who.is_agent && past.time() > who.issued) return false;
  if (past.block() - who.cluster_first < who.cluster_size && past.time() < who.cluster_barrier)
    return true;
  if (past.block() != who.block || past.crowd() == Record::OfBlocks) return false;
  if (past.thread() == who.thread && past.crowd() == Record::One) return true;
  const bool same_warp =
      past.thread() / kWarp == who.thread / kWarp && past.crowd() <= Record::OfWarp;
  return past.time() < (same_warp ? who.warp_barrier : who.block_barrier);
}

bool is_ordered(Record past, const Actor& who, const Ordering* ordering) {
  if (is_stale(past, who) || barriers_order(past, who)) return true;
  return ordering != nullptr && ordering->before(past, who);
}

// The crowd of `past` joined by `who`, neither before the other.
Record::Crowd crowd_with(Record past, const Actor& who) {
  if (past.block() != who.block) return Record::OfBlocks;
  if (past.thread() == who.thread) return past.crowd();
  const auto pair = past.thread() / kWarp == who.thread / kWarp ? Record::OfWarp : Record::OfBlock;
  return std::max(past.crowd(), pair);
}

}  // namespace

void Shadow::cover(int64_t bytes, int granule, bool with_readers) {
  const int shift = std::countr_zero(static_cast<unsigned>(granule));
  if (shift_ < 0 || shift < shift_) {
    shift_ = shift;
    writers_.clear();
    readers_.clear();
  }
  const auto granules = static_cast<std::size_t>(((bytes - 1) >> shift_) + 1);
  if (writers_.size() < granules) writers_.resize(granules);
  if (with_readers && readers_.size() < granules) readers_.resize(granules);
}

void Shadow::clear() {
  std::fill(writers_.begin(), writers_.end(), Record{});
  std::fill(readers_.begin(), readers_.end(), Record{});
}

void Shadow::adopt(int64_t offset, int64_t bytes, Record from, Record to) {
  const auto is_of = [&](Record past) {
    return past.is_agent() && past.block() == from.block() && past.thread() == from.thread();
  };
  const auto first = static_cast<std::size_t>(offset >> shift_);
  const auto last = static_cast<std::size_t>((offset + bytes - 1) >> shift_);
  for (std::size_t g = first; g <= last; ++g) {
    if (is_of(writers_[g])) writers_[g] = to;
    if (g < readers_.size() && is_of(readers_[g])) readers_[g] = to;
  }
}

void Shadow::note_reader(std::size_t granule, const Actor& who, const Ordering* ordering) {
  Record& reader = readers_[granule];
  const Record now = who.record();
  if (reader.word == now.word) return;
  // Crowds are of threads; of agents the last one is remembered.
  if (who.is_agent || reader.is_agent()) {
    reader = now;
    return;
  }
  reader = is_ordered(reader, who, ordering) ? now : now.with_crowd(crowd_with(reader, who));
}

Record Shadow::touch(std::size_t granule, const Actor& who, Use use, const Ordering* ordering) {
  Record& writer = writers_[granule];
  const bool writer_before = is_ordered(writer, who, ordering);
  Record conflict;
  if (use == Use::Read) {
    if (!writer_before) conflict = writer;
    if (granule < readers_.size()) note_reader(granule, who, ordering);
    return conflict;
  }
  const bool atomic = use == Use::Atomic || use == Use::BlockAtomic;
  const bool both_atomic =
      atomic && writer.is_atomic() && (use == Use::Atomic || writer.block() == who.block);
  if (!writer_before && !both_atomic) conflict = writer;
  if (granule < readers_.size() && !is_ordered(readers_[granule], who, ordering))
    conflict = readers_[granule];
  const Record now = who.record();
  if (!atomic) {
    writer = now;
  } else if (writer_before || !writer.is_atomic() || writer.is_agent() || who.is_agent) {
    writer = now.as_atomic();
  } else {
    writer = now.with_crowd(crowd_with(writer, who)).as_atomic();
  }
  return conflict;
}

}  // namespace cdsl::sim
