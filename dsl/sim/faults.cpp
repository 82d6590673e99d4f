#include "dsl/sim/faults.h"

#include <fmt/format.h>

#include "dsl/sim/state.h"

namespace cdsl::sim {
namespace {

std::string coordinates_text(const char* what, int64_t x, int64_t y, int64_t z) {
  return fmt::format("{} ({}, {}, {})", what, x, y, z);
}

std::string thread_text(const loop::Kernel& kernel, uint32_t thread) {
  const int64_t t = thread, x = kernel.block[0], y = kernel.block[1];
  return coordinates_text("thread", t % x, t / x % y, t / (x * y));
}

std::string element_text(const Warp& warp, const Place& place, int64_t index) {
  const std::string leaf = place.leaf.empty() ? "" : "." + place.leaf;
  return fmt::format("{}[{}]{}", warp.code->buffers[place.buffer].name, index, leaf);
}

const char* verb(const Place& place) {
  return place.is_atomic ? "atomic on" : place.is_store ? "write of" : "read of";
}

}  // namespace

// Serial numbers follow the order of start, not of coordinates: a block that has ended is known by
// its launch only.
std::string other_text(const Warp& warp, Record other) {
  const Launch& launch = *warp.launch;
  const std::string thread = (other.is_agent() ? "a copy or matrix instruction of " : "") +
                             thread_text(*launch.code.kernel, other.thread());
  if (other.block() == warp.block->serial) return thread + " of the same block";
  for (const auto& block : launch.blocks) {
    if (block->serial != other.block()) continue;
    const auto& at = block->coordinates;
    return coordinates_text("block", at[0], at[1], at[2]) + " " + thread;
  }
  return thread + " of an earlier block of the launch";
}

std::string_view name_of(Fault::Kind kind) {
  static constexpr std::string_view kNames[] = {
      "out of bounds", "misaligned", "race",         "divergent barrier", "unwritten read",
      "deadlock",      "step limit", "launch limit", "bad shuffle",
      "bad barrier",   "bad copy",   "broken fact",  "bad matrix"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool FaultLog::is_new(Fault::Kind kind, const void* place) {
  const auto found = known_.find({kind, place});
  if (found == known_.end()) return true;
  ++faults_[found->second].count;
  return false;
}

void FaultLog::add(Fault::Kind kind, const void* place, std::string message, std::string kernel,
                   SourceRange where) {
  known_.emplace(std::pair(kind, place), faults_.size());
  faults_.push_back({kind, std::move(message), std::move(kernel), where});
}

std::string thread_text(const Warp& warp, int lane) {
  const auto& at = warp.block->coordinates;
  const auto thread = warp.index * kLanes + static_cast<uint32_t>(lane);
  return coordinates_text("block", at[0], at[1], at[2]) + " " +
         thread_text(*warp.code->kernel, thread);
}

namespace {

template <class Message>
void record(Warp& warp, Fault::Kind kind, const void* place, SourceRange where, int lane,
            Message&& message) {
  Launch& launch = *warp.launch;
  Session& session = launch.session;
  if (!session.faults.is_new(kind, place)) return;
  session.faults.add(kind, place, message() + ", " + thread_text(warp, lane),
                     launch.code.kernel->name, where);
  if (session.result.faults.size() < static_cast<std::size_t>(session.options.max_faults)) return;
  launch.stop = true;
  warp.running = false;
}

}  // namespace

void fault(Warp& warp, Fault::Kind kind, const void* place, SourceRange where, int lane,
           const std::string& what) {
  record(warp, kind, place, where, lane, [&] { return what; });
}

void out_of_bounds(Warp& warp, const Place& place, int lane, int64_t index, int64_t count) {
  record(warp, Fault::Kind::OutOfBounds, &place, place.where, lane, [&] {
    const std::string vector =
        place.values.size() > 1 ? fmt::format(" ({} elements)", place.values.size()) : "";
    return fmt::format("{} {}{}, which has {} elements", verb(place),
                       element_text(warp, place, index), vector, count);
  });
}

void position_out_of_bounds(Warp& warp, const Place& place, int lane, int64_t position) {
  record(warp, Fault::Kind::OutOfBounds, &place, place.where, lane, [&] {
    return fmt::format("{} position {} of {}.{}, which has {}", verb(place), position,
                       warp.code->buffers[place.buffer].name, place.leaf, place.leaf_count);
  });
}

void unwritten_read(Warp& warp, const Place& place, int lane, int64_t index) {
  record(warp, Fault::Kind::UnwrittenRead, &place, place.where, lane, [&] {
    return fmt::format("read of {}, which was never written", element_text(warp, place, index));
  });
}

void misaligned(Warp& warp, const Place& place, int lane, int64_t index) {
  record(warp, Fault::Kind::Misaligned, &place, place.where, lane, [&] {
    return fmt::format("{} {}: {} bytes at an address that is no multiple of {}", verb(place),
                       element_text(warp, place, index), place.bytes(), place.bytes());
  });
}

void broken_fact(Warp& warp, const BoundsUse& use, int lane, int64_t value) {
  record(warp, Fault::Kind::BrokenFact, &use, use.where, lane, [&] {
    return fmt::format("{} is {}, which is not within the bounds that it was given", use.name, value);
  });
}

void race(Warp& warp, const Place& place, int lane, int64_t index, uint64_t other_record) {
  record(warp, Fault::Kind::Race, &place, place.where, lane, [&] {
    return fmt::format("{} {} races with {}", verb(place), element_text(warp, place, index),
                       other_text(warp, Record{other_record}));
  });
}

void launch_fault(Launch& launch, Fault::Kind kind, const std::string& what) {
  Session& session = launch.session;
  launch.stop = true;
  if (!session.faults.is_new(kind, launch.code.kernel)) return;
  session.faults.add(kind, launch.code.kernel, what, launch.code.kernel->name,
                     launch.code.kernel->where);
}

}  // namespace cdsl::sim
