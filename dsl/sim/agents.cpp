#include "dsl/sim/agents.h"

#include <algorithm>
#include <cstring>

#include "dsl/sim/arrival.h"
#include "dsl/sim/matrix.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::sim {
namespace {

bool is_batched(const Transfer& transfer) {
  return transfer.batch != Transfer::kNoBatch;
}

std::size_t kind_of(const Transfer& transfer) {
  return static_cast<std::size_t>(
      transfer.use->kind == CopyUse::Kind::Async ? loop::CopyBatch::Async : loop::CopyBatch::Bulk);
}

/// The agent as it accesses this piece of memory now.
Actor now_at(const Transfer& transfer, const End& end) {
  Actor who = transfer.who;
  who.time = transfer.warp->block->cluster->time;
  if (end.is_shared) who.first_block = who.cluster_first;
  return who;
}

void touch(const Transfer& transfer, const End& end, int64_t bytes, Shadow::Use how,
           const char* what) {
  if (end.shadow == nullptr || bytes == 0) return;
  const Launch& launch = *transfer.warp->launch;
  const Record other =
      end.shadow->access(end.shadow_offset, bytes, now_at(transfer, end), how, launch.ordering());
  if (other.word == 0) return;
  fault(*transfer.warp, Fault::Kind::Race, transfer.use, transfer.use->where, transfer.lane,
        std::string(what) + " of an asynchronous copy races with " +
            other_text(*transfer.warp, other));
}

void read(Transfer& transfer) {
  const bool check = transfer.warp->launch->session.options.check;
  for (const Transfer::Read& piece : transfer.reads) {
    const End& from = piece.from;
    const auto bytes = static_cast<std::size_t>(piece.bytes);
    if (bytes == 0) continue;
    if (check && from.written != nullptr && std::memchr(from.written, 0, bytes) != nullptr) {
      fault(*transfer.warp, Fault::Kind::UnwrittenRead, transfer.use, transfer.use->where,
            transfer.lane, "an asynchronous copy reads memory that was never written");
    }
    touch(transfer, from, piece.bytes, Shadow::Use::Read, "the read");
    std::memcpy(transfer.staged.data() + piece.at, from.bytes, bytes);
  }
  transfer.was_read = true;
}

void add(const Transfer& transfer, const Transfer::Write& piece) {
  const int size = size_of(transfer.type);
  for (int64_t at = 0; at < piece.bytes; at += size) {
    std::byte* to = piece.to.bytes + at;
    const Value args[] = {load_element(to, transfer.type),
                          load_element(transfer.staged.data() + piece.at + at, transfer.type)};
    store_element(to, transfer.type,
                  round_to(apply(Op::Add, evaluation_type(transfer.type), args), transfer.type));
  }
}

void write(Transfer& transfer) {
  for (const Transfer::Write& piece : transfer.writes) {
    const End& to = piece.to;
    const auto bytes = static_cast<std::size_t>(piece.bytes);
    if (bytes == 0) continue;
    const bool adds = transfer.use->adds;
    touch(transfer, to, piece.bytes, adds ? Shadow::Use::Atomic : Shadow::Use::Write, "the write");
    if (to.written != nullptr) std::memset(to.written, 1, bytes);
    if (adds)
      add(transfer, piece);
    else
      std::memcpy(to.bytes, transfer.staged.data() + piece.at, bytes);
  }
  Warp& warp = *transfer.warp;
  ++warp.launch->memory_version;
  Actor who = transfer.who;
  who.time = warp.block->cluster->time;
  for (const Transfer::Arrival& arrival : transfer.arrivals)
    complete_bytes(warp, transfer.lane, who, transfer.use->where, *arrival.block, arrival.offset,
                   arrival.bytes);
  tick(*warp.block->cluster, *warp.launch);
}

/// Writes, and leaves the copies under way; one of a batch stays known until somebody waits for it.
void finish(Warp& warp, std::size_t index) {
  Transfer transfer = std::move(warp.transfers[index]);
  warp.transfers[index] = std::move(warp.transfers.back());
  warp.transfers.pop_back();
  if (!transfer.was_read) read(transfer);
  write(transfer);
  if (is_batched(transfer)) warp.done.push_back(std::move(transfer));
}

/// What the copy did counts as done by the thread that waited for it.
void hand_over(const Transfer& transfer, bool read_only) {
  const Actor thread = actor(*transfer.warp, transfer.lane);
  const auto adopt = [&](const End& end, int64_t bytes) {
    if (end.shadow != nullptr && bytes > 0)
      end.shadow->adopt(end.shadow_offset, bytes, transfer.who.record(), thread.record());
  };
  for (const Transfer::Read& piece : transfer.reads) adopt(piece.from, piece.bytes);
  if (read_only) return;
  for (const Transfer::Write& piece : transfer.writes) adopt(piece.to, piece.bytes);
}

}  // namespace

