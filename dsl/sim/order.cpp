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
uint64_t agent_key(uint32_t block, uint32_t thread) {
  return block_key(block) | 0xc00 | thread;
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

Order::Location& Order::location_at(const std::byte* address) {
  Location*& location = locations_[address];
  if (location == nullptr) location = &pool_.emplace_back();
  return *location;
}

void Order::pend(const Actor& who, const std::byte* address, bool strong, bool warp_wide) {
  const auto found = locations_.find(address);
  if (found == locations_.end()) return;
  ++changes_;
  const Seen seen{found->second, found->second->version};
  auto& pending = blocks_[who.block].pending[who.thread / kWarp];
  for (Pending& old : pending) {
    if (old.thread != who.thread || old.seen.location != seen.location || old.strong != strong ||
        old.warp_wide != warp_wide)
      continue;
    old.seen = seen;
    return;
  }
  pending.push_back({who.thread, seen, strong, warp_wide});
}

void Order::acquire(const Actor& who, const std::byte* address, bool strong) {
  pend(who, address, strong, false);
}

void Order::acquire_warp(const Actor& who, const std::byte* address) {
  pend(who, address, true, true);
}

void Order::complete(const Actor& who, const std::byte* address) {
  ++changes_;
  Location& location = location_at(address);
  const uint32_t version = ++location.version;
  Entry& entry =
      location.entries.try_emplace(agent_key(who.block, who.thread), Entry{0, version}).first->second;
  entry.time = std::max(entry.time, who.time + 1);
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
  for (const Pending& pending : state.pending[who.thread / kWarp]) {
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
  ++changes_;
  publish(location_at(address), who, what);
  return true;
}

void Order::fence(const Actor& who) {
  BlockState& state = blocks_[who.block];
  state.fences[who.thread] = {who.block_barrier, who.warp_barrier, who.time + 1};
  ++changes_;
  for (Pending& pending : state.pending[who.thread / kWarp]) {
    if (pending.thread == who.thread) pending.strong = true;
  }
}

void Order::block_barrier(uint32_t block) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  ++changes_;
  BlockState& state = found->second;
  for (std::vector<Pending>& of_warp : state.pending) {
    std::vector<Pending> weak;
    for (const Pending& pending : of_warp) {
      if (pending.strong)
        add(state.seen, pending.seen);
      else
        weak.push_back(pending);
    }
    of_warp = std::move(weak);
  }
}

void Order::cluster_barrier(std::span<const uint32_t> blocks) {
  ++changes_;
  std::vector<Seen> all;
  for (const uint32_t block : blocks) {
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) continue;
    for (const Seen& seen : found->second.seen) add(all, seen);
  }
  if (all.empty()) return;
  for (const uint32_t block : blocks) blocks_[block].seen = all;
}

void Order::warp_barrier(uint32_t block, uint32_t warp) {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  ++changes_;
  for (Pending& pending : found->second.pending[warp]) {
    if (pending.strong) pending.warp_wide = true;
  }
}

void Order::block_ends(uint32_t block, const std::byte* shared, std::size_t shared_bytes) {
  ++changes_;
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
  const uint64_t who = thread_key(now.block, now.thread);
  const uint64_t hash = (past.word ^ who * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
  Answer& answer = answers_[hash >> 52];
  if (answer.changes != changes_ || answer.past != past.word || answer.now != who)
    answer = {past.word, who, changes_, is_before(past, now)};
  return answer.before;
}

bool Order::is_before(Record past, const Actor& now) const {
  const auto found = blocks_.find(now.block);
  if (found == blocks_.end()) return false;
  std::vector<Seen> open = found->second.seen;
  for (const Pending& pending : found->second.pending[now.thread / kWarp]) {
    if (visible(pending, now)) open.push_back(pending.seen);
  }
  // Of readers in several blocks the last one is remembered. Where that was this block itself, before its last barrier, the others
  // count as seen if anything of another block was.
  const bool last_was_own = past.crowd() == Record::OfBlocks && past.block() == now.block && past.time() < now.block_barrier;
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
    const auto is_of_another = [&](const auto& entry) { return entry.first >> 12 != now.block && entry.second.since <= seen.version; };
    if (last_was_own && std::ranges::any_of(seen.location->entries, is_of_another)) return true;
    if (past.is_agent() && covers(agent_key(past.block(), past.thread()))) return true;
    if (!past.is_agent() && covers(block_key(past.block()))) return true;
    if (!past.is_agent() && past.crowd() != Record::OfBlock && covers(warp_key(past.block(), past.thread())))
      return true;
    const bool single =
        !past.is_agent() && (past.crowd() == Record::One || past.crowd() == Record::OfBlocks);
    if (single && covers(thread_key(past.block(), past.thread()))) return true;
    for (const auto& [source, since] : seen.location->sources) {
      if (since <= seen.version) open.push_back(source);
    }
  }
  return false;
}

}  // namespace cdsl::sim
