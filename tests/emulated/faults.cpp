// What the machine finds wrong, and how it goes on.
#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "machine.h"

namespace cdsl::emulation {
namespace {

std::string words(const Thread& thread) {
  switch (thread.state) {
    case Thread::State::Done: return "has returned";
    case Thread::State::AtBlock: return "waits at a barrier of the block";
    case Thread::State::AtCluster: return "waits at a barrier of the cluster";
    case Thread::State::AtSome: return "waits at a barrier of some warps";
    case Thread::State::AtWarp: return thread.meeting.kind == Meeting::Kind::Sync ? "waits at a barrier of its warp" : "waits for lanes of its warp";
    case Thread::State::Ready:
    case Thread::State::Given: break;
  }
  return "goes on";
}

}  // namespace

std::string Machine::name_thread(uint32_t id) const {
  const uint32_t number = id & ((1u << Actor::kThreadBits) - 1);
  const ::emulated::Index3 shape = launch_->block;
  const bool flat = shape.y == 1 && shape.z == 1;
  const std::string at = flat ? fmt::format("{}", number)
                              : fmt::format("({}, {}, {})", number % shape.x, number / shape.x % shape.y, number / shape.x / shape.y);
  return fmt::format("block {} thread {}", id >> Actor::kThreadBits, at);
}

void Machine::fault(std::string kind, std::string message, const void* pc) {
  for (FoundFault& known : faults_) {
    if (known.kind != kind || known.pc != pc || known.kernel != launch_->kernel) continue;
    ++known.count;
    return;
  }
  if (current_ != nullptr) message = name_thread(actor(0).thread) + ": " + message;
  faults_.push_back({std::move(kind), std::move(message), launch_->kernel, pc});
  if (faults_.size() >= options_.most_faults) {
    stopping_ = true;
    if (current_ != nullptr) leave(Thread::State::Given);
  }
}

/// There is no way to go on with this thread, nor with those that wait for it.
void Machine::fatal(std::string kind, std::string message, const void* pc) {
  fault(std::move(kind), std::move(message), pc);
  stopping_ = true;
  leave(Thread::State::Given);
}

std::vector<Machine::FoundFault> Machine::take_faults() {
  return std::exchange(faults_, {});
}

/// No thread of any resident block can go on: who waits where, and for whom.
void Machine::stuck() {
  for (Block* block : active_) {
    std::map<std::pair<std::string, unsigned>, std::vector<const Thread*>> groups;
    for (unsigned k = 0; k < block->count; ++k) {
      const Thread& thread = *block->threads[k];
      groups[{words(thread), thread.state == Thread::State::Done ? 0 : thread.site}].push_back(&thread);
    }
    const Thread* waits = nullptr;  // the strongest claim: all of the block
    for (unsigned k = 0; k < block->count; ++k) {
      const Thread& thread = *block->threads[k];
      if (thread.state == Thread::State::Done) continue;
      if (waits == nullptr || (thread.state == Thread::State::AtBlock && waits->state != Thread::State::AtBlock)) waits = &thread;
    }
    if (waits == nullptr) continue;
    std::string message;
    for (const auto& [group, members] : groups) {
      message += fmt::format("{}{} of {} threads of block {} {} {} (thread {} is one)", message.empty() ? "" : "; ", members.size(), block->count,
                             block->serial, members.size() == 1 ? "is one that" : "are ones of which each", group.first, members[0]->number);
    }
    const bool collective = waits->state == Thread::State::AtWarp && waits->meeting.kind != Meeting::Kind::Sync;
    const bool barrier = waits->state == Thread::State::AtBlock || waits->state == Thread::State::AtWarp;
    fault(collective ? "bad shuffle" : barrier ? "divergent barrier" : "deadlock", message, waits->pc);
  }
  throw Stop{};
}

}  // namespace cdsl::emulation
