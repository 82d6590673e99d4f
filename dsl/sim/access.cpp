#include "dsl/sim/access.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "dsl/sim/elements.h"
#include "dsl/sim/traffic.h"

namespace cdsl::sim {
namespace {

template <class Visit>
void for_lanes(uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

// The lanes' integers; inactive lanes repeat an active one, so that what follows needs no mask.
void read_integers(Warp& warp, const Slot& slot, int64_t (&out)[kLanes]) {
  if (slot.uniform) {
    std::fill(out, out + kLanes, get_lane(warp.registers, slot, 0).i);
    return;
  }
  if (slot.shape() == Shape::LongWord) {
    std::memcpy(out, warp.at<int64_t>(slot.offset), sizeof out);
  } else if (slot.type == ScalarType::U32) {
    const auto* words = warp.at<uint32_t>(slot.offset);
    for (int l = 0; l < kLanes; ++l) out[l] = words[l];
  } else {
    const auto* words = warp.at<int32_t>(slot.offset);
    for (int l = 0; l < kLanes; ++l) out[l] = words[l];
  }
  if (warp.mask == kAllLanes) return;
  const int64_t filler = out[std::countr_zero(warp.mask)];
  for_lanes(~warp.mask, [&](int l) { out[l] = filler; });
}

// Is any of the values outside [0, limit]?
bool any_outside(const int64_t (&value)[kLanes], int64_t limit) {
  int64_t sign = 0;
  for (int l = 0; l < kLanes; ++l) {
    sign |= value[l] |
            static_cast<int64_t>(static_cast<uint64_t>(limit) - static_cast<uint64_t>(value[l]));
  }
  return sign < 0;
}

// Those of `lanes` whose value is in [0, limit]; the others are reported, and 0 stands for their
// values.
template <class Report>
uint32_t lanes_inside(int64_t (&value)[kLanes], int64_t limit, uint32_t lanes, Report&& report) {
  if (!any_outside(value, limit)) return lanes;
  for (int l = 0; l < kLanes; ++l) {
    if (value[l] >= 0 && value[l] <= limit) continue;
    if ((lanes >> l & 1) != 0) report(l);
    lanes &= ~(1u << l);
    value[l] = 0;
  }
  return lanes;
}

uint32_t lanes_aligned(Warp& warp, const Place& place, const Region& region, const Located& where) {
  uint32_t lanes = where.lanes;
  const int64_t bytes = place.bytes();
  for_lanes(where.lanes, [&](int l) {
    if ((region.base + where.offset[l]) % bytes == 0) return;
    lanes &= ~(1u << l);
    misaligned(warp, place, l, where.index[l]);
  });
  return lanes;
}

void find_pattern(Located& where, int64_t stride) {
  int64_t not_same = 0, not_consecutive = 0;
  for (int l = 0; l < kLanes; ++l) {
    not_same |= where.offset[l] ^ where.offset[0];
    not_consecutive |= where.offset[l] ^ (where.offset[0] + l * stride);
  }
  if (not_same == 0)
    where.pattern = Located::Pattern::Same;
  else if (not_consecutive == 0)
    where.pattern = Located::Pattern::Consecutive;
}

}  // namespace

void look_for_unwritten(Warp& warp, const Place& place, const Region& region,
                        const Located& where) {
  const auto bytes = static_cast<std::size_t>(place.bytes());
  const auto all_written = [&](int64_t offset, std::size_t n) {
    return std::memchr(region.written + offset, 0, n) == nullptr;
  };
  if (where.pattern == Located::Pattern::Consecutive &&
      all_written(where.offset[0], bytes * kLanes))
    return;
  for_lanes(where.lanes, [&](int l) {
    if (!all_written(where.offset[l], bytes)) unwritten_read(warp, place, l, where.index[l]);
  });
}

void mark_written(const Place& place, const Region& region, const Located& where) {
  const auto bytes = static_cast<std::size_t>(place.bytes());
  if (where.pattern == Located::Pattern::Consecutive && where.lanes == kAllLanes) {
    std::memset(region.written + where.offset[0], 1, bytes * kLanes);
    return;
  }
  for_lanes(where.lanes, [&](int l) { std::memset(region.written + where.offset[l], 1, bytes); });
}

// Vectors that follow each other: their elements do not.
static void forget_pattern(const Place& place, Located& where) {
  const bool consecutive = where.pattern == Located::Pattern::Consecutive;
  if (consecutive && place.values.size() > 1) where.pattern = Located::Pattern::General;
}

void mark_unfenced(Warp& warp, const Place& place, const Located& where) {
  const BufferUse& buffer = warp.code->buffers[place.buffer];
  if (!warp.code->proxies || buffer.space != loop::Space::Shared || warp.peer != nullptr) return;
  std::vector<uint16_t>& owners = warp.block->unfenced;
  for_lanes(where.lanes, [&](int l) {
    const int64_t first = buffer.offset + where.offset[l], last = first + place.bytes() - 1;
    const auto thread = static_cast<uint16_t>(warp.index * kLanes + static_cast<uint32_t>(l) + 1);
    for (int64_t word = first / 4; word <= last / 4; ++word) owners[static_cast<std::size_t>(word)] = thread;
  });
}

End end_of(const Region& region, bool is_shared, int64_t offset) {
  return {region.bytes + offset, region.written != nullptr ? region.written + offset : nullptr,
          region.shadow, (is_shared ? 0 : region.base) + offset, is_shared};
}

const Instruction* by_rank(Warp& warp, const Instruction& i, const Place& place, Handler handler) {
  const uint32_t mask = warp.mask;
  const auto& blocks = warp.block->cluster->blocks;
  const Instruction* next = &i + 1;
  uint32_t left = mask;
  while (left != 0) {
    const int first = std::countr_zero(left);
    const int64_t rank = get_lane(warp.registers, place.rank, first).i;
    uint32_t same = 0;
    for_lanes(left, [&](int l) {
      if (get_lane(warp.registers, place.rank, l).i == rank) same |= 1u << l;
    });
    left &= ~same;
    const bool exists = rank >= 0 && rank < static_cast<int64_t>(blocks.size());
    if (!exists || blocks[static_cast<std::size_t>(rank)]->live == 0) {
      fault(warp, Fault::Kind::OutOfBounds, &place, place.where, first,
            exists ? fmt::format("shared memory of block {} of the cluster, which has ended", rank)
                   : fmt::format("block {} of a cluster of {}", rank, blocks.size()));
      continue;
    }
    warp.set_mask(same);
    warp.peer = blocks[static_cast<std::size_t>(rank)];
    next = handler(warp, i);
    warp.peer = nullptr;
  }
  warp.set_mask(mask);
  return next;
}

Region region_of(Warp& warp, const BufferUse& buffer) {
  Launch& launch = *warp.launch;
  const auto row = static_cast<std::size_t>(&buffer - warp.code->buffers.data());
  if (buffer.space == loop::Space::Global) {
    const GlobalBuffer& g = launch.globals[row];
    return {g.bytes, g.written, g.shadow, g.count, g.base, 0};
  }
  const bool check = launch.session.options.check;
  if (buffer.space == loop::Space::Shared) {
    BlockState& block = warp.peer != nullptr ? *warp.peer : *warp.block;
    return {block.shared.data() + buffer.offset,
            check ? block.shared_written.data() + buffer.offset : nullptr,
            check ? &block.shadows[row] : nullptr,
            buffer.count,
            buffer.offset,
            0};
  }
  return {warp.thread_memory.data() + buffer.offset,
          check ? warp.thread_written.data() + buffer.offset : nullptr,
          nullptr,
          buffer.count,
          buffer.offset,
          warp.code->thread_bytes};
}

void locate(Warp& warp, const Place& place, const Region& region, Located& where) {
  const BufferUse& buffer = warp.code->buffers[place.buffer];
  const auto width = static_cast<int64_t>(place.values.size()), elements = place.in_one ? 1 : width * place.packed;
  read_integers(warp, place.index, where.index);
  where.lanes = lanes_inside(where.index, region.count - elements, warp.mask, [&](int l) {
    out_of_bounds(warp, place, l, where.index[l], region.count);
  });
  for (int l = 0; l < kLanes; ++l)
    where.offset[l] = where.index[l] * buffer.element_size + place.leaf_offset;
  if (place.has_within) {
    int64_t within[kLanes];
    read_integers(warp, place.within, within);
    where.lanes = lanes_inside(within, place.leaf_count - 1, where.lanes,
                               [&](int l) { position_out_of_bounds(warp, place, l, within[l]); });
    for (int l = 0; l < kLanes; ++l) where.offset[l] += within[l] * place.element_bytes;
  }
  for (int l = 0; l < kLanes; ++l) where.offset[l] += l * region.lane_stride;
  if (width * place.packed > 1 && buffer.space != loop::Space::Register) where.lanes = lanes_aligned(warp, place, region, where);
  if (where.lanes == 0) return;
  if (where.lanes != warp.mask || (region.lane_stride != 0 && warp.mask != kAllLanes)) {
    const int64_t filler = where.offset[std::countr_zero(where.lanes)];
    for_lanes(~where.lanes, [&](int l) { where.offset[l] = filler; });
  }
  find_pattern(where, place.bytes());
}

void count_request(Warp& warp, const Place& place, const Region& region, const Located& where) {
  const loop::Space space = warp.code->buffers[place.buffer].space;
  if (space == loop::Space::Register) return;
  AccessCounters& counters = warp.launch->accesses[place.counters];
  ++counters.requests;
  counters.lanes += static_cast<uint64_t>(std::popcount(where.lanes));
  const int bytes = place.bytes();
  if (space == loop::Space::Global && where.pattern != Located::Pattern::General) {
    const int64_t length =
        where.pattern == Located::Pattern::Same ? bytes : int64_t{bytes} * kLanes;
    const int64_t first = region.base + where.offset[0];
    counters.sectors +=
        static_cast<uint64_t>((first + length - 1) / kSectorBytes - first / kSectorBytes + 1);
    counters.ideal_sectors += static_cast<uint64_t>((length + kSectorBytes - 1) / kSectorBytes);
    return;
  }
  int64_t address[kLanes];
  for (int l = 0; l < kLanes; ++l) address[l] = region.base + where.offset[l];
  if (space == loop::Space::Global) {
    const GlobalTraffic traffic = global_traffic(address, where.lanes, bytes);
    counters.sectors += static_cast<uint64_t>(traffic.sectors);
    counters.ideal_sectors += static_cast<uint64_t>(traffic.ideal_sectors);
  } else {
    const SharedTraffic traffic = shared_traffic(address, where.lanes, bytes);
    counters.wavefronts += static_cast<uint64_t>(traffic.wavefronts);
    counters.ideal_wavefronts += static_cast<uint64_t>(traffic.ideal_wavefronts);
  }
}

void look_for_races(Warp& warp, const Place& place, const Region& region, const Located& where,
                    Shadow::Use use) {
  if (region.shadow == nullptr) return;
  Actor who = actor(warp, 0);
  const uint32_t first_thread = who.thread;
  const Ordering* ordering = warp.launch->ordering();
  // The shadow of a global buffer covers its allocation; that of a shared one may remember the
  // block that had it before.
  const bool is_global = warp.code->buffers[place.buffer].space == loop::Space::Global;
  const int64_t base = is_global ? region.base : 0;
  if (!is_global) who.first_block = who.cluster_first;
  for_lanes(where.lanes, [&](int l) {
    who.thread = first_thread + static_cast<uint32_t>(l);
    const Record other =
        region.shadow->access(base + where.offset[l], place.bytes(), who, use, ordering);
    if (other.word != 0) race(warp, place, l, where.index[l], other.word);
  });
}

const Instruction* load(Warp& warp, const Instruction& i) {
  const Place& place = warp.code->places[i.info];
  if (place.has_rank && warp.peer == nullptr) return by_rank(warp, i, place, load);
  const Region region = region_of(warp, warp.code->buffers[place.buffer]);
  Located where;
  locate(warp, place, region, where);
  if (where.lanes != 0) {
    if (region.written != nullptr && warp.launch->session.options.check)
      look_for_unwritten(warp, place, region, where);
    look_for_races(warp, place, region, where, Shadow::Use::Read);
    count_request(warp, place, region, where);
    forget_pattern(place, where);
    for (std::size_t k = 0; k < place.values.size(); ++k) {
      const std::byte* bytes = region.bytes + static_cast<int64_t>(k) * place.element_bytes;
      read_elements(warp, place.values[k], bytes, where);
    }
  }
  for_lanes(warp.mask & ~where.lanes, [&](int l) {
    for (const Slot& value : place.values) set_lane(warp.registers, value, l, Value{});
  });
  return &i + 1;
}

const Instruction* store(Warp& warp, const Instruction& i) {
  const Place& place = warp.code->places[i.info];
  if (place.has_rank && warp.peer == nullptr) return by_rank(warp, i, place, store);
  const BufferUse& buffer = warp.code->buffers[place.buffer];
  const Region region = region_of(warp, buffer);
  Located where;
  locate(warp, place, region, where);
  if (where.lanes == 0) return &i + 1;
  if (region.written != nullptr) mark_written(place, region, where);
  mark_unfenced(warp, place, where);
  look_for_races(warp, place, region, where, Shadow::Use::Write);
  count_request(warp, place, region, where);
  forget_pattern(place, where);
  const bool watched = warp.code->spins;
  for (std::size_t k = 0; k < place.values.size(); ++k) {
    std::byte* bytes = region.bytes + static_cast<int64_t>(k) * place.element_bytes;
    if (watched && !equal_elements(warp, place.values[k], bytes, where)) {
      ++(buffer.space == loop::Space::Register ? warp.changes : warp.launch->memory_version);
    }
    write_elements(warp, place.values[k], bytes, where);
  }
  return &i + 1;
}

}  // namespace cdsl::sim
