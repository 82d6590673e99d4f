// Issue of copies: what they will read and write, checked when they are issued.
#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "dsl/sim/access.h"
#include "dsl/sim/agents.h"
#include "dsl/sim/copy.h"
#include "dsl/sim/traffic.h"

namespace cdsl::sim {
namespace {

constexpr int64_t kBulkUnit = 16;

/// Where `lane` accesses a run of bytes; nothing where that is outside or not aligned, which is
/// reported.
struct Run {
  bool good = false;
  End end;
  int64_t shared_offset = 0;  // into the block's shared memory
};

Run run_of(Warp& warp, const Place& place, int lane, int64_t bytes) {
  const BufferUse& buffer = warp.code->buffers[place.buffer];
  const Region region = region_of(warp, buffer);
  Located where;
  locate(warp, place, region, where);
  Run run;
  if ((where.lanes >> lane & 1) == 0) return run;
  const int64_t offset = where.offset[lane];
  if (offset + bytes > region.count * buffer.element_size) {
    out_of_bounds(warp, place, lane, where.index[lane] + (bytes - 1) / buffer.element_size,
                  region.count);
    return run;
  }
  if ((region.base + offset) % kBulkUnit != 0) {
    misaligned(warp, place, lane, where.index[lane]);
    return run;
  }
  const bool is_shared = buffer.space == loop::Space::Shared;
  run.good = true;
  run.end = end_of(region, is_shared, offset);
  run.shared_offset = is_shared ? buffer.offset + offset : 0;
  return run;
}

/// The same in block `peer` of the cluster; null: in this one.
Run run_at(Warp& warp, const Place& place, int lane, int64_t bytes, BlockState* peer) {
  warp.peer = peer;
  const Run run = run_of(warp, place, lane, bytes);
  warp.peer = nullptr;
  return run;
}

/// The block that a place's rank names; null (reported) where there is none.
BlockState* peer_of(Warp& warp, const Place& place, int lane) {
  if (!place.has_rank) return warp.block;
  const auto& blocks = warp.block->cluster->blocks;
  const int64_t rank = get_lane(warp.registers, place.rank, lane).i;
  const bool exists = rank >= 0 && rank < static_cast<int64_t>(blocks.size());
  if (exists && blocks[static_cast<std::size_t>(rank)]->live > 0)
    return blocks[static_cast<std::size_t>(rank)];
  fault(warp, Fault::Kind::OutOfBounds, &place, place.where, lane,
        exists ? fmt::format("shared memory of block {} of the cluster, which has ended", rank)
               : fmt::format("block {} of a cluster of {}", rank, blocks.size()));
  return nullptr;
}

void count_run(Warp& warp, const Place& place, int64_t bytes) {
  AccessCounters& counters = warp.launch->accesses[place.counters];
  ++counters.requests;
  ++counters.lanes;
  const auto units = [&](int64_t unit) { return static_cast<uint64_t>((bytes + unit - 1) / unit); };
  const bool is_shared = warp.code->buffers[place.buffer].space == loop::Space::Shared;
  (is_shared ? counters.wavefronts : counters.sectors) +=
      units(is_shared ? kBanks * kBankBytes : kSectorBytes);
  (is_shared ? counters.ideal_wavefronts : counters.ideal_sectors) +=
      units(is_shared ? kBanks * kBankBytes : kSectorBytes);
}

void one_bulk(Warp& warp, const CopyUse& use, int lane) {
  const Place &to = warp.code->places[use.to], &from = warp.code->places[use.from];
  const int64_t bytes = get_lane(warp.registers, use.bytes, lane).i;
  if (bytes <= 0 || bytes % kBulkUnit != 0) {
    return fault(
        warp, Fault::Kind::BadCopy, &use, use.where, lane,
        fmt::format("a bulk copy of {} bytes, no positive multiple of {}", bytes, kBulkUnit));
  }
  BlockState* const target = peer_of(warp, to, lane);
  if (target == nullptr) return;
  const Run source = run_of(warp, from, lane, bytes), end = run_at(warp, to, lane, bytes, target);
  if (!source.good || !end.good) return;
  if (source.end.is_shared) check_fenced(warp, use, lane, source.shared_offset, bytes);
  Transfer transfer = start(warp, use, lane, bytes);
  transfer.reads.push_back({source.end, 0, bytes});
  transfer.writes.push_back({end.end, 0, bytes});
  transfer.type = to.type;
  if (use.barrier != CopyUse::kNoPlace) add_arrival(transfer, use, *target, bytes);
  count_run(warp, to, bytes);
  count_run(warp, from, bytes);
  issue(std::move(transfer));
}

}  // namespace

Transfer start(Warp& warp, const CopyUse& use, int lane, int64_t bytes) {
  Transfer transfer;
  transfer.warp = &warp;
  transfer.lane = lane;
  transfer.who = agent_of(warp, lane);
  transfer.use = &use;
  transfer.staged.resize(static_cast<std::size_t>(bytes));
  const bool is_async = use.kind == CopyUse::Kind::Async;
  if (is_async || use.is_store) {
    const auto kind =
        static_cast<std::size_t>(is_async ? loop::CopyBatch::Async : loop::CopyBatch::Bulk);
    transfer.batch = warp.batches[kind][lane];
  }
  return transfer;
}

void add_arrival(Transfer& transfer, const CopyUse& use, BlockState& block, int64_t bytes) {
  Warp& warp = *transfer.warp;
  const Place& place = warp.code->places[use.barrier];
  const BufferUse& buffer = warp.code->buffers[place.buffer];
  Located where;
  locate(warp, place, region_of(warp, buffer), where);
  if ((where.lanes >> transfer.lane & 1) != 0)
    transfer.arrivals.push_back({&block, buffer.offset + where.offset[transfer.lane], bytes});
}

void check_fenced(Warp& warp, const CopyUse& use, int lane, int64_t offset, int64_t bytes) {
  if (!warp.launch->session.options.check) return;
  for (int64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    const uint16_t owner = warp.block->unfenced[static_cast<std::size_t>(word)];
    if (owner == 0) continue;
    return fault(
        warp, Fault::Kind::Race, &use.where, use.where, lane,
        fmt::format("a copy reads what thread {} wrote without a proxy fence after it", owner - 1));
  }
}

const Instruction* copy_async(Warp& warp, const Instruction& i) {
  const CopyUse& use = warp.code->copies[i.info];
  const Place &to = warp.code->places[use.to], &from = warp.code->places[use.from];
  const Region target = region_of(warp, warp.code->buffers[to.buffer]);
  const Region source = region_of(warp, warp.code->buffers[from.buffer]);
  uint32_t copied = warp.mask;
  if (use.has_condition) copied &= *warp.at<uint32_t>(use.condition.offset);
  Located into, out_of;
  locate(warp, to, target, into);
  const uint32_t mask = warp.mask;
  if (copied != 0) {
    warp.set_mask(copied);
    locate(warp, from, source, out_of);
    warp.set_mask(mask);
    if (out_of.lanes != 0) count_request(warp, from, source, out_of);
  }
  if (into.lanes != 0) count_request(warp, to, target, into);
  for (uint32_t left = into.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const bool wanted = (copied >> lane & 1) != 0;
    if (wanted && (out_of.lanes >> lane & 1) == 0) continue;
    Transfer transfer = start(warp, use, lane, use.fixed_bytes);
    if (wanted)
      transfer.reads.push_back({end_of(source, false, out_of.offset[lane]), 0, use.fixed_bytes});
    transfer.writes.push_back({end_of(target, true, into.offset[lane]), 0, use.fixed_bytes});
    issue(std::move(transfer));
  }
  tick(*warp.block->cluster, *warp.launch);
  return &i + 1;
}

const Instruction* copy_bulk(Warp& warp, const Instruction& i) {
  const CopyUse& use = warp.code->copies[i.info];
  for (uint32_t left = warp.mask; left != 0; left &= left - 1)
    one_bulk(warp, use, std::countr_zero(left));
  tick(*warp.block->cluster, *warp.launch);
  return &i + 1;
}

const Instruction* copy_commit(Warp& warp, const Instruction& i) {
  for (uint32_t left = warp.mask; left != 0; left &= left - 1)
    ++warp.batches[i.info][std::countr_zero(left)];
  return &i + 1;
}

const Instruction* copy_wait(Warp& warp, const Instruction& i) {
  complete_batches(warp, warp.code->copy_waits[i.info]);
  return &i + 1;
}

const Instruction* fence_proxy(Warp& warp, const Instruction& i) {
  const uint16_t first = static_cast<uint16_t>(warp.index * kLanes + 1);
  for (uint16_t& owner : warp.block->unfenced) {
    const unsigned lane = owner - first;
    if (owner != 0 && lane < kLanes && (warp.mask >> lane & 1) != 0) owner = 0;
  }
  return &i + 1;
}

}  // namespace cdsl::sim