Actor agent_of(Warp& warp, int lane) {
  Actor who = actor(warp, lane);
  who.is_agent = true;
  who.issued = who.time;
  return who;
}

void note_busy(Warp& warp) {
  if (!warp.busy) warp.launch->busy.push_back(&warp);
  warp.busy = true;
}

void forget_idle(Launch& launch) {
  std::erase_if(launch.busy, [](Warp* warp) {
    warp->busy = !warp->transfers.empty() || !warp->matrix_jobs.empty();
    return !warp->busy;
  });
}

void issue(Transfer transfer) {
  Warp& warp = *transfer.warp;
  warp.transfers.push_back(std::move(transfer));
  note_busy(warp);
}

void agents_act(Launch& launch) {
  Warp& warp = *launch.busy[launch.random.below(launch.busy.size())];
  const std::size_t copies = warp.transfers.size(),
                    all = copies + (warp.matrix_jobs.empty() ? 0 : 1);
  const std::size_t pick = launch.random.below(all);
  if (pick == copies) {
    matrix_unit_acts(warp);
  } else if (!warp.transfers[pick].was_read && launch.random.below(2) == 0) {
    read(warp.transfers[pick]);
  } else {
    finish(warp, pick);
  }
  forget_idle(launch);
}

void complete_batches(Warp& warp, const CopyWaitUse& use) {
  const auto kind = static_cast<std::size_t>(use.batch);
  const auto waited_for = [&](const Transfer& t) {
    return is_batched(t) && kind_of(t) == kind && (warp.mask >> t.lane & 1) != 0 &&
           uint64_t{t.batch} + use.pending < warp.batches[kind][t.lane];
  };
  for (std::size_t k = 0; k < warp.transfers.size();) {
    Transfer& transfer = warp.transfers[k];
    if (!waited_for(transfer)) {
      ++k;
    } else if (use.read) {
      if (!transfer.was_read) read(transfer);
      hand_over(transfer, true);
      ++k;
    } else {
      finish(warp, k);
    }
  }
  for (const Transfer& transfer : warp.done) {
    if (waited_for(transfer)) hand_over(transfer, use.read);
  }
  if (!use.read) std::erase_if(warp.done, waited_for);
  forget_idle(*warp.launch);
}

void agents_of_ended(BlockState& block) {
  for (BlockState* member : block.cluster->blocks) {
    for (Warp& warp : member->warps) {
      for (std::size_t k = 0; k < warp.transfers.size();) {
        const Transfer& transfer = warp.transfers[k];
        const bool is_own = member == &block;
        const bool arrives =
            std::any_of(transfer.arrivals.begin(), transfer.arrivals.end(),
                        [&](const auto& arrival) { return arrival.block == &block; });
        if (!is_own && !arrives) {
          ++k;
          continue;
        }
        if (arrives || (transfer.use->is_store && !transfer.was_read)) {
          fault(warp, Fault::Kind::BadCopy, transfer.use, transfer.use->where, transfer.lane,
                "the block ends while a copy of its shared memory is under way");
        }
        finish(warp, k);
      }
      if (member != &block) continue;
      warp.done.clear();
      while (!warp.matrix_jobs.empty()) matrix_unit_acts(warp);
    }
  }
  forget_idle(*block.warps.front().launch);
}

}  // namespace cdsl::sim
