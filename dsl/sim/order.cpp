#include "dsl/sim/order.h"

#include <algorithm>
#include <unordered_set>

namespace cdsl::sim {
namespace {

constexpr uint32_t kWarp = 32;

// Keys of entries: a whole block, a warp of it, or a thread of it.
uint64_t block_key(uint32_t block) {
  return uint64_t{block} << 12;
}
uint64_t warp_key(uint32_t block, uint32_t thread) {
  return block_key(block) | 0x400 | thread / kWarp;
}
uint64_t thread_key(uint32_t block, uint32_t thread) {
  return block_key(block) | 0x800 | thread;
}

}  // namespace

void Order::add(std::vector<Seen>& list, Seen seen) {
  for (Seen& old : list) {
    if (old.location != seen.location) continue;
    old.version = std::max(old.version, seen.version);
    return;
  }
  list.push_back(seen);
}

void Order::acquire(const Actor& who, const std::byte* address, bool strong) {
  const auto found = locations_.find(address);
  if (found == locations_.end()) return;
  const Seen seen{found->second, found->second->version};
  auto& pending = blocks_[who.block].pending;
  for (Pending& old : pending) {
    if (old.thread != who.thread || old.seen.location != seen.location || old.strong != strong)
      continue;
    old.seen = seen;
    return;
  }
  pending.push_back({who.thread, seen, strong, false});
}

void Order::publish(Location& location, const Actor& who, const Snapshot& what) {
  const uint32_t version = ++location.version;
  const auto set = [&](uint64_t key, uint32_t time) {
    Entry& entry = location.entries.try_emplace(key, Entry{0, version}).first->second;
    entry.time = std::max(entry.time, time);
  };
  set(block_key(who.block), what.block_barrier);
  set(warp_key(who.block, who.thread), what.warp_barrier);
  set(thread_key(who.block, who.thread), what.time);
  const auto inherit = [&](Seen seen) {
    if (seen.location == &location) return;
    for (auto& [old, since] : location.sources) {
      if (old.location != seen.location) continue;
      old.version = std::max(old.version, seen.version);
      return;
    }
    location.sources.emplace_back(seen, version);
  };
  const BlockState& state = blocks_[who.block];
  for (Seen seen : state.seen) inherit(seen);
  for (const Pending& pending : state.pending) {
    if (visible(pending, who)) inherit(pending.seen);
  }
}

bool Order::release(const Actor& who, const std::byte* address, bool strong) {
  Snapshot what{who.block_barrier, who.warp_barrier, who.time + 1};
  if (!strong) {
    const auto& fences = blocks_[who.block].fences;
    const auto fence = fences.find(who.thread);
    if (fence == fences.end()) return false;
    what = fence->second;
  }
  Location*& location = locations_[address];
  if (location == nullptr) location = &pool_.emplace_back();
  publish(*location, who, what);
  return true;
}

void Order::fence(const Actor& who) {
  BlockState& state = blocks_[who.block];
  state.fences[who.thread] = {who.block_barrier, who.warp_barrier, who.time + 1};
  for (Pending& pending : state.pending) {
    if (pending.thread == who.thread) pending.strong = true;
  }
}

void Order::block_barrier(uint32_t block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  BlockState& state = found->second;
  std::vector<Pending> weak;
  for (const Pending& pending : state.pending) {
    if (pending.strong)
      add(state.seen, pending.seen);
    else
      weak.push_back(pending);
  }
  state.pending = std::move(weak);
}

void Order::warp_barrier(uint32_t block, uint32_t warp) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  for (Pending& pending : found->second.pending) {
    if (pending.thread / kWarp == warp && pending.strong) pending.warp_wide = true;
  }
}

void Order::block_ends(uint32_t block, const std::byte* shared, std::size_t shared_bytes) {
  blocks_.erase(block);
  if (shared_bytes == 0) return;
  std::erase_if(locations_, [&](const auto& entry) {
    return entry.first >= shared && entry.first < shared + shared_bytes;
  });
}

bool Order::visible(const Pending& pending, const Actor& who) const {
  if (!pending.strong) return false;
  return pending.thread == who.thread ||
         (pending.warp_wide && pending.thread / kWarp == who.thread / kWarp);
}

bool Order::before(Record past, const Actor& now) const {
  const auto found = blocks_.find(now.block);
  if (found == blocks_.end()) return false;
  std::vector<Seen> open = found->second.seen;
  for (const Pending& pending : found->second.pending) {
    if (visible(pending, now)) open.push_back(pending.seen);
  }
  std::unordered_set<const Location*> done;
  while (!open.empty()) {
    const Seen seen = open.back();
    open.pop_back();
    if (!done.insert(seen.location).second) continue;
    const auto covers = [&](uint64_t key) {
      const auto entry = seen.location->entries.find(key);
      if (entry == seen.location->entries.end()) return false;
      return entry->second.since <= seen.version && entry->second.time > past.time();
    };
    if (covers(block_key(past.block()))) return true;
    if (past.crowd() != Record::OfBlock && covers(warp_key(past.block(), past.thread())))
      return true;
    const bool single = past.crowd() == Record::One || past.crowd() == Record::OfBlocks;
    if (single && covers(thread_key(past.block(), past.thread()))) return true;
    for (const auto& [source, since] : seen.location->sources) {
      if (since <= seen.version) open.push_back(source);
    }
  }
  return false;
}

}  // namespace cdsl::sim
